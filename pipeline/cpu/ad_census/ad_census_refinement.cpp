#include "pipeline/cpu/ad_census/ad_census_refinement.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <vector>

#include "parallax/image.h"

namespace parallax::cpu::ad_census {
namespace {

// A pixel without a value, what was found for it, and the votes of its last election.
struct Gap {
  int x, y;
  std::int16_t found = kNoIndex;
  std::uint16_t votes = 0, num_votes = 0;
};
// Gaps to vote for, in strips of a few columns. Within a strip they follow one another down each column, because the
// regions of two pixels, one above the other, have most rows in common.
using Strips = std::vector<std::vector<Gap>>;
constexpr int kColumnsPerStrip = 16;

// Calls body(gaps) for every strip, on all threads.
template <typename F>
void ForStrips(Strips& strips, ThreadPool& threads, const F& body) {
  threads.ParallelFor(static_cast<int>(strips.size()),
                      [&](int i) { body(strips[static_cast<std::size_t>(i)]); });
}

Strips FindGaps(HostImageView<const std::int16_t> index, ThreadPool& threads) {
  Strips strips(static_cast<std::size_t>((index.width + kColumnsPerStrip - 1) / kColumnsPerStrip));
  threads.ParallelFor(static_cast<int>(strips.size()), [&](int strip) {
    const int begin = strip * kColumnsPerStrip, end = std::min(index.width, begin + kColumnsPerStrip);
    for (int x = begin; x < end; ++x) {
      for (int y = 0; y < index.height; ++y) {
        if (index(x, y) == kNoIndex) strips[static_cast<std::size_t>(strip)].push_back({x, y});
      }
    }
  });
  return strips;
}

void Fill(const Gap& gap, const IndexMap& map) {
  map.index(gap.x, gap.y) = gap.found;
  map.validity(gap.x, gap.y) = static_cast<std::uint8_t>(map.validity(gap.x, gap.y) | kFilled);
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
      : width_(width),
        height_(height),
        counts_(static_cast<std::size_t>(width + 1) * static_cast<std::size_t>(height)) {}
  void Clear(ThreadPool& threads) {
    threads.ParallelFor(height_, [&](int y) { std::fill_n(Row(y), width_ + 1, std::uint16_t{0}); });
  }
  void Mark(int x, int y) { Row(y)[x + 1] = 1; }
  void Count(ThreadPool& threads) {
    threads.ParallelFor(height_, [&](int y) {
      std::uint16_t* const counts = Row(y);
      for (int x = 0; x < width_; ++x) counts[x + 1] = static_cast<std::uint16_t>(counts[x + 1] + counts[x]);
    });
  }
  int NumOf(const ArmPlanes& arms, int x, int y) {
    int sum = 0;
    for (int v = y - arms.up.Row(y)[x]; v <= y + arms.down.Row(y)[x]; ++v)
      sum += Row(v)[x + arms.right.Row(v)[x] + 1] - Row(v)[x - arms.left.Row(v)[x]];
    return sum;
  }

 private:
  std::uint16_t* Row(int y) { return counts_.data() + std::ptrdiff_t{y} * (width_ + 1); }
  int width_, height_;
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

  // Counts the region of a pixel, from that of the pixel counted last where this lies below or above: a row
  // of both regions is the same.
  void Count(int x, int y) {
    const int top = y - arms_.up.Row(y)[x], bottom = y + arms_.down.Row(y)[x];
    const int num_common = x != x_ ? 0 : std::min(bottom, bottom_) - std::max(top, top_) + 1;
    if (2 * num_common <= bottom_ - top_ + 1) {
      std::fill(votes_.begin(), votes_.end(), std::uint16_t{0});
      num_pixels_ = 0;
      AddRows<1>(x, top, bottom);
    } else {
      AddRows<-1>(x, top_, top - 1);
      AddRows<-1>(x, bottom + 1, bottom_);
      AddRows<1>(x, top, top_ - 1);
      AddRows<1>(x, bottom_ + 1, bottom);
    }
    x_ = x, top_ = top, bottom_ = bottom;
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

  // Pixels of rows first .. last of x's regions vote for their indices, or for kNoIndex, which stands before
  // the others.
  template <int kVotes>
  void AddRows(int x, int first, int last) {
    for (int v = first; v <= last; ++v)
      Add<kVotes>(v, x - arms_.left.Row(v)[x], x + arms_.right.Row(v)[x] + 1);
  }
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

  const ArmPlanes& arms_;
  HostImageView<const std::int16_t> index_;
  std::size_t size_;
  std::vector<std::uint16_t> votes_;
  std::vector<std::int16_t> sums_;
  int num_pixels_ = 0;
  int x_ = -1, top_ = 0, bottom_ = -1;
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
      // All of them, which is several at a time and sooner than up to the first that agrees.
      unsigned num_agreeing = 0;
      for (int d = begin; d < end; ++d) {
        const std::uint16_t other = winner_right[first + d];
        num_agreeing +=
            static_cast<std::uint16_t>(other - d + max_difference) <= 2 * max_difference && other != 0xFFFF;
      }
      if (num_agreeing > 0) fault = kMismatched;
    }
    validity[x] = static_cast<std::uint8_t>(validity[x] | fault);
    index[x] = kNoIndex;
  }
}

void VoteInRegions(const View& left, int num_disparities, const AdCensusParameters& parameters,
                   const IndexMap& map, ThreadPool& threads) {
  if (parameters.voting_iterations == 0) return;
  const auto index = AsConst(map.index);
  const auto is_elected = [&](int votes, int num_votes) {
    return num_votes > parameters.voting_min_votes && votes * 100 > num_votes * parameters.voting_min_percent;
  };
  NewVoters new_voters(index.width, index.height);
  Strips strips = FindGaps(index, threads);
  for (int round = 0; round < parameters.voting_iterations; ++round) {
    std::atomic<bool> any_found = false;
    ForStrips(strips, threads, [&](std::vector<Gap>& gaps) {
      Ballot ballot(left.arms, index, num_disparities);
      for (Gap& gap : gaps) {
        if (round > 0) {
          // Skips a gap that cannot win even if all new voters of its region agree.
          const int num_new = new_voters.NumOf(left.arms, gap.x, gap.y);
          gap.votes = static_cast<std::uint16_t>(gap.votes + num_new);
          gap.num_votes = static_cast<std::uint16_t>(gap.num_votes + num_new);
          if (num_new == 0 || !is_elected(gap.votes, gap.num_votes)) continue;
        }
        ballot.Count(gap.x, gap.y);
        const Ballot::Winner winner = ballot.Find();
        gap.votes = static_cast<std::uint16_t>(winner.votes);
        gap.num_votes = static_cast<std::uint16_t>(ballot.num_pixels() - winner.of_none);
        if (!is_elected(gap.votes, gap.num_votes)) continue;
        gap.found = static_cast<std::int16_t>(winner.index);
        any_found = true;
      }
    });
    if (!any_found) break;
    new_voters.Clear(threads);
    ForStrips(strips, threads, [&](std::vector<Gap>& gaps) {
      for (const Gap& gap : gaps) {
        if (gap.found == kNoIndex) continue;
        Fill(gap, map);
        new_voters.Mark(gap.x, gap.y);
      }
      std::erase_if(gaps, [](const Gap& gap) { return gap.found != kNoIndex; });
    });
    new_voters.Count(threads);
  }
}

void Interpolate(const View& left, const IndexMap& map, ThreadPool& threads) {
  const auto index = AsConst(map.index);
  Strips strips = FindGaps(index, threads);
  const std::ptrdiff_t row_step = index.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(std::int16_t));
  ForStrips(strips, threads, [&](std::vector<Gap>& gaps) {
    for (Gap& gap : gaps) {
      const int x = gap.x, y = gap.y;
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
          if (gap.found == kNoIndex || index(u, v) < gap.found) gap.found = index(u, v);
        } else if (const int distance = ColorDistance(left, x, y, u, v); distance < best_distance) {
          best_distance = distance;
          gap.found = index(u, v);
        }
      }
    }
  });
  ForStrips(strips, threads, [&](const std::vector<Gap>& gaps) {
    for (const Gap& gap : gaps) {
      if (gap.found != kNoIndex) Fill(gap, map);
    }
  });
}

}  // namespace parallax::cpu::ad_census
