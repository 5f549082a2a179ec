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

// Pixels that a round of voting gave values, counted from each row's begin.
class NewVoters {
 public:
  NewVoters(int width, int height)
      : width_(width), counts_(static_cast<std::size_t>(width + 1) * static_cast<std::size_t>(height)) {}
  // is_new(i): whether pixel i, of these in the order of rows, is one.
  template <typename F>
  void Find(const std::vector<Pixel>& pixels, int height, const F& is_new) {
    std::size_t i = 0;
    for (int y = 0; y < height; ++y) {
      std::uint16_t* const counts = Row(y);
      std::uint16_t count = 0;
      int x = 0;
      for (; i < pixels.size() && pixels[i].y == y; ++i) {
        if (!is_new(i)) continue;
        for (; x <= pixels[i].x; ++x) counts[x] = count;
        ++count;
      }
      for (; x <= width_; ++x) counts[x] = count;
    }
  }
  int NumOf(const ArmPlanes& arms, int x, int y) {
    int sum = 0;
    for (int v = y - arms.up.Row(y)[x]; v <= y + arms.down.Row(y)[x]; ++v)
      sum += Row(v)[x + arms.right.Row(v)[x] + 1] - Row(v)[x - arms.left.Row(v)[x]];
    return sum;
  }

 private:
  std::uint16_t* Row(int y) { return counts_.data() + std::ptrdiff_t{y} * (width_ + 1); }
  int width_;
  std::vector<std::uint16_t> counts_;
};

// Votes of a region for disparities. Pixels take turns at several counters of each, as a counter must be
// written before it can be counted up again and neighbours mostly agree; who votes no more may do so at
// another counter than before, as only their sum counts.
class Ballot {
 public:
  Ballot(const ArmPlanes& arms, HostImageView<const std::int16_t> index, int num_disparities)
      : arms_(arms),
        index_(index),
        size_(static_cast<std::size_t>(num_disparities) + 1),
        votes_(kTurns * size_),
        sums_(size_) {}

  // Counts the region of a pixel, from that of the pixel counted last where this is near.
  void Count(int x, int y) {
    const int top = y - arms_.up.Row(y)[x], bottom = y + arms_.down.Row(y)[x];
    if (y != y_ || x < x_ || x > x_ + kNear) {
      std::fill(votes_.begin(), votes_.end(), std::uint16_t{0});
      num_pixels_ = 0;
      for (int v = top; v <= bottom; ++v) Add<1>(v, Begin(x, v), End(x, v));
    } else {
      for (int v = std::min(top, top_); v <= std::max(bottom, bottom_); ++v) {
        const bool was = v >= top_ && v <= bottom_, is = v >= top && v <= bottom;
        // Mostly both ends are where they were or a pixel further.
        if (was && is) {
          const int begin = Begin(x_, v), end = End(x_, v);
          const int new_begin = Begin(x, v), new_end = End(x, v);
          const int leaves = new_begin > begin, enters = new_end > end;
          Vote(v, begin, -leaves);
          Vote(v, end + enters - 1, enters);
          num_pixels_ += enters - leaves;
          if (new_begin != begin + leaves) Change(v, new_begin, begin + leaves);
          if (new_end != end + enters) Change(v, end + enters, new_end);
        } else if (is) {
          Add<1>(v, Begin(x, v), End(x, v));
        } else if (was) {
          Add<-1>(v, Begin(x_, v), End(x_, v));
        }
      }
    }
    x_ = x, y_ = y, top_ = top, bottom_ = bottom;
  }
  int num_pixels() const { return num_pixels_; }

  struct Winner {
    int index, votes, of_none;
  };
  // The lowest of those with the most votes.
  Winner Find() {
    for (std::size_t i = 0; i < size_; ++i) {
      std::uint16_t sum = 0;
      for (std::size_t turn = 0; turn < kTurns; ++turn)
        sum = static_cast<std::uint16_t>(sum + votes_[turn * size_ + i]);
      sums_[i] = static_cast<std::int16_t>(sum);  // at most 4489
    }
    std::int16_t most = 0;
    for (std::size_t i = 1; i < size_; ++i) most = std::max(most, sums_[i]);
    const auto found = std::find(sums_.begin() + 1, sums_.end(), most);
    return {static_cast<int>(found - sums_.begin()) - 1, most, sums_[0]};
  }

 private:
  static constexpr int kTurns = 4;
  static constexpr int kNear = 4;

  int Begin(int x, int v) const { return x - arms_.left.Row(v)[x]; }
  int End(int x, int v) const { return x + arms_.right.Row(v)[x] + 1; }

  void Vote(int v, int x, int num_votes) {
    std::uint16_t& votes = votes_[static_cast<std::size_t>(index_.Row(v)[x] + 1)];
    votes = static_cast<std::uint16_t>(votes + num_votes);
  }
  // Pixels begin .. end - 1 of a row vote for their indices, or for kNoIndex, which stands before the others.
  template <int kVotes>
  void Add(int v, int begin, int end) {
    num_pixels_ += kVotes * (end - begin);
    const std::int16_t* const index = index_.Row(v);
    std::uint16_t* const of_index = votes_.data() + 1;
    const auto add = [&](int turn, int i) {
      std::uint16_t& votes =
          of_index[static_cast<std::ptrdiff_t>(turn) * static_cast<std::ptrdiff_t>(size_) + index[i]];
      votes = static_cast<std::uint16_t>(votes + kVotes);
    };
    int i = begin;
    for (; i + kTurns <= end; i += kTurns) {
      for (int turn = 0; turn < kTurns; ++turn) add(turn, i + turn);
    }
    for (; i < end; ++i) add(0, i);
  }
  // Pixels begin .. end - 1 vote, or, if end < begin, those from end to begin - 1 do no more.
  void Change(int v, int begin, int end) {
    if (begin < end) {
      Add<1>(v, begin, end);
    } else if (end < begin) {
      Add<-1>(v, end, begin);
    }
  }

  const ArmPlanes& arms_;
  HostImageView<const std::int16_t> index_;
  std::size_t size_;
  std::vector<std::uint16_t> votes_;
  std::vector<std::int16_t> sums_;
  int num_pixels_ = 0;
  int x_ = 0, y_ = -1, top_ = 0, bottom_ = 0;
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
  const auto is_elected = [&](int votes, int num_votes) {
    return num_votes > parameters.voting_min_votes && votes * 100 > num_votes * parameters.voting_min_percent;
  };
  struct Count {
    int votes = 0, num_votes = 0;
  };
  NewVoters new_voters(index.width, index.height);
  std::vector<Pixel> pixels = PixelsWithout(index);
  std::vector<Count> counts(pixels.size());  // of each pixel's last election
  std::vector<std::int16_t> found;
  for (int round = 0; round < parameters.voting_iterations && !pixels.empty(); ++round) {
    found.assign(pixels.size(), kNoIndex);
    ForPixels(pixels, threads, [&](std::size_t begin, std::size_t end) {
      Ballot ballot(left.arms, index, num_disparities);
      for (std::size_t i = begin; i < end; ++i) {
        const auto [x, y] = pixels[i];
        Count& count = counts[i];
        if (round > 0) {
          // Not even if all new voters of the region voted alike?
          const int num_new = new_voters.NumOf(left.arms, x, y);
          count.votes += num_new, count.num_votes += num_new;
          if (num_new == 0 || !is_elected(count.votes, count.num_votes)) continue;
        }
        ballot.Count(x, y);
        const Ballot::Winner winner = ballot.Find();
        count = {winner.votes, ballot.num_pixels() - winner.of_none};
        if (is_elected(count.votes, count.num_votes)) found[i] = static_cast<std::int16_t>(winner.index);
      }
    });
    Assign(pixels, found, map);
    new_voters.Find(pixels, index.height, [&](std::size_t i) { return found[i] != kNoIndex; });
    std::size_t num_left = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (found[i] == kNoIndex) pixels[num_left] = pixels[i], counts[num_left++] = counts[i];
    }
    if (num_left == pixels.size()) break;
    pixels.resize(num_left), counts.resize(num_left);
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
