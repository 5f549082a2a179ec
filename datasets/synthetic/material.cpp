#include "datasets/synthetic/material.h"

#include <algorithm>
#include <cmath>

#include "datasets/synthetic/random.h"

namespace parallax::synthetic {
namespace {

double SmoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

Color Mix(Color a, Color b, double t) {
  const auto mix = [t](float p, float q) { return static_cast<float>(p + (q - p) * t); };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

// Octaves are faded out as their cells approach the pixel: a cell below one pixel cannot be seen.
double Visibility(const SurfacePoint& p, double cell_m) {
  return SmoothStep(1.0, 2.2, cell_m / p.footprint_m);
}

// One octave about its mean.
double Octave(const SurfacePoint& p, double cell_m, std::uint32_t seed) {
  const double weight = Visibility(p, cell_m);
  if (weight == 0) return 0;
  const double scale = 1 / cell_m;
  const Vector3 q = scale * p.local_m;
  const double value = p.planar ? ValueNoise(q.x, q.y, seed) : ValueNoise(q.x, q.y, q.z, seed);
  return weight * (value - 0.5);
}

// Cells of one building's windows: what a pane looks like differs from pane to pane.
Color WindowColor(const SurfacePoint& p, double pitch_u_m, double pitch_v_m, std::uint32_t seed) {
  const std::int64_t column = FloorToInteger(p.local_m.x / pitch_u_m),
                     storey = FloorToInteger(p.local_m.y / pitch_v_m);
  const double fade =
      SmoothStep(1.0, 3.0, pitch_u_m / p.footprint_u_m) * SmoothStep(1.0, 3.0, pitch_v_m / p.footprint_v_m);
  const double pane = UnitInterval(
      MixLattice(MixLattice(seed, static_cast<std::uint32_t>(column)), static_cast<std::uint32_t>(storey)));
  const Color mean{62, 72, 84};
  return Mix(mean, Mix({22, 28, 36}, {150, 158, 160}, pane * pane), fade);
}

Color WithWindows(const Material& m, const SurfacePoint& p, Color wall) {
  constexpr double kPitchU = 2.2, kPitchV = 3.0;
  const double coverage = PulseCoverage(p.local_m.x, p.footprint_u_m, 0.55, 1.65, kPitchU) *
                          PulseCoverage(p.local_m.y, p.footprint_v_m, 0.8, 2.3, kPitchV);
  return coverage == 0 ? wall : Mix(wall, WindowColor(p, kPitchU, kPitchV, m.seed ^ p.face), coverage);
}

Color WithLaneMarks(const Material& m, const SurfacePoint& p, Color asphalt) {
  constexpr double kNever = 1e6;  // a pulse that comes once only
  const double u = p.local_m.x + kNever / 2;
  const auto band = [&](double low, double high) {
    return PulseCoverage(u, p.footprint_u_m, low + kNever / 2, high + kNever / 2, kNever);
  };
  Color color = asphalt;
  // The camera drives in the right lane, 1.8 m from the middle line.
  const double dashes = PulseCoverage(p.local_m.y, p.footprint_v_m, 0, 3, 9);
  const double marks = band(-1.86, -1.72) * dashes + band(1.72, 1.86) + band(-5.44, -5.30);
  if (marks != 0) {
    // Worn paint: the marks keep some of the asphalt's noise.
    const double wear = 0.75 + 0.5 * Octave(p, 0.12, m.seed ^ 0x51ED270Bu);
    color = Mix(color, {208, 208, 200}, std::min(1.0, marks) * wear);
  }
  const double kerbs = band(2.4, 2.6) + band(-6.2, -6.0);
  color = Mix(color, {158, 154, 148}, std::min(1.0, kerbs));
  const double pavements = std::min(1.0, band(2.6, 5.6) + band(-9.2, -6.2));
  if (pavements != 0) {
    const double slabs = PulseCoverage(p.local_m.y, p.footprint_v_m, 0, 0.03, 0.8);  // joints of the paving
    const double tone =
        Octave(p, 1.6, m.seed ^ 0x2545F491u) + Octave(p, 0.2, m.seed ^ 0x7F4A7C15u) - 0.6 * slabs;
    const auto slab = static_cast<float>(136 + 70 * tone);
    color = Mix(color, {slab, slab - 4, slab - 12}, pavements);
  }
  const double lawns = std::min(1.0, band(5.6, 4e5) + band(-4e5, -9.2));
  if (lawns == 0) return color;
  const double grass = 0.5 + Octave(p, 3, m.seed ^ 0xA511E9B3u) + Octave(p, 0.3, m.seed ^ 0x63D83595u) +
                       Octave(p, 0.08, m.seed ^ 0x9E3779B1u);
  return Mix(color, Mix({38, 58, 26}, {128, 150, 84}, std::clamp(grass, 0.0, 1.0)), lawns);
}

}  // namespace

double PulseCoverage(double u, double width, double low, double high, double pitch) {
  const double mean = (high - low) / pitch;
  const double fade = SmoothStep(1.0, 2.0, pitch / width);
  if (fade == 0) return mean;
  const double at = u - pitch * static_cast<double>(FloorToInteger(u / pitch));
  const auto covered = [&](double a, double b) {
    return std::max(0.0, std::min(b, at + width / 2) - std::max(a, at - width / 2));
  };
  // The pulses of the neighbouring periods reach into the interval too.
  const double sum =
      covered(low - pitch, high - pitch) + covered(low, high) + covered(low + pitch, high + pitch);
  return mean + (std::min(1.0, sum / width) - mean) * fade;
}

Color ColorAt(const Material& m, const SurfacePoint& p) {
  const std::uint32_t seed = MixLattice(m.seed, p.face);
  // A slow wave varies the strength of the texture and tints the colour.
  const double region = Octave(p, m.cell_m * 1.7, seed ^ 0x68E31DA4u);
  const double strength = 0.1 + 0.9 * SmoothStep(-0.12, 0.12, region + 0.36 * (0.5 - m.weak_share));
  double sum = 0, amplitude = 1, power = 0, cell_m = m.cell_m;
  for (int octave = 0; octave < m.num_octaves; ++octave) {
    const double visible = amplitude * Visibility(p, cell_m);
    if (visible == 0) break;  // as are all finer ones
    sum += amplitude * Octave(p, cell_m, seed + 0x9E3779B1u * static_cast<std::uint32_t>(octave + 1));
    power += visible * visible;
    amplitude *= m.persistence;
    cell_m *= 0.5;
  }
  const double noise = sum / std::sqrt(std::max(1.0, power));  // as strong far away as nearby
  const double swing = m.contrast * strength * noise;
  // Bent towards the ends instead of cut off there: bright and dark places keep their detail.
  Color color = Mix(m.dark, m.light, 0.5 + swing / std::sqrt(1 + 4 * swing * swing));
  color.r += static_cast<float>(24 * region);
  color.b -= static_cast<float>(24 * region);
  switch (m.pattern) {
    case Pattern::kNone:
      break;
    case Pattern::kWindows:
      color = WithWindows(m, p, color);
      break;
    case Pattern::kRoad:
      color = WithLaneMarks(m, p, color);
      break;
    case Pattern::kStripes: {
      const double pitch = m.pattern_pitch_m;
      color = Mix(color, m.dark, 0.7 * PulseCoverage(p.local_m.x, p.footprint_u_m, 0, pitch / 2, pitch));
      break;
    }
  }
  return color;
}

}  // namespace parallax::synthetic
