// Integer tables of the method AD-Census that the host computes once from the parameters, the same for every
// back end. Costs are in fixed point: kAdCensusUnit is the 1.0 of Mei et al. 2011.
#pragma once

#include <array>
#include <cstdint>

#include "pipeline/types/parameter_info.h"

namespace parallax {

inline constexpr int kAdCensusUnit = 512;
// A pixel with its two arms: 33 + 1 + 33. With costs below 960, the sum along them stays below 2^16.
inline constexpr int kMaxArmSpan_px = 67;
inline constexpr int kMaxAdCensusCost = 959;

struct AdCensusTables {
  // Robust costs rho(c, lambda) = 1 - exp(-c / lambda), by three times the difference of colours, and by the
  // number of differing census bits.
  std::array<std::uint16_t, 766> color_cost{};
  std::array<std::uint16_t, 65> census_cost{};
  std::uint16_t outside_cost = 0;  // of a pixel whose partner is outside the right image
  // Penalties of the scanlines by the number of images (0, 1, 2) whose colours change there.
  std::array<std::uint16_t, 3> p1{}, p2{};
};

// parameters must be valid.
AdCensusTables MakeAdCensusTables(const Parameters& parameters);

}  // namespace parallax
