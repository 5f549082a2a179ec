#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pipeline/reference/stages.h"

namespace parallax::reference {
namespace {

struct Pixel {
  int x, y;
};

// Collects the island of start by flooding over its four-neighbours; marks what it visits.
std::vector<Pixel> CollectIsland(HostImageView<const float> disparity, Pixel start, float range,
                                 HostImageView<std::uint8_t> visited) {
  std::vector<Pixel> island{start};
  visited(start.x, start.y) = 1;
  for (std::size_t i = 0; i < island.size(); ++i) {
    const auto [x, y] = island[i];
    for (const Pixel n : {Pixel{x + 1, y}, Pixel{x - 1, y}, Pixel{x, y + 1}, Pixel{x, y - 1}}) {
      // A NaN neighbour fails the comparison.
      if (disparity.Contains(n.x, n.y) && visited(n.x, n.y) == 0 &&
          std::fabs(disparity(n.x, n.y) - disparity(x, y)) <= range) {
        visited(n.x, n.y) = 1;
        island.push_back(n);
      }
    }
  }
  return island;
}

// The first two lead along the row.
constexpr Pixel kEightDirections[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

// Values of the nearest pixels with one, in the first num_directions directions, ascending.
std::vector<float> NearestValues(HostImageView<const float> disparity, int x, int y, int num_directions) {
  std::vector<float> values;
  for (int i = 0; i < num_directions; ++i) {
    const Pixel step = kEightDirections[i];
    int u = x + step.x, v = y + step.y;
    while (disparity.Contains(u, v) && std::isnan(disparity(u, v))) u += step.x, v += step.y;
    if (disparity.Contains(u, v)) values.push_back(disparity(u, v));
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

void RemoveSpeckles(const FilterParameters& parameters, DisparityMap& map) {
  if (parameters.speckle_size <= 1) return;
  HostImage<std::uint8_t> visited(map.disparity.width(), map.disparity.height(), 0);
  std::vector<Pixel> speckles;  // removed at the end, so that removal does not cut other islands
  for (int y = 0; y < map.disparity.height(); ++y) {
    for (int x = 0; x < map.disparity.width(); ++x) {
      if (visited(x, y) != 0 || std::isnan(map.disparity(x, y))) continue;
      const std::vector<Pixel> island =
          CollectIsland(map.disparity.ConstView(), {x, y}, parameters.speckle_range, visited.View());
      if (static_cast<int>(island.size()) < parameters.speckle_size) {
        speckles.insert(speckles.end(), island.begin(), island.end());
      }
    }
  }
  for (const auto [x, y] : speckles) {
    map.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
    map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kSpeckle);
  }
}

void FillHoles(DisparityMap& map, ThreadPool& threads) {
  for (int pass = 0; pass < 2; ++pass) {
    const HostImage<float> before = map.disparity.Clone();
    threads.ParallelFor(before.height(), [&](int y) {
      for (int x = 0; x < before.width(); ++x) {
        if (!std::isnan(before(x, y))) continue;
        const std::vector<float> values = NearestValues(before.ConstView(), x, y, 8);
        if (values.empty()) continue;
        const bool hidden = (map.validity(x, y) & (kOccluded | kOutOfRange)) != 0;
        const std::vector<float> along_row = NearestValues(before.ConstView(), x, y, 2);
        if (hidden && !along_row.empty()) {
          map.disparity(x, y) = along_row.front();  // the background beside it
        } else {
          const std::size_t rank =
              hidden ? std::min<std::size_t>(1, values.size() - 1) : (values.size() - 1) / 2;
          map.disparity(x, y) = values[rank];
        }
        map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kFilled);
      }
    });
  }
}

void MedianFilter(int side, DisparityMap& map, ThreadPool& threads) {
  if (side <= 1) return;
  const HostImage<float> before = map.disparity.Clone();
  const int radius = side / 2;
  threads.ParallelFor(before.height(), [&](int y) {
    std::vector<float> window;
    for (int x = 0; x < before.width(); ++x) {
      const float center = before(x, y);
      if (std::isnan(center)) continue;
      window.clear();
      for (int v = y - radius; v <= y + radius; ++v) {
        for (int u = x - radius; u <= x + radius; ++u) {
          const bool has_value = before.ConstView().Contains(u, v) && !std::isnan(before(u, v));
          window.push_back(has_value ? before(u, v) : center);
        }
      }
      const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
      std::nth_element(window.begin(), middle, window.end());
      map.disparity(x, y) = *middle;
    }
  });
}

}  // namespace parallax::reference
