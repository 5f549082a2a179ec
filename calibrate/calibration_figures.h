// The names of a calibration's numbers. Needs no other library.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/stereo_calibration.h"

namespace parallax {

// "plumb_bob with 5 coefficients", "plumb_bob with 4 of 5 coefficients"
std::string TextOf(const LensChoice& lens);
// "plumb_bob", "rational", "fisheye"; nullopt for "auto". Throws InvalidArgument for another name.
std::optional<LensChoice> ParseLens(const std::string& name);

// Figures that go into rig.yaml.
std::vector<std::pair<std::string, double>> QualityOf(const StereoCalibration& calibration);
double OutlierPercent(const StereoCalibration& calibration);

struct RigParameter {
  std::string name;
  double value = 0, sigma = 0;  // in the unit that the name ends with
};
// The rig's numbers in the order of the covariance.
std::vector<RigParameter> RigParametersOf(const StereoCalibration& calibration);

}  // namespace parallax
