// Distances on the GPU: differences to the bit as on the host, products within a stated error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>

#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cloud/distances/distance_consumers.h"
#include "cuda/cloud/distances/distance_rows.h"
#include "cuda/device/stream.h"
#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/cuda/require_device.h"

namespace parallax {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct Set {
  std::vector<float> numbers;
  MatrixView view;
};

// Rows of normally distributed numbers; gap floats between rows, not to be read.
Set MakeSet(std::int64_t rows, int dims, int gap, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Set set;
  set.numbers.assign(static_cast<std::size_t>(rows * (dims + gap)), 1e30f);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int d = 0; d < dims; ++d)
      set.numbers[static_cast<std::size_t>(i * (dims + gap) + d)] = normal(random);
  }
  set.view = {set.numbers.data(), rows, dims, dims + gap};
  return set;
}

float DirectDistance(const MatrixView& a, std::int64_t i, const MatrixView& b, std::int64_t j) {
  float sum = 0;
  for (int d = 0; d < a.dims; ++d) {
    const float difference = a.data[i * a.stride + d] - b.data[j * b.stride + d];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

double ExactDistance(const MatrixView& a, std::int64_t i, const MatrixView& b, std::int64_t j) {
  double sum = 0;
  for (int d = 0; d < a.dims; ++d) {
    const double difference = static_cast<double>(a.data[i * a.stride + d]) - b.data[j * b.stride + d];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

class CudaDistancesTest : public test::CudaTest {
 protected:
  void SetUp() override {
    test::CudaTest::SetUp();
    if (!IsSkipped()) measures_ = MakeCudaCloudMeasures();
  }
  // All distances, a row after the other.
  std::vector<float> All(const MatrixView& a, const MatrixView& b, const DistanceOptions& options) {
    std::vector<float> all;
    std::int64_t next = 0;
    measures_->Distances(a, b, options, [&](const DistanceBlock& block) {
      EXPECT_EQ(block.first_row, next);
      EXPECT_EQ(block.num_columns, b.rows);
      if (options.block_rows > 0) {
        EXPECT_EQ(block.num_rows, std::min(options.block_rows, a.rows - next));
      }
      next += block.num_rows;
      for (std::int64_t i = 0; i < block.num_rows; ++i) {
        all.insert(all.end(), block.distances + i * block.stride,
                   block.distances + i * block.stride + block.num_columns);
      }
    });
    EXPECT_EQ(next, a.rows);
    return all;
  }
  std::unique_ptr<CloudMeasures> measures_;
};

TEST_F(CudaDistancesTest, OfDifferencesAreTheHostsToTheBit) {
  std::mt19937 random(1);
  for (int dims = 1; dims <= 40; ++dims) {
    for (const std::int64_t rows_a : {1, 65, static_cast<int>(random() % 300) + 1}) {
      for (const std::int64_t rows_b : {1, 127, static_cast<int>(random() % 1500) + 1}) {
        const Set a = MakeSet(rows_a, dims, static_cast<int>(random() % 3), static_cast<unsigned>(random()));
        const Set b = MakeSet(rows_b, dims, static_cast<int>(random() % 3), static_cast<unsigned>(random()));
        const std::int64_t block_rows = static_cast<std::int64_t>(random() % 3) * 50;
        const std::vector<float> found =
            All(a.view, b.view, {.method = DistanceMethod::kDirect, .block_rows = block_rows});
        ASSERT_EQ(found.size(), static_cast<std::size_t>(rows_a * rows_b));
        for (std::int64_t i = 0; i < rows_a; ++i) {
          for (std::int64_t j = 0; j < rows_b; ++j) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(found[static_cast<std::size_t>(i * rows_b + j)]),
                      std::bit_cast<std::uint32_t>(DirectDistance(a.view, i, b.view, j)))
                << rows_a << " x " << rows_b << ", dims " << dims << ", row " << i << ", column " << j;
          }
        }
      }
    }
  }
}

// The error of |a|^2 + |b|^2 - 2ab goes with the squared lengths; rounding to TF32, by 2^-11 of each number
// at most, makes 4 * 2^-11 of their sum.
TEST_F(CudaDistancesTest, OfProductsKeepToTheirError) {
  std::mt19937 random(2);
  for (const int dims : {1, 7, 8, 31, 32, 33, 64, 100, 200, 515}) {
    for (const int size : {1, 130, 333}) {
      const Set a = MakeSet(size, dims, 1, static_cast<unsigned>(random()));
      const Set b = MakeSet(size + 70, dims, 0, static_cast<unsigned>(random()));
      for (const auto& [method, bound] :
           {std::pair{DistanceMethod::kProduct, 1e-6}, std::pair{DistanceMethod::kProductTf32, 2e-3}}) {
        const std::vector<float> found = All(a.view, b.view, {.method = method, .block_rows = 100});
        const auto lengths = [&](std::int64_t i, std::int64_t j) {
          const std::vector<float> origin(static_cast<std::size_t>(dims));
          const MatrixView zero{origin.data(), 1, dims, dims};
          return std::pow(ExactDistance(a.view, i, zero, 0), 2) +
                 std::pow(ExactDistance(b.view, j, zero, 0), 2);
        };
        double worst = 0;
        for (std::int64_t i = 0; i < a.view.rows; ++i) {
          for (std::int64_t j = 0; j < b.view.rows; ++j) {
            const double exact = ExactDistance(a.view, i, b.view, j);
            const double distance = found[static_cast<std::size_t>(i * b.view.rows + j)];
            worst = std::max(worst, std::abs(distance * distance - exact * exact) / lengths(i, j));
          }
        }
        EXPECT_LT(worst, bound) << size << ", dims " << dims;
      }
    }
  }
}

TEST_F(CudaDistancesTest, OfARowFromItselfByProductsIsNearlyNothing) {
  const Set a = MakeSet(200, 64, 0, 3);
  const std::vector<float> found = All(a.view, a.view, {.method = DistanceMethod::kProduct});
  for (std::size_t i = 0; i < 200; ++i) EXPECT_LT(found[i * 200 + i], 0.02f);
  EXPECT_THAT(All(a.view, a.view, {.method = DistanceMethod::kDirect, .block_rows = 64}),
              ::testing::SizeIs(200 * 200));
}

TEST_F(CudaDistancesTest, ByHand) {
  const std::vector<float> a{0, 0, 3, 4}, b{0, 0, 6, 8, 3, 0};
  EXPECT_THAT(All({a.data(), 2, 2, 2}, {b.data(), 3, 2, 2}, {}), ElementsAre(0, 10, 3, 5, 5, 4));
}

TEST_F(CudaDistancesTest, SmallestAreThoseOfTheWholeMatrix) {
  std::mt19937 random(4);
  for (const int dims : {2, 3, 9, 40}) {
    for (const int k : {1, 2, 5, 32, 33, 64}) {
      Set a =
          MakeSet(static_cast<std::int64_t>(random() % 300) + 1, dims, 0, static_cast<unsigned>(random()));
      Set b =
          MakeSet(static_cast<std::int64_t>(random() % 3000) + 1, dims, 0, static_cast<unsigned>(random()));
      // Few different values make ties; and a number here and there that is none.
      if (k % 2 == 1) {
        for (float& number : a.numbers) number = std::round(number);
        for (float& number : b.numbers) number = std::round(number);
      }
      b.numbers[0] = std::numeric_limits<float>::quiet_NaN();
      a.numbers[a.numbers.size() - 1] = std::numeric_limits<float>::infinity();
      const DistanceOptions options{.method = DistanceMethod::kDirect, .block_rows = 70};
      const std::vector<float> all = All(a.view, b.view, options);
      const Neighbours found = measures_->FindSmallestDistances(a.view, b.view, k, options);
      const NearestRows nearest = measures_->FindNearestRows(a.view, b.view, options);
      for (std::int64_t i = 0; i < a.view.rows; ++i) {
        std::vector<std::pair<float, std::int32_t>> row;
        for (std::int64_t j = 0; j < b.view.rows; ++j) {
          const float distance = all[static_cast<std::size_t>(i * b.view.rows + j)];
          if (!std::isnan(distance)) row.emplace_back(distance, static_cast<std::int32_t>(j));
        }
        std::sort(row.begin(), row.end());
        row.resize(static_cast<std::size_t>(k), {std::numeric_limits<float>::infinity(), kNoNeighbour});
        for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
          const std::size_t at = static_cast<std::size_t>(i) * static_cast<std::size_t>(k) + j;
          ASSERT_EQ(found.indices[at], row[j].second) << "k " << k << ", dims " << dims << ", row " << i;
          ASSERT_EQ(found.distances_m[at], row[j].first);
        }
        ASSERT_EQ(nearest.indices[static_cast<std::size_t>(i)], row[0].second);
        ASSERT_EQ(nearest.distances[static_cast<std::size_t>(i)], row[0].first);
      }
    }
  }
}

// Enough rows for the way without blocks, beside blocks of fewer rows each.
TEST_F(CudaDistancesTest, SmallestOfManyRowsAreThoseOfFew) {
  std::mt19937 random(9);
  for (int dims = 1; dims <= 4; ++dims) {
    for (const int k : {1, 3, 16, 20, 64}) {
      Set a = MakeSet(cuda::kRowsForNearest + 77, dims, 1, static_cast<unsigned>(random()));
      Set b =
          MakeSet(static_cast<std::int64_t>(random() % 500) + 1, dims, 0, static_cast<unsigned>(random()));
      if (k % 2 == 1) {  // ties
        for (float& number : a.numbers) number = std::round(2 * number);
        for (float& number : b.numbers) number = std::round(2 * number);
      }
      b.numbers[0] = std::numeric_limits<float>::quiet_NaN();
      a.numbers[5] = std::numeric_limits<float>::infinity();
      const Neighbours many = measures_->FindSmallestDistances(a.view, b.view, k, {});
      MatrixView part = a.view;
      part.rows = 4000;
      const Neighbours few = measures_->FindSmallestDistances(part, b.view, k, {});
      ASSERT_EQ(few.indices.size(), static_cast<std::size_t>(4000 * k));
      for (std::size_t i = 0; i < few.indices.size(); ++i) {
        ASSERT_EQ(many.indices[i], few.indices[i]) << "dims " << dims << ", k " << k << ", entry " << i;
        ASSERT_EQ(many.distances_m[i], few.distances_m[i]);
      }
    }
  }
}

TEST_F(CudaDistancesTest, AgreeWithTheCpu) {
  const auto cpu = MakeCpuCloudMeasures();
  for (const int dims : {3, 7, 40}) {
    const Set a = MakeSet(700, dims, 1, 10), b = MakeSet(900, dims, 0, 11);
    const DistanceOptions options{.method = DistanceMethod::kDirect};
    const Neighbours on_gpu = measures_->FindSmallestDistances(a.view, b.view, 5, options);
    const Neighbours on_cpu = cpu->FindSmallestDistances(a.view, b.view, 5, options);
    EXPECT_EQ(on_gpu.indices, on_cpu.indices);
    EXPECT_EQ(on_gpu.distances_m, on_cpu.distances_m);
    EXPECT_EQ(measures_->HistogramOfDistances(a.view, b.view, 5, 100, options).counts,
              cpu->HistogramOfDistances(a.view, b.view, 5, 100, options).counts);
  }
}

TEST_F(CudaDistancesTest, HistogramCountsEveryDistance) {
  for (const int num_bins : {1, 10, 1000, 20000}) {
    Set a = MakeSet(150, 3, 0, 5), b = MakeSet(2001, 3, 1, 6);
    a.numbers[7] = std::numeric_limits<float>::quiet_NaN();
    constexpr float kEnd = 3.7f;
    const DistanceOptions options{.block_rows = 33};
    const DistanceHistogram found = measures_->HistogramOfDistances(a.view, b.view, kEnd, num_bins, options);
    DistanceHistogram expected{.largest = kEnd,
                               .counts = std::vector<std::int64_t>(static_cast<std::size_t>(num_bins))};
    const float scale = static_cast<float>(num_bins) / kEnd;
    for (const float distance : All(a.view, b.view, options)) {
      if (std::isnan(distance)) {
        ++expected.not_a_number;
      } else if (distance >= kEnd) {
        ++expected.beyond;
      } else {
        ++expected
              .counts[static_cast<std::size_t>(std::min(num_bins - 1, static_cast<int>(distance * scale)))];
      }
    }
    EXPECT_EQ(found.counts, expected.counts);
    EXPECT_EQ(found.beyond, expected.beyond);
    EXPECT_EQ(found.not_a_number, 2001);
    EXPECT_EQ(found.largest, kEnd);
  }
}

// More than 65535 blocks of rows and of columns, more than 2^32 distances in a block; where the device has
// room.
TEST_F(CudaDistancesTest, GridsOfAnySize) {
  for (const auto& [rows_a, rows_b] :
       {std::pair<std::int64_t, std::int64_t>{1, 70'000'000}, {5'000'000, 3}, {70'000, 70'000}}) {
    const std::int64_t stride = (rows_b + 3) / 4 * 4;
    std::size_t free = 0, total = 0;
    cuda::Check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (static_cast<double>(rows_a) * static_cast<double>(stride) * 4 > 0.8 * static_cast<double>(free))
      continue;
    std::vector<float> a(static_cast<std::size_t>(rows_a)), b(static_cast<std::size_t>(rows_b));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 1000);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 1013);
    cuda::Stream stream;
    cuda::DeviceBuffer<float> device_a(a.size()), device_b(b.size());
    cuda::DeviceBuffer<float> out(static_cast<std::size_t>(rows_a * stride));
    cuda::CopyNow(device_a.data(), a.data(), a.size(), stream.get());
    cuda::CopyNow(device_b.data(), b.data(), b.size(), stream.get());
    cuda::LaunchDirectDistances({device_a.data(), rows_a, 1, 1}, {device_b.data(), rows_b, 1, 1}, out.data(),
                                stride, stream.get());
    std::mt19937_64 random(8);
    for (int i = 0; i < 500; ++i) {
      const auto row =
          i == 0 ? rows_a - 1 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows_a));
      const auto column =
          i == 0 ? rows_b - 1 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows_b));
      float found = -1;
      cuda::CopyNow(&found, out.data() + row * stride + column, 1, stream.get());
      ASSERT_EQ(found, std::abs(a[static_cast<std::size_t>(row)] - b[static_cast<std::size_t>(column)]));
    }
  }
}

TEST_F(CudaDistancesTest, SaysWhatIsWrong) {
  const Set a = MakeSet(3, 4, 0, 1), b = MakeSet(3, 5, 0, 1);
  const DistanceConsumer none = [](const DistanceBlock&) {};
  EXPECT_THROW(measures_->Distances(a.view, b.view, {}, none), InvalidArgument);
  EXPECT_THROW(measures_->FindNearestRows({}, b.view, {}), InvalidArgument);
  EXPECT_THROW(measures_->FindSmallestDistances(a.view, a.view, 65, {}), InvalidArgument);
  EXPECT_THROW(measures_->HistogramOfDistances(a.view, a.view, 0, 10, {}), InvalidArgument);
}

// Refused before a number of the set is read: there is only one row of it.
TEST_F(CudaDistancesTest, TooMuchIsRefusedWithTheFigure) {
  const std::vector<float> row(1000);
  const MatrixView huge{row.data(), (std::int64_t{1} << 31) - 1, 1000, 1000},
      small{row.data(), 1, 1000, 1000};
  try {
    measures_->FindNearestRows(huge, small, {});
    FAIL() << "8.6 TB on a device";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("2147483647 x 1 rows of 1000 numbers needs 17"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("MB of device memory"));
  }
}

TEST_F(CudaDistancesTest, AConsumerMayThrow) {
  const Set a = MakeSet(1000, 3, 0, 1);
  const DistanceConsumer throws = [](const DistanceBlock&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(measures_->Distances(a.view, a.view, {.block_rows = 10}, throws), std::runtime_error);
  EXPECT_EQ(All(a.view, a.view, {}).size(), 1'000'000u);
}

}  // namespace
}  // namespace parallax
