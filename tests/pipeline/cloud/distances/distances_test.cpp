#include "pipeline/cloud/distances/distances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cloud/distances/distance_kernels.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/support/cloud_cases.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// rows x dims random numbers with padding behind every row that must not count.
struct Matrix {
  Matrix(std::int64_t num_rows, int num_dims, std::uint32_t seed, int padding = 3)
      : rows(num_rows), dims(num_dims), stride(num_dims + padding), values(num_rows * stride, kNan) {
    testing::Random random(seed);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (int d = 0; d < dims; ++d) At(i, d) = random() * 4 - 2;
    }
  }
  Matrix(std::initializer_list<std::initializer_list<float>> all)
      : rows(static_cast<std::int64_t>(all.size())),
        dims(static_cast<int>(all.begin()->size())),
        stride(dims) {
    for (const auto& row : all) values.insert(values.end(), row);
  }
  float& At(std::int64_t i, int d) { return values[i * stride + d]; }
  const float* Row(std::int64_t i) const { return values.data() + i * stride; }
  MatrixView View() const { return {values.data(), rows, dims, stride}; }

  std::int64_t rows;
  int dims;
  std::int64_t stride;
  std::vector<float> values;
};

float Direct(const float* a, const float* b, int dims) {
  float sum = 0;
  for (int d = 0; d < dims; ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return std::sqrt(sum);
}

// All distances as the consumer gets them; checks the blocks.
std::vector<float> AllDistances(CloudMeasures& measures, const Matrix& a, const Matrix& b,
                                const DistanceOptions& options) {
  std::vector<float> all;
  std::int64_t next = 0;
  measures.Distances(a.View(), b.View(), options, [&](const DistanceBlock& block) {
    EXPECT_EQ(block.first_row, next);
    EXPECT_EQ(block.num_columns, b.rows);
    EXPECT_GE(block.stride, b.rows);
    if (options.block_rows > 0) {
      EXPECT_EQ(block.num_rows, std::min(options.block_rows, a.rows - next));
    }
    for (std::int64_t i = 0; i < block.num_rows; ++i) {
      const float* row = block.distances + i * block.stride;
      all.insert(all.end(), row, row + block.num_columns);
    }
    next += block.num_rows;
  });
  EXPECT_EQ(next, a.rows);
  return all;
}

class DistancesTest : public ::testing::Test {
 protected:
  std::unique_ptr<CloudMeasures> measures_ = MakeCpuCloudMeasures(2);
};

TEST_F(DistancesTest, ByHand) {
  const Matrix a = {{0, 0}, {3, 4}}, b = {{0, 0}, {3, 0}, {-3, -4}};
  for (const auto method : {DistanceMethod::kAuto, DistanceMethod::kDirect, DistanceMethod::kProduct,
                            DistanceMethod::kProductTf32}) {
    EXPECT_THAT(AllDistances(*measures_, a, b, {.method = method}), ElementsAre(0, 3, 5, 5, 4, 10));
    const NearestRows nearest = measures_->FindNearestRows(a.View(), b.View(), {.method = method});
    EXPECT_THAT(nearest.indices, ElementsAre(0, 1));
    EXPECT_THAT(nearest.distances, ElementsAre(0, 4));
    const Neighbours smallest = measures_->FindSmallestDistances(a.View(), b.View(), 4, {.method = method});
    EXPECT_THAT(smallest.indices, ElementsAre(0, 1, 2, kNoNeighbour, 1, 0, 2, kNoNeighbour));
    EXPECT_THAT(smallest.distances_m, ElementsAre(0, 3, 5, kInfinity, 4, 5, 10, kInfinity));
    const DistanceHistogram counts =
        measures_->HistogramOfDistances(a.View(), b.View(), 5, 5, {.method = method});
    EXPECT_THAT(counts.counts, ElementsAre(1, 0, 0, 1, 1));
    EXPECT_EQ(counts.beyond, 3);
    EXPECT_EQ(counts.not_a_number, 0);
  }
}

TEST_F(DistancesTest, DirectEqualsThePlainSumToTheBit) {
  for (const int dims : {1, 2, 3, 7, 40}) {
    for (const auto& [m, n] : {std::pair{1, 1}, {3, 31}, {8, 32}, {33, 33}, {70, 2100}, {5, 4500}}) {
      const Matrix a(m, dims, 1), b(n, dims, 2, 0);
      std::vector<float> expected;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) expected.push_back(Direct(a.Row(i), b.Row(j), dims));
      }
      for (const std::int64_t block_rows : {0, 1, 7, 1000}) {
        EXPECT_EQ(AllDistances(*measures_, a, b, {DistanceMethod::kDirect, block_rows}), expected)
            << m << " x " << n << ", dim " << dims;
      }
    }
  }
}

TEST_F(DistancesTest, ProductKeepsItsErrorBound) {
  for (const int dims : {1, 3, 64, 200}) {
    const Matrix a(41, dims, 3), b(77, dims, 4);
    for (const auto method : {DistanceMethod::kProduct, DistanceMethod::kProductTf32}) {
      const std::vector<float> found = AllDistances(*measures_, a, b, {.method = method});
      const double unit = method == DistanceMethod::kProduct ? (dims + 4) * 0x1p-24 : 0x1p-10;
      for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < b.rows; ++j) {
          double squared = 0, size = 0;
          for (int d = 0; d < dims; ++d) {
            const double x = a.Row(i)[d], y = b.Row(j)[d];
            squared += (x - y) * (x - y);
            size += x * x + y * y;
          }
          const double got = found[i * b.rows + j];
          ASSERT_NEAR(got * got, squared, 4 * unit * size) << i << ", " << j << ", dim " << dims;
        }
      }
    }
  }
}

TEST_F(DistancesTest, Tf32RoundsToTenBits) {
  EXPECT_EQ(RoundToTf32(1 + 0x1p-10F), 1 + 0x1p-10F);
  EXPECT_EQ(RoundToTf32(1 + 0x1p-12F), 1);
  EXPECT_EQ(RoundToTf32(-1 - 0x1p-11F), -1 - 0x1p-10F);  // ties away from zero
  EXPECT_EQ(RoundToTf32(1 + 0x1p-11F - 0x1p-23F), 1);
  EXPECT_TRUE(std::isnan(RoundToTf32(kNan)));
  EXPECT_EQ(RoundToTf32(-kInfinity), -kInfinity);
  // Seen from outside: the two rows differ only in a bit that TF32 drops.
  const Matrix a = {{1 + 0x1p-13F, 0}}, b = {{1 + 0x1p-13F, 1}};
  const auto tf32 = AllDistances(*measures_, a, b, {.method = DistanceMethod::kProductTf32});
  EXPECT_GT(tf32[0], 1);
  EXPECT_EQ(AllDistances(*measures_, a, b, {.method = DistanceMethod::kDirect})[0], 1);
}

TEST_F(DistancesTest, ConsumersAgreeWithTheDistances) {
  for (const int dims : {3, 50}) {
    for (const int n : {5, 100, 2049, 4500}) {
      const Matrix a(37, dims, 5), b(n, dims, 6);
      const std::vector<float> all = AllDistances(*measures_, a, b, {});
      const NearestRows nearest = measures_->FindNearestRows(a.View(), b.View(), {});
      const Neighbours smallest = measures_->FindSmallestDistances(a.View(), b.View(), 9, {});
      const DistanceHistogram counts = measures_->HistogramOfDistances(a.View(), b.View(), 5, 30, {});
      DistanceHistogram expected{5, std::vector<std::int64_t>(30), 0, 0};
      for (std::int64_t i = 0; i < a.rows; ++i) {
        std::vector<std::pair<float, std::int32_t>> row;
        for (int j = 0; j < n; ++j) row.emplace_back(all[i * n + j], j);
        for (const auto& [distance, j] : row) {
          if (distance >= 5) {
            ++expected.beyond;
          } else {
            ++expected.counts[static_cast<int>(distance * 6.0F)];
          }
        }
        std::sort(row.begin(), row.end());
        ASSERT_EQ(nearest.indices[i], row[0].second);
        ASSERT_EQ(nearest.distances[i], row[0].first);
        for (int k = 0; k < 9; ++k) {
          ASSERT_EQ(smallest.indices[i * 9 + k], k < n ? row[k].second : kNoNeighbour);
          ASSERT_EQ(smallest.distances_m[i * 9 + k], k < n ? row[k].first : kInfinity);
        }
      }
      EXPECT_EQ(counts.counts, expected.counts);
      EXPECT_EQ(counts.beyond, expected.beyond);
    }
  }
}

TEST_F(DistancesTest, TiesGoToTheLowestIndex) {
  Matrix a(3, 2, 7), b(3000, 2, 8);
  for (std::int64_t j = 0; j < b.rows; ++j) b.At(j, 0) = b.At(j, 1) = j < 17 ? 100.0F : 1.0F;
  const NearestRows nearest = measures_->FindNearestRows(a.View(), b.View(), {});
  EXPECT_THAT(nearest.indices, ElementsAre(17, 17, 17));
  EXPECT_THAT(measures_->FindSmallestDistances(a.View(), b.View(), 3, {}).indices,
              ElementsAre(17, 18, 19, 17, 18, 19, 17, 18, 19));
}

TEST_F(DistancesTest, NumbersThatAreNone) {
  Matrix a(2, 3, 9), b(40, 3, 10);
  a.At(0, 0) = 1;  // the product form gives inf - inf for what is infinitely far on this side
  a.At(1, 2) = kNan;
  b.At(0, 1) = kNan;
  b.At(5, 0) = kInfinity;
  for (const auto method : {DistanceMethod::kDirect, DistanceMethod::kProduct}) {
    const auto all = AllDistances(*measures_, a, b, {.method = method});
    EXPECT_TRUE(std::isnan(all[0]));
    EXPECT_FALSE(std::isnan(all[1]));
    for (int j = 0; j < 40; ++j) EXPECT_TRUE(std::isnan(all[40 + j]));
    const NearestRows nearest = measures_->FindNearestRows(a.View(), b.View(), {.method = method});
    EXPECT_GT(nearest.indices[0], 0);
    EXPECT_EQ(nearest.indices[1], kNoNeighbour);
    EXPECT_EQ(nearest.distances[1], kInfinity);
    const Neighbours smallest = measures_->FindSmallestDistances(a.View(), b.View(), 40, {.method = method});
    EXPECT_EQ(smallest.indices[39], kNoNeighbour);
    EXPECT_EQ(smallest.indices[40], kNoNeighbour);
    EXPECT_EQ(measures_->HistogramOfDistances(a.View(), b.View(), 1, 2, {.method = method}).not_a_number,
              40 + (method == DistanceMethod::kDirect ? 1 : 2));
  }
  // Infinitely far, but a number: the only ones there are.
  const Matrix near = {{0.0F}}, far = {{kNan}, {kInfinity}, {-kInfinity}};
  EXPECT_THAT(measures_->FindNearestRows(near.View(), far.View(), {}).indices, ElementsAre(1));
  EXPECT_THAT(measures_->FindSmallestDistances(near.View(), far.View(), 3, {}).indices,
              ElementsAre(1, 2, kNoNeighbour));
}

TEST_F(DistancesTest, SameForEveryNumberOfThreadsAndDirectForEveryInstructionSet) {
  const Matrix a(301, 5, 11), b(2500, 5, 12);
  for (const auto method :
       {DistanceMethod::kDirect, DistanceMethod::kProduct, DistanceMethod::kProductTf32}) {
    const auto one = MakeCpuCloudMeasures(1);
    const auto expected = AllDistances(*one, a, b, {.method = method});
    const auto nearest = one->FindNearestRows(a.View(), b.View(), {.method = method});
    const auto counts = one->HistogramOfDistances(a.View(), b.View(), 3, 64, {.method = method});
    for (const int threads : {2, 3, 7}) {
      const auto several = MakeCpuCloudMeasures(threads);
      EXPECT_EQ(AllDistances(*several, a, b, {.method = method}), expected);
      EXPECT_EQ(several->FindNearestRows(a.View(), b.View(), {.method = method}).indices, nearest.indices);
      EXPECT_EQ(several->HistogramOfDistances(a.View(), b.View(), 3, 64, {.method = method}).counts,
                counts.counts);
    }
    for (const std::string& name : cpu::InstructionSets()) {
      cpu::UseInstructionSet(name);
      const auto found = AllDistances(*measures_, a, b, {.method = method});
      if (method == DistanceMethod::kDirect) {
        EXPECT_EQ(found, expected) << name;
        EXPECT_EQ(measures_->FindNearestRows(a.View(), b.View(), {.method = method}).indices,
                  nearest.indices);
        EXPECT_EQ(measures_->FindSmallestDistances(a.View(), b.View(), 2, {.method = method}).indices,
                  one->FindSmallestDistances(a.View(), b.View(), 2, {.method = method}).indices);
      } else {
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i] * found[i], expected[i] * expected[i], 1e-4) << name;
      }
    }
    cpu::UseInstructionSet("");
  }
}

TEST_F(DistancesTest, BadInput) {
  const Matrix a(3, 4, 1), b(3, 5, 2), c(2, 4, 3);
  const auto all = [&](const MatrixView& x, const MatrixView& y, const DistanceOptions& options = {}) {
    measures_->Distances(x, y, options, [](const DistanceBlock&) {});
  };
  EXPECT_THAT([&] { all(a.View(), b.View()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("has 4 numbers in a row, the second 5")));
  EXPECT_THAT([&] { all({}, c.View()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the first set has 0 rows")));
  EXPECT_THAT(
      [&] {
        all(a.View(), {c.values.data(), 2, 4, 3});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("the second set has 2 rows of 4 numbers but a stride of 3")));
  EXPECT_THROW(all(a.View(), {c.values.data(), std::int64_t{1} << 31, 4, 4}), InvalidArgument);
  EXPECT_THROW(all(a.View(), c.View(), {.block_rows = -1}), InvalidArgument);
  EXPECT_THROW(measures_->FindNearestRows(a.View(), b.View(), {}), InvalidArgument);
  EXPECT_THROW(measures_->FindSmallestDistances(a.View(), c.View(), 0, {}), InvalidArgument);
  EXPECT_THROW(measures_->FindSmallestDistances(a.View(), c.View(), 65, {}), InvalidArgument);
  for (const float largest : {0.0F, -1.0F, kNan, kInfinity, 1e-44F})
    EXPECT_THROW(measures_->HistogramOfDistances(a.View(), c.View(), largest, 3, {}), InvalidArgument);
  EXPECT_THROW(measures_->HistogramOfDistances(a.View(), c.View(), 1, 0, {}), InvalidArgument);
}

}  // namespace
}  // namespace parallax
