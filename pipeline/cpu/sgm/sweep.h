// One sweep over the image: path costs along four (or two) directions at the same time, with the matching
// cost computed on the fly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/cpu/sgm/striping.h"
#include "pipeline/rules/cost_weights.h"

namespace parallax::cpu {

// The form of path costs and their sums; the narrowest that holds them is chosen.
enum class PathCosts {
  kPairs8,      // 8-bit costs; two paths' costs L fit in 8 bits together
  kStepPairs8,  // 8-bit costs; two paths' t = L - C fit in 8 bits together
  kWide8,       // 8-bit costs, 16-bit sums of t
  kWide16,      // 16-bit costs and sums of t
};

// The terms of costs and penalties.
enum class SweepTerms {
  kBasic,  // Hamming distances, one P1, one table of P2
  kAll,    // also the gradient term, P1 for ground and P2 of columns
};

constexpr bool ArePairs(PathCosts costs) {
  return costs == PathCosts::kPairs8 || costs == PathCosts::kStepPairs8;
}
// True if the volume has costs as well as sums: the last sweep need not compute them again. With 4 paths they double
// the volume, so they are kept only if costs are expensive (see VectorTraits).
constexpr bool KeepsCosts(PathCosts costs, int num_paths, bool costs_are_expensive) {
  return ArePairs(costs) && (num_paths == 8 || costs_are_expensive);
}
// Bytes of the volume for a cell.
constexpr int VolumeCellBytes(PathCosts costs, int num_paths, bool costs_are_expensive) {
  return ArePairs(costs) && !KeepsCosts(costs, num_paths, costs_are_expensive) ? 1 : 2;
}

// Everything a sweep reads and writes. In its own coordinates (u, v) a sweep moves right and down and follows
// the paths from (u - 1, v), (u, v - 1), (u - 1, v - 1) and (u + 1, v - 1); the mirrored one has x = W - 1 -
// u, y = H - 1 - v and follows the four opposite paths.
//
// Eq. 13 of Hirschmueller 2008 reads t = min(N(d), N(d -+ 1) + P1, P2), L = C + t, where N = L - min L at the
// pixel before. L = 0 before the border gives L = C there. The sum over the paths is the sum of L, or paths *
// C + the sum of t <= P2: sweeps keep sums of either.
struct SweepView {
  int width = 0, height = 0;
  Striping striping;

  // Planes (see CensusPlanes): pixel x of a left row at x * num_planes.
  const std::uint8_t* left = nullptr;
  std::ptrdiff_t left_stride = 0;
  const std::uint8_t* right = nullptr;  // PhasedRow of num_planes
  std::ptrdiff_t right_stride = 0;
  const std::int32_t* right_start = nullptr;
  int phase_length = 0;
  int num_planes = 0;
  int num_code_planes = 0;                // those of the census codes are first
  const std::uint8_t* outside = nullptr;  // one PhasedRow, 255 for right pixels outside the image
  int min_disparity = 0;
  std::uint8_t outside_cost = 0;
  const std::uint8_t* pad = nullptr;     // 255 in the lanes without a disparity; null if there are none
  const std::uint16_t* pad16 = nullptr;  // the same for 16-bit values

  // The gradient term by the difference, 16 entries; used by SweepTerms::kAll.
  const std::uint8_t* gradient_cost = nullptr;
  // Weights of the tiles of the left image (see CostWeights); null if all costs count whole.
  const std::uint16_t* weights = nullptr;
  std::ptrdiff_t weights_stride = 0;
  std::uint16_t p1 = 0, p1_ground = 0;
  std::uint16_t largest_p2 = 0;
  const std::uint16_t* p2 = nullptr;  // 256, by the difference of the guide; null when constant (kBasic)
  const std::uint16_t* p2_vertical = nullptr;
  // If every P2 is below 256: those of p2 and, 256 further, of p2_vertical; all entries after num_p2, a
  // multiple of 16, equal the last one.
  const std::uint8_t* p2_bytes = nullptr;
  int num_p2 = 0;
  const std::uint8_t* guide = nullptr;
  std::ptrdiff_t guide_stride = 0;

  // L of the paths from above, and a vector of its minimum, each in a slot that the path keeps along its way,
  // all 0 at first: (u) for the vertical, (u - v + H - 1) and (u + v) for the diagonal paths.
  std::uint8_t* vertical = nullptr;
  std::uint8_t* diagonal = nullptr;
  std::uint8_t* antidiagonal = nullptr;
  // The same for the horizontal path at the end of a finished part of row v, in slot v.
  std::uint8_t* horizontal = nullptr;
  std::ptrdiff_t slot_bytes = 0;

  // Sums of the first sweep, [y][x][volume_pixel_bytes]; row y at (y - volume_top). Null: not kept. If it
  // KeepsCosts, a pixel's vectors of C | 128 h, then those of l; 256 h + l is the sum of t, plus 2 C with
  // pairs of L. With 4 paths h is 0.
  std::uint8_t* volume = nullptr;
  std::ptrdiff_t volume_pixel_bytes = 0;
  std::ptrdiff_t volume_row_bytes = 0;
  int volume_top = 0;

  // Twice the disparity of each place among the 16-bit values (see Striping::At16); null unless the last
  // sweep gives keys (see GivesKeys).
  const std::uint16_t* doubled_disparity = nullptr;
};

// A cost and its disparity in 16 bits, cost << kKeyBits | d: the lower of two keys has the lower cost or, for
// equal costs, the lower d.
inline constexpr int kKeyBits = 7;
// True if the last sweep gives keys instead of costs: their sums over four paths are at most 508 if those
// over two fit in a byte, and no key has all its bits set.
constexpr bool GivesKeys(PathCosts costs, int num_paths, int num_disparities) {
  return costs == PathCosts::kPairs8 && num_paths == 4 && num_disparities <= 1 << kKeyBits;
}

// Pixels u_begin .. u_end of row v; may be empty. sums: of the last sweep, room for their costs.
struct SweepPart {
  int v = 0, u_begin = 0, u_end = 0;
  std::uint16_t* sums = nullptr;
  std::ptrdiff_t ahead_bytes = 0;  // in the volume, from a pixel to the one to prefetch
};

// Sweeps parts of two rows, the second below the first and shifted left by at least a pixel unless it is at
// the image's border. The first sweep, which is mirrored, writes its sums to the volume. The last one adds
// its own and stores the aggregated costs S of pixel u, or their keys, at sums + (u - u_begin) *
// striping.Padded().
using SweepFunction = void (*)(const SweepView& view, const SweepPart parts[2]);

inline constexpr int kMostTileColumns = 64;  // most pixels in a part

// Chooses a sweep among those of the same path costs. stripes and num_code_planes: for sweeps with unrolled loops.
struct SweepChoice {
  SweepTerms terms = SweepTerms::kBasic;
  int num_paths = 0;
  bool last = false;
  int stripes = 0, num_code_planes = 0;
};
// The best one on this machine (or with the instruction set that a test chose).
SweepFunction GetPairs8Sweep(const SweepChoice& choice);  // of SweepTerms::kBasic
SweepFunction GetPairs8SweepOfAllTerms(const SweepChoice& choice);
SweepFunction GetStepPairs8Sweep(const SweepChoice& choice);  // of SweepTerms::kBasic
SweepFunction GetStepPairs8SweepOfAllTerms(const SweepChoice& choice);
SweepFunction GetWide8Sweep(const SweepChoice& choice);
SweepFunction GetWide16Sweep(const SweepChoice& choice);

// Depends on the instruction set in use.
struct VectorTraits {
  int lanes = 0;                     // bytes of a vector
  int plane_bits = 0;                // bits of a plane of the census codes
  bool costs_are_expensive = false;  // matching costs take longer than reading them from memory
};
VectorTraits GetVectorTraits();

}  // namespace parallax::cpu
