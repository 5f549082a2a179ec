// The rules of the temporal filter as docs/sequences.md states them, in plain code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "pipeline/types/parameter_info.h"

namespace parallax::test {

// One pixel, with its whole history as a list.
class PlainTemporalPixel {
 public:
  explicit PlainTemporalPixel(LiveParameters parameters) : p_(parameters) {}
  float Next(float value) {
    const bool has_value = !std::isnan(value);
    float result = value;
    bool begins_anew = false;
    if (has_value) {
      begins_anew = !last_ || !(std::fabs(value - *last_) < static_cast<float>(p_.temporal_delta) / 32.0F);
      if (!begins_anew) result = p_.temporal_alpha * value + (1.0F - p_.temporal_alpha) * *last_;
    } else if (last_ && IsCredible()) {
      result = *last_;
    }
    if (begins_anew) had_value_.clear();
    had_value_.insert(had_value_.begin(), has_value);
    if (has_value) last_ = result;
    return result;
  }

 private:
  bool IsCredible() const {
    const auto count = [&](std::size_t of) {
      return std::count(had_value_.begin(),
                        had_value_.begin() + static_cast<std::ptrdiff_t>(std::min(of, had_value_.size())),
                        true);
    };
    switch (p_.persistence) {
      case Persistence::kOff:
        return false;
      case Persistence::k8Of8:
        return count(8) == 8;
      case Persistence::k2Of3:
        return count(3) >= 2;
      case Persistence::k2Of4:
        return count(4) >= 2;
      case Persistence::k2Of8:
        return count(8) >= 2;
      case Persistence::k1Of2:
        return count(2) >= 1;
      case Persistence::k1Of5:
        return count(5) >= 1;
      case Persistence::k1Of8:
        return count(8) >= 1;
      case Persistence::kAlways:
        return true;
    }
    return false;
  }

  LiveParameters p_;
  std::optional<float> last_;
  std::vector<bool> had_value_;  // the frame before this one first
};

}  // namespace parallax::test
