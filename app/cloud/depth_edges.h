// Bins of depth for tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "parallax/cloud.h"

namespace parallax::app {

// Ascending edges of four to nine bins; the ends are infinite. The inner edges are round numbers between the
// 1st and the 99th percentile of the depths z. Empty where all depths are about the same.
std::vector<double> RoundDepthEdges(std::span<const Point3f> points);

// "10 to 20", "below 10", "80 and more".
std::string DepthText(double from_m, double to_m);

}  // namespace parallax::app
