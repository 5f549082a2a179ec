// The look of a surface: multi-octave value noise and a few regular patterns, as functions of the place on
// the surface. The left and the right camera see the same value at the same place.
#pragma once

#include <cstdint>

#include "pipeline/calibration/vectors.h"

namespace parallax::synthetic {

// Red, green, blue in 8-bit gray levels, not rounded.
struct Color {
  float r = 0, g = 0, b = 0;
};

enum class Pattern {
  kNone,
  kWindows,  // a grid of windows, a storey every 3 m
  kRoad,     // asphalt with lane marks, between kerbs and pavements; u across, v along the road
  kStripes,  // repeats across u, which makes matching ambiguous
};

struct Material {
  Color dark, light;          // colours at the noise's lowest and highest value
  double cell_m = 1;          // lattice cell of the coarsest octave; each further octave halves it
  int num_octaves = 6;        // 1..16
  double persistence = 0.85;  // amplitude of an octave relative to the one before, > 0
  double contrast = 1.5;      // deviation of the noise from its mean; 0 = one colour
  double weak_share = 0.2;    // share (roughly) of the surface on which the texture almost vanishes, 0..1
  Pattern pattern = Pattern::kNone;
  double pattern_pitch_m = 1;  // of kStripes
  std::uint32_t seed = 0;
};

// The place where a surface is seen.
struct SurfacePoint {
  Vector3 local_m;         // in the frame of the object; (x, y) are the surface coordinates if planar
  bool planar = true;      // false: the texture is solid, cut out of three-dimensional noise
  std::uint32_t face = 0;  // tells the faces of one object apart
  // Extent of one pixel on the surface: the longest side, and along the surface coordinates.
  double footprint_m = 0, footprint_u_m = 0, footprint_v_m = 0;
};

// The colour there. Detail finer than the pixel is faded out and so cannot alias.
Color ColorAt(const Material& material, const SurfacePoint& point);

// Share of the interval [u - width/2, u + width/2] covered by pulses [low, high] repeating every pitch.
double PulseCoverage(double u, double width, double low, double high, double pitch);

}  // namespace parallax::synthetic
