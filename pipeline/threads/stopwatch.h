// The time since construction.
#pragma once

#include <chrono>

namespace parallax {

class Stopwatch {
 public:
  double ms() const { return Since<std::milli>(); }
  double s() const { return Since<std::ratio<1>>(); }

 private:
  using Clock = std::chrono::steady_clock;
  template <typename Unit>
  double Since() const {
    return std::chrono::duration<double, Unit>(Clock::now() - start_).count();
  }
  Clock::time_point start_ = Clock::now();
};

}  // namespace parallax
