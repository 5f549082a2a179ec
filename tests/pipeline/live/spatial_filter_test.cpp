#include "pipeline/live/spatial_filter.h"
#include "tests/support/nan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace parallax {
namespace {

// The rules as they are stated, one line of pixels at a time.
void PlainAlongRow(std::vector<float>& line, float alpha, float delta_px) {
  const std::vector<float> before = line;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (std::isnan(before[i]) || std::isnan(before[i - 1])) continue;
    if (std::fabs(before[i - 1] - before[i]) >= delta_px) continue;
    line[i] = alpha * before[i] + (1.0F - alpha) * line[i - 1];
  }
}
void PlainAlongColumn(std::vector<float>& line, float alpha, float delta_px) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (std::isnan(line[i]) || std::isnan(line[i - 1])) continue;
    if (std::fabs(line[i - 1] - line[i]) >= delta_px) continue;
    line[i] = alpha * line[i] + (1.0F - alpha) * line[i - 1];
  }
}

void PlainFilter(const LiveParameters& p, HostImage<float>& map) {
  const float delta_px = static_cast<float>(p.spatial_delta) / 32.0F;
  for (int i = 0; i < p.spatial_iterations; ++i) {
    for (int y = 0; y < map.height(); ++y) {
      std::vector<float> line(map.Row(y), map.Row(y) + map.width());
      PlainAlongRow(line, p.spatial_alpha, delta_px);
      std::vector<float> back(line.rbegin(), line.rend());
      PlainAlongRow(back, p.spatial_alpha, delta_px);
      std::copy(back.rbegin(), back.rend(), map.Row(y));
    }
    for (int x = 0; x < map.width(); ++x) {
      std::vector<float> line;
      for (int y = 0; y < map.height(); ++y) line.push_back(map(x, y));
      PlainAlongColumn(line, p.spatial_alpha, delta_px);
      std::vector<float> back(line.rbegin(), line.rend());
      PlainAlongColumn(back, p.spatial_alpha, delta_px);
      for (int y = 0; y < map.height(); ++y) map(x, y) = back[static_cast<std::size_t>(map.height() - 1 - y)];
    }
  }
}

HostImage<float> RandomMap(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  HostImage<float> map(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      map(x, y) = random() % 7 == 0
                      ? kNan
                      : 20.0F + static_cast<float>(random() % 64) / 64.0F + (x > width / 2 ? 5.0F : 0.0F);
    }
  }
  return map;
}

TEST(SpatialFilter, EqualsThePlainRulesToTheBit) {
  const std::pair<int, int> sizes[] = {{1, 1}, {1, 9}, {9, 1}, {65, 17}, {130, 40}};
  for (const auto& [width, height] : sizes) {
    for (const int delta : {1, 10, 20, 50}) {
      LiveParameters p;
      p.spatial_delta = delta;
      p.spatial_alpha = 0.25F + 0.01F * static_cast<float>(delta);
      p.spatial_iterations = 1 + delta % 3;
      HostImage<float> plain = RandomMap(width, height, static_cast<unsigned>(delta)), fast = plain.Clone();
      PlainFilter(p, plain);
      ThreadPool threads(3);
      FilterSpatially(p, fast, threads);
      for (int y = 0; y < height; ++y) {
        EXPECT_EQ(std::memcmp(plain.Row(y), fast.Row(y), sizeof(float) * static_cast<std::size_t>(width)), 0)
            << width << "x" << height << " row " << y;
      }
    }
  }
}

TEST(SpatialFilter, ARowByHand) {
  // There: 8, 8.25 (half of 8.5 and 8), 8.375 (half of 8.5 and 8.25), 20 (an edge), 20. Back: 20, 20, 8.375,
  // 8.3125, 8.15625.
  HostImage<float> map(5, 1);
  const float values[] = {8, 8.5F, 8.5F, 20, 20};
  std::copy_n(values, 5, map.Row(0));
  LiveParameters p;
  p.spatial_iterations = 1;
  ThreadPool threads(1);
  FilterSpatially(p, map, threads);
  EXPECT_EQ(map(4, 0), 20);
  EXPECT_EQ(map(3, 0), 20);
  EXPECT_EQ(map(2, 0), 8.375F);
  EXPECT_EQ(map(1, 0), 8.3125F);
  EXPECT_EQ(map(0, 0), 8.15625F);
}

TEST(SpatialFilter, HolesStayAndInterrupt) {
  HostImage<float> map(3, 1);
  map(0, 0) = 8, map(1, 0) = kNan, map(2, 0) = 8.5F;
  ThreadPool threads(1);
  FilterSpatially({}, map, threads);
  EXPECT_EQ(map(0, 0), 8);
  EXPECT_TRUE(std::isnan(map(1, 0)));
  EXPECT_EQ(map(2, 0), 8.5F);
}

}  // namespace
}  // namespace parallax
