#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/reference/refinement.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::reference {
namespace {

struct Sum {
  int sum, count;
};

// Sums over windows that end at the border, from sums over all that lies above and to the left.
class WindowSums {
 public:
  explicit WindowSums(const HostImage<int>& values)
      : width_(values.width()), height_(values.height()), sums_(width_ + 1, height_ + 1, 0) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        // Modulo 2^32: windows do not overflow, whole images may.
        sums_(x + 1, y + 1) =
            static_cast<unsigned>(values(x, y)) + sums_(x, y + 1) + sums_(x + 1, y) - sums_(x, y);
      }
    }
  }
  Sum Around(int x, int y, int radius) const {
    const int left = std::max(0, x - radius), right = std::min(width_, x + radius + 1);
    const int top = std::max(0, y - radius), bottom = std::min(height_, y + radius + 1);
    const unsigned sum = sums_(right, bottom) - sums_(left, bottom) - sums_(right, top) + sums_(left, top);
    return {static_cast<int>(sum), (right - left) * (bottom - top)};
  }

 private:
  int width_, height_;
  HostImage<unsigned> sums_;
};

// The lowest value of each window, along rows, then along columns.
HostImage<int> LowestWithin(const HostImage<int>& values, int radius) {
  const int width = values.width(), height = values.height();
  HostImage<int> along_rows = values.Clone(), lowest = values.Clone();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int u = std::max(0, x - radius); u <= std::min(width - 1, x + radius); ++u)
        along_rows(x, y) = std::min(along_rows(x, y), values(u, y));
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      lowest(x, y) = along_rows(x, y);
      for (int v = std::max(0, y - radius); v <= std::min(height - 1, y + radius); ++v)
        lowest(x, y) = std::min(lowest(x, y), along_rows(x, v));
    }
  }
  return lowest;
}

template <typename F>
HostImage<int> ImageOf(int width, int height, const F& value) {
  HostImage<int> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image(x, y) = value(x, y);
  }
  return image;
}

}  // namespace

std::vector<HostImage<std::uint8_t>> PixelFeatures(const Parameters& parameters,
                                                   HostImageView<const std::uint8_t> guide,
                                                   HostImageView<const float> selected,
                                                   const DisparityMap& map, ThreadPool& threads) {
  const int width = guide.width, height = guide.height, lowest = parameters.matching_cost.min_disparity;
  std::vector<HostImage<std::uint8_t>> features;
  for (int i = 0; i < kNumPixelFeatures; ++i) features.emplace_back(width, height);
  const auto set = [&](PixelFeature feature, const auto& value) {
    threads.ParallelFor(height, [&](int y) {
      for (int x = 0; x < width; ++x)
        features[static_cast<std::size_t>(feature)](x, y) = ClampToByte(value(x, y));
    });
  };
  const auto nth = [](PixelFeature first, int i) {
    return static_cast<PixelFeature>(static_cast<int>(first) + i);
  };

  // A pixel without a selected disparity counts as the lowest one.
  const HostImage<int> index = ImageOf(width, height, [&](int x, int y) {
    return std::isnan(selected(x, y)) ? 0 : RoundedIndex(std::floor(selected(x, y) + 0.5F), lowest);
  });
  const HostImage<int> kept =
      ImageOf(width, height, [&](int x, int y) { return (map.validity(x, y) & kRejected) == 0 ? 1 : 0; });
  set(PixelFeature::kStatus, [&](int x, int y) { return StatusOf(map.validity(x, y)); });
  set(PixelFeature::kDisparity, [&](int x, int y) { return index(x, y) + lowest; });
  set(PixelFeature::kRow, [&](int, int y) { return 255 * y / height; });
  set(PixelFeature::kGray, [&](int x, int y) { return guide(x, y); });
  set(PixelFeature::kRightColumn, [&](int x, int y) { return x - (index(x, y) + lowest) + 64; });

  const WindowSums kept_sums(kept);
  const WindowSums index_sums(ImageOf(width, height, [&](int x, int y) { return kept(x, y) * index(x, y); }));
  for (int i = 0; i < kNumKeptRadii; ++i) {
    set(nth(PixelFeature::kKept4, i), [&](int x, int y) {
      const Sum around = kept_sums.Around(x, y, KeptRadius(i));
      return 255 * around.sum / around.count;
    });
  }
  for (int i = 0; i < kNumMeanRadii; ++i) {
    set(nth(PixelFeature::kMean8, i), [&](int x, int y) {
      return MeanFeature(index_sums.Around(x, y, MeanRadius(i)).sum,
                         kept_sums.Around(x, y, MeanRadius(i)).sum, index(x, y));
    });
  }
  for (int i = 0; i < kNumRings; ++i) {
    set(nth(PixelFeature::kAgree2, i), [&](int x, int y) {
      int agreement = 0;
      for (int k = 0; k < kRingPixels; ++k) {
        const RingOffset at = ScaledTo(RingOf(i).radius, RingOffsetOf(k));
        const int u = x + at.x, v = y + at.y;
        if (!guide.Contains(u, v) || std::abs(index(u, v) - index(x, y)) > RingOf(i).difference) continue;
        agreement += 1 + kept(u, v);
      }
      return agreement;
    });
  }

  constexpr int kNone = 1 << 20;
  const HostImage<int> kept_or_high =
      ImageOf(width, height, [&](int x, int y) { return kept(x, y) != 0 ? index(x, y) : kNone; });
  const HostImage<int> kept_turned =
      ImageOf(width, height, [&](int x, int y) { return kept(x, y) != 0 ? -index(x, y) : kNone; });
  for (int i = 0; i < kNumWindowRadii; ++i) {
    const HostImage<int> lowest_index = LowestWithin(index, WindowRadius(i));
    set(nth(PixelFeature::kLowest5, i), [&](int x, int y) { return index(x, y) - lowest_index(x, y); });
    const HostImage<int> lowest_kept = LowestWithin(kept_or_high, WindowRadius(i));
    set(nth(PixelFeature::kKeptLowest5, 2 * i), [&](int x, int y) {
      return KeptExtremeFeature(lowest_kept(x, y) != kNone, index(x, y) - lowest_kept(x, y));
    });
    const HostImage<int> highest_kept = LowestWithin(kept_turned, WindowRadius(i));
    set(nth(PixelFeature::kKeptHighest5, 2 * i), [&](int x, int y) {
      return KeptExtremeFeature(highest_kept(x, y) != kNone, -highest_kept(x, y) - index(x, y));
    });
  }

  const WindowSums column_edges(ImageOf(width, height, [&](int x, int y) {
    return std::abs(guide(std::min(x + 1, width - 1), y) - guide(std::max(x - 1, 0), y));
  }));
  const WindowSums row_edges(ImageOf(width, height, [&](int x, int y) {
    return std::abs(guide(x, std::min(y + 1, height - 1)) - guide(x, std::max(y - 1, 0)));
  }));
  const auto mean_of = [](const WindowSums& sums, int radius) {
    return [&sums, radius](int x, int y) {
      const Sum around = sums.Around(x, y, radius);
      return 4 * around.sum / around.count;
    };
  };
  set(PixelFeature::kColumnEdges3, mean_of(column_edges, kSmallEdgeRadius));
  set(PixelFeature::kColumnEdges8, mean_of(column_edges, kEdgeRadius));
  set(PixelFeature::kRowEdges8, mean_of(row_edges, kEdgeRadius));

  const HostImage<DisparityPlane> planes = FitPlanes(parameters, map, threads);
  const int tile = parameters.refinement.plane_tile;
  threads.ParallelFor(height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const float value = std::isnan(selected(x, y)) ? static_cast<float>(lowest) : selected(x, y);
      int own = 255, nearest = 255, num_near = 0;
      for (int row = y / tile - 1; row <= y / tile + 1; ++row) {
        for (int column = x / tile - 1; column <= x / tile + 1; ++column) {
          if (!planes.ConstView().Contains(column, row) || planes(column, row).value == kNoValue) continue;
          const int distance =
              PlaneDistance(planes(column, row), static_cast<float>(x - (column * tile + tile / 2)),
                            static_cast<float>(y - (row * tile + tile / 2)), value);
          if (row == y / tile && column == x / tile) own = distance;
          nearest = std::min(nearest, distance);
          if (distance < kNearPlane) ++num_near;
        }
      }
      features[static_cast<std::size_t>(PixelFeature::kOwnPlane)](x, y) = ClampToByte(own);
      features[static_cast<std::size_t>(PixelFeature::kNearestPlane)](x, y) = ClampToByte(nearest);
      features[static_cast<std::size_t>(PixelFeature::kNumPlanes)](x, y) = ClampToByte(num_near);
    }
  });
  return features;
}

void JudgePixels(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                 HostImageView<const float> selected, DisparityMap& map, ThreadPool& threads) {
  const std::vector<HostImage<std::uint8_t>> features =
      PixelFeatures(parameters, guide, selected, map, threads);
  const PixelTrees& trees = TreesOf(parameters.refinement.trees);
  threads.ParallelFor(guide.height, [&](int y) {
    for (int x = 0; x < guide.width; ++x) {
      int sum = trees.bias;
      for (const PixelTree& tree : trees.trees) {
        int leaf = 0;
        for (int level = 0; level < kTreeDepth; ++level) {
          leaf = 2 * leaf + (features[tree.features[level]](x, y) > tree.thresholds[level] ? 1 : 0);
        }
        sum += tree.leaves[leaf];
      }
      if (!Changes(map.validity(x, y), sum, !std::isnan(selected(x, y)))) continue;
      const bool was_kept = (map.validity(x, y) & kRejected) == 0;
      map.validity(x, y) = was_kept ? kMismatched : kValid;
      map.disparity(x, y) = was_kept ? std::numeric_limits<float>::quiet_NaN() : selected(x, y);
    }
  });
}

}  // namespace parallax::reference
