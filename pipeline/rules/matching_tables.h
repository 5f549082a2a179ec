// Integer tables for the stages that the host computes once from the parameters, the same for every back end.
#pragma once

#include <array>
#include <cstdint>

#include "pipeline/rules/cost_weights.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

struct MatchingTables {
  int num_paths = 0;
  int census_bits = 0;
  int largest_cost = 0;           // census_bits and the largest gradient term; below 128
  std::uint8_t outside_cost = 0;  // of a pixel whose partner is outside the right image
  // The cost of the gradient term by the difference of the gradients; 15 also stands for larger ones.
  bool has_gradient = false;
  std::array<std::uint8_t, 16> gradient_cost{};
  WeightRule weights;
  std::uint16_t p1 = 0;
  std::uint16_t p1_ground = 0;                   // of columns, for ground steps
  std::array<std::uint16_t, 256> p2{};           // by |guide(p) - guide(q)|
  std::array<std::uint16_t, 256> p2_vertical{};  // of columns
  // The largest entries of p2 and p2_vertical.
  std::uint16_t largest_p2 = 0, largest_p2_vertical = 0;
};

// Bits of one census code: 24, 48, 62, 31 or 64.
int NumCensusBits(CensusWindow window);
// Whether a window also compares pixels of the smoothed image.
constexpr bool HasTwoScales(CensusWindow window) {
  return window == CensusWindow::kTwoScale || window == CensusWindow::kCenterSymmetricTwoScale;
}

// parameters must be valid.
MatchingTables MakeMatchingTables(const Parameters& parameters);

}  // namespace parallax
