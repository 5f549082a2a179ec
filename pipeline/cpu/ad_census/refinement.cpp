#include "pipeline/cpu/ad_census/refinement.h"

#include <algorithm>
#include <cstdlib>

#include "pipeline/image.h"

namespace parallax::cpu::ad_census {
namespace {

struct Pixel {
  int x, y;
};

std::vector<Pixel> PixelsWithout(HostImageView<const std::int16_t> index) {
  std::vector<Pixel> pixels;
  for (int y = 0; y < index.height; ++y) {
    for (int x = 0; x < index.width; ++x) {
      if (index(x, y) == kNoIndex) pixels.push_back({x, y});
    }
  }
  return pixels;
}

// Calls body(pixel, i) for every pixel i, on all threads.
template <typename F>
void ForPixels(const std::vector<Pixel>& pixels, ThreadPool& threads, const F& body) {
  constexpr std::size_t kChunk = 512;
  threads.ParallelFor(static_cast<int>((pixels.size() + kChunk - 1) / kChunk), [&](int chunk) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    body(begin, std::min(pixels.size(), begin + kChunk));
  });
}

// Gives the pixels their new indices, where these are any.
void Assign(const std::vector<Pixel>& pixels, const std::vector<std::int16_t>& found, const IndexMap& map) {
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (found[i] == kNoIndex) continue;
    const auto [x, y] = pixels[i];
    map.index(x, y) = found[i];
    map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kFilled);
  }
}

// Sixteen directions over the whole circle: point i of one is (x + i dx, y + i dy) / 2, towards the centre.
struct HalfStep {
  int dx, dy;
};
constexpr HalfStep kSixteenDirections[] = {{2, 0},  {2, 1},  {2, 2},  {1, 2},   {0, 2},   {-1, 2},
                                           {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2},
                                           {0, -2}, {1, -2}, {2, -2}, {2, -1}};

int ColorDistance(const View& view, int x, int y, int u, int v) {
  int largest = 0;
  for (int c = 0; c < view.num_channels; ++c)
    largest = std::max(largest, std::abs(view.channel[c].Row(y)[x] - view.channel[c].Row(v)[u]));
  return largest;
}

}  // namespace

void CheckRow(const Selection* selected, const std::uint16_t* winner_right, int width, int min_disparity,
              int num_disparities, int max_difference, std::int16_t* index, std::uint8_t* validity) {
  if (max_difference < 0) return;
  const auto agrees = [&](int element, int d) {
    return element >= 0 && element < width && winner_right[element] != 0xFFFF &&
           std::abs(winner_right[element] - d) <= max_difference;
  };
  for (int x = 0; x < width; ++x) {
    const int first = width - 1 - x + min_disparity, winner = selected[x].winner;
    if (agrees(first + winner, winner)) continue;
    std::uint8_t fault = kOutOfRange;
    if (first + winner >= 0 && first + winner < width) {
      fault = kOccluded;
      const int begin = std::max(0, -first), end = std::min(num_disparities, width - first);
      for (int d = begin; d < end && fault == kOccluded; ++d) {
        if (agrees(first + d, d)) fault = kMismatched;
      }
    }
    validity[x] = static_cast<std::uint8_t>(validity[x] | fault);
    index[x] = kNoIndex;
  }
}

void VoteInRegions(const View& left, int num_disparities, const AdCensusParameters& parameters,
                   const IndexMap& map, ThreadPool& threads) {
  const auto index = AsConst(map.index);
  for (int iteration = 0; iteration < parameters.voting_iterations; ++iteration) {
    const std::vector<Pixel> pixels = PixelsWithout(index);
    std::vector<std::int16_t> found(pixels.size(), kNoIndex);
    ForPixels(pixels, threads, [&](std::size_t begin, std::size_t end) {
      // Votes of kNoIndex stand before the others'.
      std::vector<std::uint16_t> votes(static_cast<std::size_t>(num_disparities) + 1);
      for (std::size_t i = begin; i < end; ++i) {
        const auto [x, y] = pixels[i];
        std::fill(votes.begin(), votes.end(), std::uint16_t{0});
        std::uint16_t* of_index = votes.data() + 1;
        int num_pixels = 0;
        for (int v = y - left.arms.up.Row(y)[x]; v <= y + left.arms.down.Row(y)[x]; ++v) {
          const int first = x - left.arms.left.Row(v)[x], last = x + left.arms.right.Row(v)[x];
          const std::int16_t* row = index.Row(v);
          for (int u = first; u <= last; ++u) ++of_index[row[u]];
          num_pixels += last - first + 1;
        }
        const int num_votes = num_pixels - votes[0];
        const auto most = std::max_element(votes.begin() + 1, votes.end());
        if (num_votes > parameters.voting_min_votes &&
            *most * 100 > num_votes * parameters.voting_min_percent)
          found[i] = static_cast<std::int16_t>(most - votes.begin() - 1);
      }
    });
    Assign(pixels, found, map);
  }
}

void Interpolate(const View& left, const IndexMap& map, ThreadPool& threads) {
  const auto index = AsConst(map.index);
  const std::vector<Pixel> pixels = PixelsWithout(index);
  std::vector<std::int16_t> found(pixels.size(), kNoIndex);
  ForPixels(pixels, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [x, y] = pixels[i];
      const bool is_hidden = (map.validity(x, y) & kOccluded) != 0;
      int best_distance = 256;
      for (const HalfStep step : kSixteenDirections) {
        for (int k = 1;; ++k) {
          const int u = x + k * step.dx / 2, v = y + k * step.dy / 2;  // towards zero
          if (!index.Contains(u, v)) break;
          if (index(u, v) == kNoIndex) continue;
          if (is_hidden) {
            if (found[i] == kNoIndex || index(u, v) < found[i]) found[i] = index(u, v);
          } else if (const int distance = ColorDistance(left, x, y, u, v); distance < best_distance) {
            best_distance = distance;
            found[i] = index(u, v);
          }
          break;
        }
      }
    }
  });
  Assign(pixels, found, map);
}

}  // namespace parallax::cpu::ad_census
