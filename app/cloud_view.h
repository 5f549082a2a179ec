// From where to look at a cloud first.
#pragma once

#include <span>

#include "pipeline/cloud.h"

namespace parallax::app {

// metres, camera frame (x right, y down, z forward); up is always -y.
struct CloudView {
  Point3f eye, target;
  Point3f low, high;  // box of the cloud without its outliers
};

// A view that shows the body of the cloud: bounds are the 2nd and 98th percentile of each axis, so that a few
// far points change nothing. A cloud in front of the camera (z > 0) is seen from near the camera, a little
// from above and the right, as far back as 95 % of the points need to be in the picture; another one from
// outside. points: not empty; NaN and infinite ones are passed over. aspect: width / height of the picture.
CloudView FirstView(std::span<const Point3f> points, float vertical_fov_deg, float aspect);

}  // namespace parallax::app
