// Tests whether one run is significantly better than another over the same frames.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace parallax::app {

struct SignTest {
  std::size_t num_better = 0, num_worse = 0,
              num_equal = 0;   // frames of b against a; lower figures are better
  double mean_difference = 0;  // of b - a; NaN without frames
  // The probability of a result at least as uneven if both were equally likely: the two-sided binomial test
  // over the frames that differ; 1 without frames.
  double p = 1;
};

// Figures of the same frames, in the same order. Throws InvalidArgument if the numbers differ.
SignTest TestSigns(std::span<const double> a, std::span<const double> b);

// "0.250"; "< 0.001" if p is smaller than that.
std::string TextOfP(double p);

}  // namespace parallax::app
