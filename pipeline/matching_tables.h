// Integers that the stages need and that the host makes once from the parameters, the same for every back
// end.
#pragma once

#include <array>
#include <cstdint>

#include "pipeline/parameters.h"

namespace parallax {

struct MatchingTables {
  int num_paths = 0;
  int census_bits = 0;            // largest matching cost
  std::uint8_t outside_cost = 0;  // of a pixel whose partner lies outside the right image
  std::uint16_t p1 = 0;
  std::array<std::uint16_t, 256> p2{};  // by |guide(p) - guide(q)|
  std::uint16_t largest_p2 = 0;         // over the table
};

// Bits of one census code: 24, 48, 62 or 31.
int NumCensusBits(CensusWindow window);

// parameters must be valid.
MatchingTables MakeMatchingTables(const Parameters& parameters);

}  // namespace parallax
