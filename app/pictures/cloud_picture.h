// Pictures of clouds whose points carry a value: density, error, distance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/pictures/value_scale.h"
#include "parallax/cloud.h"
#include "parallax/image.h"

namespace parallax::app {

struct CloudPictureOptions {
  std::string title;             // one line above the cloud
  std::string no_value_meaning;  // what gray points are, where there are such; "not reached"
  int width_px = 1280, height_px = 800;
  std::span<const float>
      spacing_m;  // distance to the neighbours of every point, or empty: how large it is drawn
  std::vector<std::vector<Point3f>> lines;  // drawn over the points, e.g. paths
};

// The cloud as FirstView (cloud_view.h) sees it, every point a disc that covers its part of the surface, the
// nearest in front; below it the scale. points and values: the same number, at least one point finite.
HostImage<Rgb8> CloudPicture(std::span<const Point3f> points, std::span<const float> values,
                             const ValueScale& scale, const CloudPictureOptions& options);

}  // namespace parallax::app
