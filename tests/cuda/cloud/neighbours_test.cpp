// Nearest neighbours on the GPU against brute force on the host, to the bit, ties and all.
#include "cuda/cloud/neighbours/cuda_neighbour_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cloud/neighbours/cuda_hilbert.h"
#include "cuda/cloud/neighbours/neighbour_build.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cloud/neighbours/neighbours.h"
#include "tests/cuda/cloud/test_clouds.h"
#include "tests/cuda/require_device.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool Finite(const Point3f& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

// Of the queries listed in rows. self: queries are the points, and not their own neighbours.
Neighbours BruteForce(std::span<const Point3f> points, std::span<const Point3f> queries, int k,
                      bool exclude_self, std::span<const std::int32_t> rows) {
  Neighbours found{.k = k, .indices = {}, .distances_m = {}};
  std::vector<std::pair<float, std::int32_t>> candidates;
  for (const std::int32_t row : rows) {
    const Point3f q = queries[static_cast<std::size_t>(row)];
    candidates.clear();
    for (std::size_t i = 0; Finite(q) && i < points.size(); ++i) {
      const Point3f p = points[i];
      if (!Finite(p) || (exclude_self && static_cast<std::int32_t>(i) == row)) continue;
      const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
      candidates.emplace_back((dx * dx + dy * dy) + dz * dz, static_cast<std::int32_t>(i));
    }
    const auto count = std::min(candidates.size(), static_cast<std::size_t>(k));
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                      candidates.end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      found.indices.push_back(i < count ? candidates[i].second : kNoNeighbour);
      found.distances_m.push_back(i < count ? std::sqrt(candidates[i].first) : kInfinity);
    }
  }
  return found;
}

std::vector<std::int32_t> RowsToCheck(std::size_t n, std::size_t most, unsigned seed) {
  std::vector<std::int32_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::int32_t>(i);
  if (n > most) {
    std::mt19937 random(seed);
    std::shuffle(rows.begin(), rows.end(), random);
    rows.resize(most);
  }
  return rows;
}

Neighbours Picked(const Neighbours& all, std::span<const std::int32_t> rows) {
  Neighbours picked{.k = all.k, .indices = {}, .distances_m = {}};
  for (const std::int32_t row : rows) {
    for (int i = 0; i < all.k; ++i) {
      const auto at =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(all.k) + static_cast<std::size_t>(i);
      picked.indices.push_back(all.indices[at]);
      picked.distances_m.push_back(all.distances_m[at]);
    }
  }
  return picked;
}

std::vector<std::uint32_t> Bits(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values)
    bits.push_back(std::isnan(value) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(value));
  return bits;
}

void ExpectSame(const Neighbours& found, const Neighbours& expected) {
  ASSERT_EQ(found.indices.size(), expected.indices.size());
  for (std::size_t i = 0; i < found.indices.size(); ++i) {
    ASSERT_EQ(found.indices[i], expected.indices[i]) << "entry " << i << ", k " << expected.k;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found.distances_m[i]),
              std::bit_cast<std::uint32_t>(expected.distances_m[i]))
        << "entry " << i << ", k " << expected.k;
  }
}

// Every cell once, and none that is not the last one's neighbour.
template <typename Table>
void ExpectCurve(const Table& table, int bits) {
  const int size = 1 << bits;
  std::vector<int> cells(static_cast<std::size_t>(size * size * size), -1);
  for (int i = 0; i < size * size * size; ++i) {
    const auto place =
        cuda::HilbertPlace(static_cast<std::uint32_t>(i % size), static_cast<std::uint32_t>(i / size % size),
                           static_cast<std::uint32_t>(i / size / size), bits, table.next);
    ASSERT_LT(place, cells.size());
    ASSERT_EQ(cells[place], -1) << "two cells in one place";
    cells[place] = i;
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const int a = cells[i - 1], b = cells[i];
    ASSERT_EQ(std::abs(a % size - b % size) + std::abs(a / size % size - b / size % size) +
                  std::abs(a / size / size - b / size / size),
              1)
        << "a jump after place " << i - 1;
  }
}

TEST(HilbertTest, FollowsNeighbouringCellsThroughEveryCell) {
  for (int bits = 1; bits <= 5; ++bits) {
    ExpectCurve(cuda::MakeHilbertPairTable(), bits);
  }
}

class CudaNeighboursTest : public test::CudaTest {
 protected:
  // All that a search gives for a cloud, against brute force on some rows.
  void Check(const std::vector<Point3f>& points, int k, bool include_self) {
    cuda::Stream stream;
    const auto n = static_cast<std::int64_t>(points.size());
    cuda::NeighbourSearch search(n);
    cuda::DeviceBuffer<Point3f> device_points(points.size());
    const std::size_t entries = points.size() * static_cast<std::size_t>(k);
    cuda::DeviceBuffer<std::int32_t> indices(entries);
    cuda::DeviceBuffer<float> distances(entries), means(points.size());
    Neighbours found{
        .k = k, .indices = std::vector<std::int32_t>(entries), .distances_m = std::vector<float>(entries)};
    std::vector<float> found_means(points.size());
    cuda::CopyNow(device_points.data(), points.data(), points.size(), stream.get());
    cuda::Check(cudaMemsetAsync(indices.data(), 0x5A, indices.size_bytes(), stream.get()), "cudaMemsetAsync");
    cuda::Check(cudaMemsetAsync(distances.data(), 0x5A, distances.size_bytes(), stream.get()),
                "cudaMemsetAsync");
    cuda::Check(cudaMemsetAsync(means.data(), 0x5A, means.size_bytes(), stream.get()), "cudaMemsetAsync");
    search.Build(device_points.data(), n, stream.get());
    search.FindNeighbours(k, include_self, indices.data(), distances.data(), stream.get());
    search.FindMeanDistances(k, include_self, means.data(), stream.get());
    cuda::CopyNow(found.indices.data(), indices.data(), entries, stream.get());
    cuda::CopyNow(found.distances_m.data(), distances.data(), entries, stream.get());
    cuda::CopyNow(found_means.data(), means.data(), points.size(), stream.get());
    const std::vector<std::int32_t> rows = RowsToCheck(points.size(), 300, 3);
    ExpectSame(Picked(found, rows), BruteForce(points, points, k, !include_self, rows));
    EXPECT_EQ(Bits(found_means), Bits(MeanDistances(found))) << "k " << k;
  }
};

TEST_F(CudaNeighboursTest, EqualBruteForceOnAwkwardClouds) {
  std::mt19937 random(11);
  for (int kind = 0; kind < test::kNumCloudKinds; ++kind) {
    for (const int n : {1, 2, 9, 33, 250, 700, 9000}) {
      const test::NamedCloud cloud = test::MakeTestCloud(kind, n, 1);
      const int k = static_cast<int>(random() % 64) + 1;
      for (const int each : {k, static_cast<int>(random() % 4) + 1, 8, 16}) {
        SCOPED_TRACE(cloud.name + ", n " + std::to_string(n) + ", k " + std::to_string(each));
        Check(cloud.points, each, random() % 2 == 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaNeighboursTest, EqualBruteForceForEveryK) {
  const test::NamedCloud cloud = test::MakeTestCloud(0, 1500, 2), ties = test::MakeTestCloud(4, 1500, 2);
  for (int k = 1; k <= kLargestNumNeighbours; ++k) {
    Check(cloud.points, k, k % 2 == 0);
    Check(ties.points, k, k % 3 == 0);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CudaNeighboursTest, EqualBruteForceOnManyPoints) {
  for (const int kind : {0, 1, 4, 5, 8, 9, 13, 14, 15}) {
    const test::NamedCloud cloud = test::MakeTestCloud(kind, 300001, 3);
    SCOPED_TRACE(cloud.name);
    Check(cloud.points, 8, false);
  }
}

TEST_F(CudaNeighboursTest, OfAnotherCloudEqualBruteForce) {
  const auto measures = MakeCudaCloudMeasures();
  std::mt19937 random(5);
  for (int kind = 0; kind < test::kNumCloudKinds; ++kind) {
    for (const int n : {1, 40, 5000}) {
      for (const int other_kind : {0, kind, 8}) {
        const test::NamedCloud cloud = test::MakeTestCloud(kind, n, 1);
        const test::NamedCloud queries = test::MakeTestCloud(other_kind, static_cast<int>(random() % 600), 4);
        const int k = static_cast<int>(random() % 20) + 1;
        SCOPED_TRACE(cloud.name + " asked by " + queries.name + ", n " + std::to_string(n));
        const Neighbours found = measures->NearestNeighbours(cloud.points, queries.points, k);
        const std::vector<std::int32_t> rows = RowsToCheck(queries.points.size(), 200, 3);
        ExpectSame(Picked(found, rows), BruteForce(cloud.points, queries.points, k, false, rows));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaNeighboursTest, AgreeWithTheCpu) {
  const auto gpu = MakeCudaCloudMeasures(), cpu = MakeCpuCloudMeasures();
  for (const int kind : {0, 6, 8, 12}) {
    const test::NamedCloud cloud = test::MakeTestCloud(kind, 60000, 6),
                           queries = test::MakeTestCloud(0, 5000, 7);
    SCOPED_TRACE(cloud.name);
    for (const int k : {1, 7, 40}) {
      const NeighbourOptions options{.k = k, .include_self = k == 7};
      ExpectSame(gpu->NearestNeighbours(cloud.points, options),
                 cpu->NearestNeighbours(cloud.points, options));
      ExpectSame(gpu->NearestNeighbours(cloud.points, queries.points, k),
                 cpu->NearestNeighbours(cloud.points, queries.points, k));
      EXPECT_EQ(Bits(gpu->MeanNeighbourDistances(cloud.points, options)),
                Bits(cpu->MeanNeighbourDistances(cloud.points, options)));
    }
  }
}

// The most points of one cell of the curve; *num_steps: CloudExtent's.
std::int64_t MostInACell(const std::vector<Point3f>& cloud, std::uint32_t* num_steps) {
  cuda::Stream stream;
  const auto n = static_cast<std::int64_t>(cloud.size());
  cuda::DeviceBuffer<Point3f> points(cloud.size());
  cuda::DeviceBuffer<cuda::CloudExtent> extent(1);
  std::vector<cuda::CloudExtent> found(1);
  std::vector<std::uint64_t> keys(cloud.size());
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    cuda::Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
  };
  copy(points.data(), cloud.data(), points.size_bytes());
  cuda::Check(cudaMemsetAsync(extent.data(), 0, extent.size_bytes(), stream.get()), "cudaMemsetAsync");
  cuda::CurveOrder order(n);
  cuda::EnqueueExtent(points.data(), n, extent.data(), stream.get());
  order.Enqueue(points.data(), n, extent.data(), nullptr, stream.get());
  copy(keys.data(), order.keys(), keys.size() * sizeof(keys[0]));
  copy(found.data(), extent.data(), extent.size_bytes());
  cuda::Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  *num_steps = found[0].num_steps;
  std::int64_t most = 0;
  for (std::size_t i = 0, next = 0; i < keys.size(); i = next) {
    while (next < keys.size() && keys[next] == keys[i]) ++next;
    most = std::max(most, static_cast<std::int64_t>(next - i));
  }
  return most;
}

TEST_F(CudaNeighboursTest, CellsAreDealtOutWhereTheCloudIsDense) {
  std::uint32_t num_steps = 0;
  for (const int kind : {0, 4, 8}) {  // evenly spread, one far away
    MostInACell(test::MakeTestCloud(kind, 100000, 1).points, &num_steps);
    EXPECT_EQ(num_steps, 0u) << test::MakeTestCloud(kind, 1, 1).name;
  }
  for (const int kind : {9, 13, 14, 15}) {
    EXPECT_LT(MostInACell(test::MakeTestCloud(kind, 100000, 1).points, &num_steps), 1000)
        << test::MakeTestCloud(kind, 1, 1).name;
    EXPECT_EQ(num_steps, 1024u) << test::MakeTestCloud(kind, 1, 1).name;
  }
  // Nothing to deal out: all in one place, or none anywhere.
  EXPECT_EQ(MostInACell(test::MakeTestCloud(1, 5000, 1).points, &num_steps), 5000);
  EXPECT_EQ(num_steps, 0u);
  MostInACell(test::MakeTestCloud(7, 5000, 1).points, &num_steps);
  EXPECT_EQ(num_steps, 0u);
}

TEST_F(CudaNeighboursTest, OfAFewPointsByHand) {
  const auto measures = MakeCudaCloudMeasures();
  const std::vector<Point3f> points{{0, 0, 0}, {3, 4, 0}, {0, 0, 0}, {0, 0, 12}};
  const Neighbours others = measures->NearestNeighbours(points, {.k = 2, .include_self = false});
  EXPECT_THAT(others.indices, ElementsAre(2, 1, 0, 2, 0, 1, 0, 2));
  EXPECT_THAT(others.distances_m, ElementsAre(0, 5, 5, 5, 0, 5, 12, 12));
  const Neighbours with_self = measures->NearestNeighbours(points, {.k = 1, .include_self = true});
  EXPECT_THAT(with_self.indices, ElementsAre(0, 1, 0, 3)) << "of two at the same place the first";
  EXPECT_THAT(measures->MeanNeighbourDistances(points, {.k = 2}), ElementsAre(2.5f, 5.0f, 2.5f, 12.0f));
}

TEST_F(CudaNeighboursTest, EmptyCloudsGiveEmptyRows) {
  const auto measures = MakeCudaCloudMeasures();
  EXPECT_TRUE(measures->NearestNeighbours({}, {.k = 3}).indices.empty());
  EXPECT_TRUE(measures->MeanNeighbourDistances({}, {.k = 3}).empty());
  const std::vector<Point3f> queries{{1, 2, 3}, {4, 5, 6}};
  EXPECT_TRUE(measures->NearestNeighbours(queries, std::span<const Point3f>(), 2).indices.empty());
  const Neighbours none = measures->NearestNeighbours(std::span<const Point3f>(), queries, 2);
  EXPECT_THAT(none.indices, ElementsAre(-1, -1, -1, -1));
  EXPECT_THAT(none.distances_m, ElementsAre(kInfinity, kInfinity, kInfinity, kInfinity));
}

TEST_F(CudaNeighboursTest, SaysWhatIsWrong) {
  const auto measures = MakeCudaCloudMeasures();
  const std::vector<Point3f> points(5);
  for (const int k : {0, -1, 65}) {
    EXPECT_THROW(measures->NearestNeighbours(points, {.k = k}), InvalidArgument) << k;
    EXPECT_THROW(measures->NearestNeighbours(points, points, k), InvalidArgument) << k;
    EXPECT_THROW(measures->MeanNeighbourDistances(points, {.k = k}), InvalidArgument) << k;
  }
  cuda::Stream stream;
  EXPECT_THROW(cuda::NeighbourSearch(-1), InvalidArgument);
  cuda::NeighbourSearch search(4);
  cuda::DeviceBuffer<Point3f> device_points(5);
  try {
    search.Build(device_points.data(), 5, stream.get());
    FAIL() << "5 points in a search for 4";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("room for 4"));
  }
}

TEST_F(CudaNeighboursTest, CanBeCapturedIntoAGraph) {
  const test::NamedCloud cloud = test::MakeTestCloud(0, 5000, 7);
  cuda::Stream stream;
  cuda::NeighbourSearch search(5000);
  cuda::DeviceBuffer<Point3f> points(5000);
  cuda::DeviceBuffer<float> means(5000);
  cuda::CopyNow(points.data(), cloud.points.data(), 5000, stream.get());
  cuda::Graph graph;
  graph.Capture(stream.get(), [&] {
    search.Build(points.data(), 5000, stream.get());
    search.FindMeanDistances(3, false, means.data(), stream.get());
  });
  std::vector<float> first(5000), second(5000);
  graph.Launch(stream.get());
  cuda::CopyNow(first.data(), means.data(), 5000, stream.get());
  graph.Launch(stream.get());
  cuda::CopyNow(second.data(), means.data(), 5000, stream.get());
  EXPECT_EQ(first, MakeCudaCloudMeasures()->MeanNeighbourDistances(cloud.points, {.k = 3}));
  EXPECT_EQ(second, first);
}

}  // namespace
}  // namespace parallax
