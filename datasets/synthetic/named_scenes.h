// The scenes by name.
#pragma once

#include "datasets/synthetic/random.h"
#include "datasets/synthetic/scene.h"
#include "datasets/synthetic/spec.h"

namespace parallax::synthetic {

inline constexpr double kFramePeriod_s = 0.1;

// The scene of one frame (0 ...): planes, slanted, spheres, boxes and drive; for shift the visible plane. The
// same spec and frame give the same scene.
Scene BuildScene(const SyntheticSpec& spec, int frame);

// BuildScene for the scene drive.
Scene BuildDrive(const SyntheticSpec& spec, int frame);  // drive_scene.cpp
// Noise with random colours; cell_m: of the coarsest octave.
Material RandomMaterial(Random& random, double cell_m);

}  // namespace parallax::synthetic
