// Pairs of pictures of two cameras, by the times at which they were taken.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>

#include "datasets/live/live_device.h"

namespace parallax {

struct PicturePair {
  LivePicture left, right;
};

class PairMaker {
 public:
  // tolerance_s: the largest difference of the times of a pair; 0 = half the time between the pictures of
  // the faster camera, the median of its last ones.
  explicit PairMaker(double tolerance_s) : fixed_tolerance_s_(tolerance_s) {}

  // Adds a picture of side 0 or 1 and gives the pair that it makes: with the one of the other side that is
  // nearest in time, if that is near enough. Pictures older than those of a pair find no partner any more.
  std::optional<PicturePair> Add(LivePicture picture);
  // The camera of a side has stopped: what waits there finds no partner, and its clock may begin anew.
  void Forget(int side);

  // Pictures of each side that found no partner, and all that came.
  const std::array<std::size_t, 2>& num_unpaired() const { return num_unpaired_; }
  const std::array<std::size_t, 2>& num_seen() const { return num_seen_; }
  // The tolerance in force; nullopt as long as the time between pictures is not known.
  std::optional<double> tolerance_s() const;
  // Between pictures of a side, the median of the last ones; 0 = not known.
  double interval_s(int side) const;
  // Right less left time of the two pictures that came nearest to being a pair since the last one; nullopt
  // where one side gave none.
  std::optional<double> nearest_s() const;

 private:
  struct Side {
    std::deque<LivePicture> waiting;  // the oldest first
    std::deque<double> intervals_s;   // the last ones
    std::optional<double> last_s;
  };
  void DropFirst(int side);

  const double fixed_tolerance_s_;
  std::array<Side, 2> sides_;
  std::array<std::size_t, 2> num_unpaired_{}, num_seen_{};
  double nearest_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace parallax
