#include "datasets/synthetic/random.h"

namespace parallax::synthetic {
namespace {

struct LatticeCell {
  std::uint32_t low;  // coordinate below, modulo 2^32
  double blend;       // weight of the coordinate above
};

LatticeCell Locate(double u) {
  const std::int64_t low = FloorToInteger(u);
  const double t = u - static_cast<double>(low);
  return {static_cast<std::uint32_t>(low), t * t * t * (t * (t * 6 - 15) + 10)};
}

double Blend(double a, double b, double t) { return a + (b - a) * t; }

double Bilinear(std::uint32_t hash, LatticeCell u, LatticeCell v) {
  const std::uint32_t left = MixLattice(hash, u.low);
  const std::uint32_t right = MixLattice(hash, u.low + 1);
  const double above =
      Blend(UnitInterval(MixLattice(left, v.low)), UnitInterval(MixLattice(right, v.low)), u.blend);
  const double below =
      Blend(UnitInterval(MixLattice(left, v.low + 1)), UnitInterval(MixLattice(right, v.low + 1)), u.blend);
  return Blend(above, below, v.blend);
}

}  // namespace

double ValueNoise(double u, double v, std::uint32_t seed) { return Bilinear(seed, Locate(u), Locate(v)); }

double ValueNoise(double u, double v, double w, std::uint32_t seed) {
  const LatticeCell cell_u = Locate(u), cell_v = Locate(v), cell_w = Locate(w);
  return Blend(Bilinear(MixLattice(seed, cell_w.low), cell_u, cell_v),
               Bilinear(MixLattice(seed, cell_w.low + 1), cell_u, cell_v), cell_w.blend);
}

double StandardNormal(std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (std::uint64_t word = 0; word < 3; ++word) {
    const std::uint64_t bits = DeriveSeed(seed, word);
    sum += (bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48);
  }
  return (static_cast<double>(sum) + 6) * 0x1p-16 - 6;  // each word stands for the middle of its 1/65536
}

}  // namespace parallax::synthetic
