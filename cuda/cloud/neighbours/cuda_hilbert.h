// Places on Hilbert's curve through a grid of 2^b x 2^b x 2^b cells, by a table of states. Neighbours on the
// curve are neighbours in space, so boxes are tighter than in Morton order.
//
// Hamilton & Rau-Chaplin 2008, "Compact Hilbert indices": a state is the corner where the curve enters a cube
// and the axis along which it leaves it.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax::cuda {

inline constexpr int kHilbertStates = 24;

struct HilbertTable {
  // [state * 8 + octant]: next state * 8 + place of the octant on the curve. Octant: x + 2 y + 4 z.
  std::uint8_t next[kHilbertStates * 8] = {};
};

constexpr HilbertTable MakeHilbertTable() {
  HilbertTable table;
  const auto gray = [](unsigned i) { return i ^ (i >> 1); };
  const auto rotate_left = [](unsigned bits, unsigned by) {
    return by % 3 == 0 ? bits : ((bits << (by % 3)) | (bits >> (3 - by % 3))) & 7u;
  };
  const auto trailing_ones = [](unsigned i) {
    unsigned count = 0;
    for (; (i & 1u) != 0; i >>= 1) ++count;
    return count;
  };
  for (unsigned entry = 0; entry < 8; ++entry) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (unsigned place = 0; place < 8; ++place) {
        const unsigned octant = rotate_left(gray(place), axis + 1) ^ entry;
        const unsigned corner = place == 0 ? 0 : gray(2 * ((place - 1) / 2));
        const unsigned turn = place == 0       ? 0
                              : place % 2 == 0 ? trailing_ones(place - 1) % 3
                                               : trailing_ones(place) % 3;
        const unsigned next_entry = entry ^ rotate_left(corner, axis + 1);
        const unsigned next_axis = (axis + turn + 1) % 3;
        table.next[(entry * 3 + axis) * 8 + octant] =
            static_cast<std::uint8_t>((next_entry * 3 + next_axis) * 8 + place);
      }
    }
  }
  return table;
}

// Two steps in one: element [state * 64 + x + 4 y + 16 z], with x, y and z of two bits, is next state * 64 +
// place.
struct HilbertPairTable {
  std::uint16_t next[kHilbertStates * 64] = {};
};

constexpr HilbertPairTable MakeHilbertPairTable() {
  const HilbertTable single = MakeHilbertTable();
  HilbertPairTable table;
  for (unsigned state = 0; state < kHilbertStates; ++state) {
    for (unsigned cell = 0; cell < 64; ++cell) {
      const unsigned x = cell & 3u, y = cell >> 2 & 3u, z = cell >> 4;
      const unsigned first = single.next[state * 8 + (x >> 1 | (y >> 1) << 1 | (z >> 1) << 2)];
      const unsigned second = single.next[(first >> 3) * 8 + ((x & 1u) | (y & 1u) << 1 | (z & 1u) << 2)];
      table.next[state * 64 + cell] =
          static_cast<std::uint16_t>((second >> 3) * 64 + (first & 7u) * 8 + (second & 7u));
    }
  }
  return table;
}

// Place of cell (x, y, z), each below 2^bits, bits at most 21; next: HilbertPairTable::next.
PARALLAX_HOST_DEVICE constexpr std::uint64_t HilbertPlace(std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                                          int bits, const std::uint16_t* next) {
  std::uint64_t place = 0;
  unsigned state = 0;
  for (int shift = (bits - 1) / 2 * 2; shift >= 0; shift -= 2) {  // a leading zero where bits are odd
    const unsigned cell = (x >> shift & 3u) | (y >> shift & 3u) << 2 | (z >> shift & 3u) << 4;
    const unsigned found = next[state * 64 + cell];
    place = place << 6 | (found & 63u);
    state = found >> 6;
  }
  return place;
}

}  // namespace parallax::cuda
