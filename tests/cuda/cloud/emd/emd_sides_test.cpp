// Clouds put in order and into boxes on the device: the same bits as on the host.
#include "cuda/cloud/emd/emd_sides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "pipeline/cloud/emd/emd_problem.h"
#include "tests/cuda/require_device.h"
#include "tests/support/emd_clouds.h"

namespace parallax {
namespace {

using test::EmdCloud;

struct Boxes {
  cuda::DeviceBuffer<float4> points, boxes, parents;
  Boxes(std::size_t num_boxes, std::size_t num_parents)
      : points(num_boxes * cuda::kEmdBox), boxes(2 * num_boxes), parents(2 * num_parents) {}
};

class CudaEmdSidesTest : public test::CudaTest {
 protected:
  template <typename T>
  std::vector<T> Fetch(const T* from, std::size_t count) {
    std::vector<T> values(count);
    cuda::CopyNow(values.data(), from, count, stream());
    return values;
  }

  // Order, points and boxes of one side as the host has them.
  void ExpectSide(const emd::Problem& problem, const emd::Side& side, const std::uint32_t* order,
                  std::size_t first_point, const Boxes& made) {
    const std::vector<std::uint32_t> found = Fetch(order + first_point, side.order.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i] - first_point, static_cast<std::size_t>(side.order[i])) << "place " << i;
    const std::vector<float4> points = Fetch(made.points.data(), made.points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(points[i].x, side.x[i]) << i;
      ASSERT_EQ(points[i].y, side.y[i]) << i;
      ASSERT_EQ(points[i].z, side.z[i]) << i;
    }
    const std::vector<float4> boxes = Fetch(made.boxes.data(), made.boxes.size());
    const std::vector<float4> parents = Fetch(made.parents.data(), made.parents.size());
    for (std::size_t b = 0; b < static_cast<std::size_t>(problem.num_boxes); ++b) {
      const float4 &low = boxes[2 * b], &high = boxes[2 * b + 1];
      ASSERT_EQ(std::vector({low.x, low.y, low.z, high.x, high.y, high.z}),
                std::vector({side.low_x[b], side.low_y[b], side.low_z[b], side.high_x[b], side.high_y[b],
                             side.high_z[b]}))
          << b;
      const float4 &all_low = parents[b / 32 * 2], &all_high = parents[b / 32 * 2 + 1];
      EXPECT_TRUE(all_low.x <= low.x && all_low.y <= low.y && all_low.z <= low.z);
      EXPECT_TRUE(all_high.x >= high.x && all_high.y >= high.y && all_high.z >= high.z);
    }
    float most_x = -INFINITY, most_of_parents = -INFINITY;
    for (std::size_t i = 1; i < boxes.size(); i += 2) most_x = std::max(most_x, boxes[i].x);
    for (std::size_t i = 1; i < parents.size(); i += 2)
      most_of_parents = std::max(most_of_parents, parents[i].x);
    EXPECT_EQ(most_x, most_of_parents);
  }

  // All pairs together.
  void Expect(const std::vector<std::vector<Point3f>>& clouds) {
    std::vector<cuda::EmdSideOnDevice> sides;
    std::vector<emd::Problem> problems;
    std::vector<Boxes> made;
    std::vector<Point3f> all;
    std::int64_t num_parents = 0;
    for (std::size_t k = 0; k < clouds.size(); ++k) {
      if (k % 2 == 0) problems.push_back(emd::MakeProblem({clouds[k], clouds[k + 1]}));
      const emd::Problem& problem = problems.back();
      const auto parents = static_cast<std::size_t>((problem.num_boxes + 31) / 32);
      Boxes& boxes = made.emplace_back(static_cast<std::size_t>(problem.num_boxes), parents);
      cuda::EmdSideOnDevice side{};
      side.first_point = static_cast<std::int64_t>(all.size());
      side.first_parent = num_parents;
      side.size = problem.size;
      side.num_boxes = problem.num_boxes;
      std::copy(problem.scale.low_m.begin(), problem.scale.low_m.end(), side.low_m);
      side.cells_per_m = problem.scale.cells_per_m;
      side.units_per_m = problem.scale.units_per_m;
      side.points = boxes.points.data();
      side.boxes = boxes.boxes.data();
      side.parents = boxes.parents.data();
      sides.push_back(side);
      all.insert(all.end(), clouds[k].begin(), clouds[k].end());
      num_parents += static_cast<std::int64_t>(parents);
    }
    const auto n = static_cast<std::int64_t>(all.size());
    cuda::DeviceBuffer<Point3f> points(all.size());
    cuda::DeviceBuffer<cuda::EmdSideOnDevice> device_sides(sides.size());
    cuda::DeviceBuffer<std::uint64_t> keys[2] = {cuda::DeviceBuffer<std::uint64_t>(all.size()),
                                                 cuda::DeviceBuffer<std::uint64_t>(all.size())};
    cuda::DeviceBuffer<std::uint32_t> order[2] = {cuda::DeviceBuffer<std::uint32_t>(all.size()),
                                                  cuda::DeviceBuffer<std::uint32_t>(all.size())};
    cuda::DeviceBuffer<std::byte> temporary(cuda::EmdSortBytes(n));
    cuda::CopyNow(points.data(), all.data(), all.size(), stream());
    cuda::CopyNow(device_sides.data(), sides.data(), sides.size(), stream());
    const int num_sides = static_cast<int>(sides.size());
    const int current = cuda::SortEmdSides(device_sides.data(), num_sides, points.data(), n,
                                           {.keys = {keys[0].data(), keys[1].data()},
                                            .order = {order[0].data(), order[1].data()},
                                            .temporary = temporary.data(),
                                            .temporary_bytes = temporary.size()},
                                           stream());
    cuda::FillEmdSides(device_sides.data(), num_sides, num_parents, points.data(), order[current].data(),
                       stream());
    for (std::size_t k = 0; k < clouds.size(); ++k) {
      SCOPED_TRACE("cloud " + std::to_string(k));
      const emd::Problem& problem = problems[k / 2];
      ExpectSide(problem, k % 2 == 0 ? problem.a : problem.b, order[current].data(),
                 static_cast<std::size_t>(sides[k].first_point), made[k]);
      if (HasFatalFailure()) return;
    }
  }

  // Made at its first use: there may be no device, which SetUp finds out.
  cudaStream_t stream() {
    if (!stream_) stream_.emplace();
    return stream_->get();
  }

 private:
  std::optional<cuda::Stream> stream_;
};

TEST_F(CudaEmdSidesTest, EqualTheHosts) {
  std::vector<std::vector<Point3f>> clouds;
  for (const char* kind : {"uniform", "shell", "clusters", "duplicates", "line", "disjoint", "far"}) {
    for (const int n : {1, 31, 33, 1025, 5000}) {
      for (const int seed : {1, 2}) clouds.push_back(EmdCloud(kind, n, seed));
    }
  }
  // Nearly all in one cell, which then go by their coordinates, zeros of both signs among them.
  for (const int seed : {1, 2}) {
    std::vector<Point3f> crowded = EmdCloud("duplicates", 3000, seed);
    for (std::size_t i = 0; i < crowded.size(); i += 3) {
      crowded[i].x = -crowded[i].x;
      crowded[i].z = -crowded[i].z;
    }
    crowded.push_back({1e9f, -1e9f, 1e9f});
    clouds.push_back(crowded);
  }
  Expect(clouds);
  for (const auto& one : {clouds[0], clouds.back()}) Expect({one, one});
}

TEST_F(CudaEmdSidesTest, SumsBeginEmpty) {
  cuda::DeviceBuffer<cuda::EmdPhaseSums> sums(3 * cuda::kMostEmdPhases);
  cuda::StartEmdSums(sums.data(), 3, stream());
  for (const cuda::EmdPhaseSums& sum : Fetch(sums.data(), sums.size())) {
    EXPECT_EQ(sum.least_price, 1 << 30);
    EXPECT_EQ(sum.bound, 0);
    EXPECT_EQ(sum.distance, 0);
  }
}

}  // namespace
}  // namespace parallax
