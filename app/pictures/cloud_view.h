// The viewpoint of a picture of a cloud.
#pragma once

#include <span>

#include "parallax/cloud.h"

namespace parallax::app {

// metres, camera frame (x right, y down, z forward).
struct CloudView {
  Point3f eye, target;
  Point3f up = {0, -1, 0};     // what points upwards in the picture
  Point3f low, high;           // box of the cloud without its outliers
  float vertical_fov_deg = 0;  // opening angle of the picture, 10 .. 50
};

// A view that shows the body of the cloud: bounds are the 2nd and 98th percentile of each axis, and some 3 %
// of the points may lie outside the picture, so that a few far points change nothing. A cloud in front of the
// camera (z > 0) is seen from a little behind, above and beside the camera, another one from outside; of
// several places the one from where the cloud covers most of the picture. points: not empty; NaN and infinite
// ones are passed over. aspect: width / height of the picture.
CloudView FirstView(std::span<const Point3f> points, float aspect);

// Straight from above, and from the camera's right. What lies ahead of the camera is upwards in the picture
// from above, but in a wide one of a long cloud to the right, as it is in the picture from the side.
CloudView BirdsEyeView(std::span<const Point3f> points, float aspect);
CloudView SideView(std::span<const Point3f> points, float aspect);

// Whether someone who looks at `shown` would rather have `wanted`: the scene is another one.
bool IsOtherScene(const CloudView& shown, const CloudView& wanted);

}  // namespace parallax::app
