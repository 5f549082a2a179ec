#include "pipeline/cpu/ad_census/refinement.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

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

// The last k of a direction whose pixel k d / 2, towards zero, is within `room`.
int LastStep(int d, int room) {
  return d == 0 ? std::numeric_limits<int>::max() : std::abs(d) == 2 ? room : 2 * room + 1;
}

int ColorDistance(const View& view, int x, int y, int u, int v) {
  int largest = 0;
  for (int c = 0; c < view.num_channels; ++c)
    largest = std::max(largest, std::abs(view.channel[c].Row(y)[x] - view.channel[c].Row(v)[u]));
  return largest;
}

// Which parts of the image a round of voting gave values, in tiles.
class ChangedTiles {
 public:
  ChangedTiles(int width, int height)
      : num_x_((width + kTile - 1) / kTile),
        tiles_(static_cast<std::size_t>(num_x_) * ((height + kTile - 1) / kTile)) {}
  void Clear() { std::fill(tiles_.begin(), tiles_.end(), std::uint8_t{0}); }
  void Mark(int x, int y) { tiles_[At(x / kTile, y / kTile)] = 1; }
  // Of the pixels first .. last, which are inside.
  bool Any(Pixel first, Pixel last) const {
    for (int y = first.y / kTile; y <= last.y / kTile; ++y) {
      for (int x = first.x / kTile; x <= last.x / kTile; ++x) {
        if (tiles_[At(x, y)] != 0) return true;
      }
    }
    return false;
  }

 private:
  static constexpr int kTile = 16;
  std::size_t At(int x, int y) const { return static_cast<std::size_t>(y) * num_x_ + x; }
  int num_x_;
  std::vector<std::uint8_t> tiles_;
};

// Votes for disparities. Pixels take turns at several counters of each, as a counter must be written before
// it can be counted up again and neighbours mostly agree.
class Ballot {
 public:
  explicit Ballot(int num_disparities)
      : size_(static_cast<std::size_t>(num_disparities) + 1), votes_(kTurns * size_) {}
  void Clear() { std::fill(votes_.begin(), votes_.end(), std::uint16_t{0}); }
  // Indices of disparities, or kNoIndex, which stands before the others.
  void Count(const std::int16_t* index, int count) {
    std::uint16_t* const of_index = votes_.data() + 1;
    int i = 0;
    for (; i + kTurns <= count; i += kTurns) {
      for (int turn = 0; turn < kTurns; ++turn)
        ++of_index[static_cast<std::size_t>(turn) * size_ + index[i + turn]];
    }
    for (; i < count; ++i) ++of_index[index[i]];
  }
  struct Winner {
    int index, votes, of_none;
  };
  // The lowest of those with the most votes.
  Winner Find() {
    for (std::size_t turn = 1; turn < kTurns; ++turn) {
      for (std::size_t i = 0; i < size_; ++i)
        votes_[i] = static_cast<std::uint16_t>(votes_[i] + votes_[turn * size_ + i]);
    }
    std::int16_t most = 0;  // at most 4489
    for (std::size_t i = 1; i < size_; ++i) most = std::max(most, static_cast<std::int16_t>(votes_[i]));
    const auto found =
        std::find(votes_.begin() + 1, votes_.begin() + static_cast<std::ptrdiff_t>(size_), most);
    return {static_cast<int>(found - votes_.begin()) - 1, most, votes_[0]};
  }

 private:
  static constexpr int kTurns = 4;
  std::size_t size_;
  std::vector<std::uint16_t> votes_;
};

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
  ChangedTiles changed(index.width, index.height);
  for (int round = 0; round < parameters.voting_iterations; ++round) {
    const std::vector<Pixel> pixels = PixelsWithout(index);
    std::vector<std::int16_t> found(pixels.size(), kNoIndex);
    ForPixels(pixels, threads, [&](std::size_t begin, std::size_t end) {
      Ballot ballot(num_disparities);
      for (std::size_t i = begin; i < end; ++i) {
        const auto [x, y] = pixels[i];
        const int top = y - left.arms.up.Row(y)[x], bottom = y + left.arms.down.Row(y)[x];
        // Who was not elected is not now, unless a pixel of the region has a value since.
        const int longest = parameters.arm_length - 1;
        if (round > 0 &&
            !changed.Any({std::max(0, x - longest), top}, {std::min(index.width - 1, x + longest), bottom}))
          continue;
        int num_pixels = 0;
        for (int v = top; v <= bottom; ++v)
          num_pixels += 1 + left.arms.left.Row(v)[x] + left.arms.right.Row(v)[x];
        if (num_pixels <= parameters.voting_min_votes) continue;
        ballot.Clear();
        for (int v = top; v <= bottom; ++v) {
          const int back = left.arms.left.Row(v)[x];
          ballot.Count(index.Row(v) + x - back, back + 1 + left.arms.right.Row(v)[x]);
        }
        const Ballot::Winner winner = ballot.Find();
        const int num_votes = num_pixels - winner.of_none;
        if (num_votes > parameters.voting_min_votes &&
            winner.votes * 100 > num_votes * parameters.voting_min_percent)
          found[i] = static_cast<std::int16_t>(winner.index);
      }
    });
    Assign(pixels, found, map);
    changed.Clear();
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (found[i] != kNoIndex) changed.Mark(pixels[i].x, pixels[i].y);
    }
  }
}

void Interpolate(const View& left, const IndexMap& map, ThreadPool& threads) {
  const auto index = AsConst(map.index);
  const std::vector<Pixel> pixels = PixelsWithout(index);
  std::vector<std::int16_t> found(pixels.size(), kNoIndex);
  const std::ptrdiff_t row_step = index.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(std::int16_t));
  ForPixels(pixels, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [x, y] = pixels[i];
      const bool is_hidden = (map.validity(x, y) & kOccluded) != 0;
      const std::int16_t* const center = &index(x, y);
      int best_distance = 256;
      for (const auto [dx, dy] : kSixteenDirections) {
        const int last = std::min(LastStep(dx, dx > 0 ? index.width - 1 - x : x),
                                  LastStep(dy, dy > 0 ? index.height - 1 - y : y));
        // Pixel k lies k / 2 strides away, and for odd k a half more.
        const std::ptrdiff_t stride = dx + dy * row_step, half = dx / 2 + dy / 2 * row_step;
        int k = 1;
        for (const std::int16_t* at = center; k <= last; k += 2, at += stride) {
          if (at[half] != kNoIndex) break;
          if (k == last || at[stride] != kNoIndex) {
            ++k;
            break;
          }
        }
        if (k > last) continue;
        const int u = x + k * dx / 2, v = y + k * dy / 2;  // towards zero
        if (is_hidden) {
          if (found[i] == kNoIndex || index(u, v) < found[i]) found[i] = index(u, v);
        } else if (const int distance = ColorDistance(left, x, y, u, v); distance < best_distance) {
          best_distance = distance;
          found[i] = index(u, v);
        }
      }
    }
  });
  Assign(pixels, found, map);
}

}  // namespace parallax::cpu::ad_census
