// Smoothing over frames, and values for pixels that occasionally lack one.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Whether a pixel without a value takes its last value. persistence: "2/8" = it does if it had a value in at
// least 2 of the last 8 frames. history: bit i = it had a value i + 1 frames ago.
bool IsPersistent(Persistence persistence, std::uint8_t history);

// The temporal filter of depth cameras. It keeps the last value and eight bits of history of every pixel.
// - A pixel whose value differs from the last one by less than delta / 32 px becomes
//   alpha * value + (1 - alpha) * last value.
// - One that differs by more stays, and its history starts anew.
// - One without a value takes the last value if its history allows it.
// The history is read before this frame enters it. Frames must come in order. A frame of another size, or
// other parameters, start anew.
class TemporalFilter {
 public:
  // Filters the next frame's map in place. map: px, NaN = no value. validity: of the map's size; pixels that
  // take their last value get kFilled.
  void Apply(const LiveParameters& parameters, HostImage<float>& map, HostImage<std::uint8_t>& validity,
             ThreadPool& threads);

 private:
  LiveParameters parameters_;
  HostImage<float> last_;  // NaN = none yet
  HostImage<std::uint8_t> history_;
};

}  // namespace parallax
