// The curve one cell at a time, and the keys of many cells at a time.
#include "pipeline/cloud/hilbert.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>

#include "pipeline/cloud/hilbert_index.h"

namespace parallax {
namespace {

TEST(HilbertIndex, LeadsThroughEveryCellToOneBesideIt) {
  constexpr int kBits = 3, kSize = 1 << kBits;
  std::map<std::uint64_t, std::array<int, 3>> cells;
  for (int i = 0; i < kSize * kSize * kSize; ++i) {
    const int x = i % kSize, y = i / kSize % kSize, z = i / (kSize * kSize);
    cells[HilbertIndex<kBits>(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                              static_cast<std::uint32_t>(z))] = {x, y, z};
  }
  ASSERT_EQ(cells.size(), 512U);
  EXPECT_EQ(cells.rbegin()->first, 511U);
  const std::array<int, 3>* before = nullptr;
  for (const auto& [place, cell] : cells) {
    if (before != nullptr) {
      int distance = 0;
      for (std::size_t k = 0; k < 3; ++k) distance += std::abs(cell[k] - (*before)[k]);
      EXPECT_EQ(distance, 1) << place;
    }
    before = &cell;
  }
}

TEST(HilbertKeys, AreThePlacesOfTheirCells) {
  constexpr int kCount = 64 * kHilbertBlock;
  alignas(64) static std::uint32_t x[kCount], y[kCount], z[kCount], keys[kCount];
  std::mt19937 random(1);
  for (int i = 0; i < kCount; ++i) {
    for (std::uint32_t* axis : {&x[i], &y[i], &z[i]})
      *axis = static_cast<std::uint32_t>(random()) % (1u << kHilbertBits);
  }
  HilbertKeys(x, y, z, kCount, keys);
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(keys[i], HilbertIndex<kHilbertBits>(x[i], y[i], z[i])) << i;
}

}  // namespace
}  // namespace parallax
