// Matches many pairs, several at the same time, for throughput rather than for the latency of one pair.
//
//   parallax::PairQueue queue("kitti");
//   for (const Pair& pair : pairs) {
//     while (queue.IsFull()) Use(queue.Collect());
//     queue.Submit(pair.left, pair.right);
//   }
//   while (queue.in_flight() > 0) Use(queue.Collect());
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "parallax/matcher.h"

namespace parallax {

// Results come out in the order of the pairs. Not thread-safe.
class PairQueue {
 public:
  // num_in_flight: pairs matched at the same time; 0 = the number with the highest throughput. The other
  // arguments and errors are those of Matcher. The back end reference matches one pair at a time: with more,
  // the first Submit throws InvalidArgument.
  explicit PairQueue(const std::string& preset_or_file = "default", const Machine& machine = {},
                     int num_in_flight = 0);
  explicit PairQueue(const Parameters& parameters, const Machine& machine = {}, int num_in_flight = 0,
                     const std::string& sigma_preset = "default");
  ~PairQueue();
  PairQueue(PairQueue&&) noexcept;
  PairQueue& operator=(PairQueue&&) noexcept;

  // Submits a pair, whose pixels are copied before this returns. A full queue waits for its oldest pair and
  // keeps the result for Collect. Throws what Matcher::Compute throws, and what the oldest pair's matching
  // threw.
  void Submit(const CameraImageView& left, const CameraImageView& right);
  void Submit(const CameraImageView& left, const CameraImageView& right, const Rig& rig);
  // Waits for the oldest pair. Throws Error if none is in flight, and what its matching threw.
  MatchResult Collect();
  // Whether Submit would wait.
  bool IsFull() const;
  std::size_t in_flight() const;  // submitted and not collected

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace parallax
