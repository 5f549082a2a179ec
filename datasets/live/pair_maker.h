// Pairs of pictures from two cameras, by capture time.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "datasets/live/live_device.h"

namespace parallax {

struct PicturePair {
  LivePicture left, right;
};

class PairMaker {
 public:
  // tolerance_s: the largest difference of the times of a pair; 0 = half the time between the pictures of
  // the faster camera, the median of its last ones.
  explicit PairMaker(double tolerance_s);

  // Adds a picture of side 0 or 1 and returns the pair that it completes: with the nearest picture of the
  // other side in time, if that is near enough. Pictures older than a pair find no partner any more.
  std::optional<PicturePair> Add(LivePicture picture);
  // Called when the camera of a side has stopped: its waiting pictures find no partner, and its clock may
  // start anew.
  void Forget(int side);

  // Pictures of each side without a partner, and all pictures.
  const std::array<std::size_t, 2>& num_unpaired() const { return num_unpaired_; }
  const std::array<std::size_t, 2>& num_seen() const { return num_seen_; }
  // The tolerance in use; nullopt as long as the time between pictures is unknown.
  std::optional<double> tolerance_s() const;
  // Time between pictures of a side, the median of the last ones; 0 = unknown.
  double interval_s(int side) const;
  // Right minus left time of the two pictures that were nearest to a pair since the last pair; nullopt if one
  // side gave none.
  std::optional<double> nearest_s() const;

 private:
  struct Side {
    std::vector<LivePicture> waiting;  // the oldest first
    std::vector<double> intervals_s;   // the last ones
    std::optional<double> last_s;
  };
  void DropFirst(int side);

  const double fixed_tolerance_s_;
  std::array<Side, 2> sides_;
  std::array<std::size_t, 2> num_unpaired_{}, num_seen_{};
  double nearest_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace parallax
