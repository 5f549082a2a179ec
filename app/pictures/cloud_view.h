// The viewpoint of a picture of a cloud.
#pragma once

#include <span>

#include "parallax/cloud.h"

namespace parallax::app {

// metres, camera frame (x right, y down, z forward).
struct CloudView {
  Point3f eye, target;
  Point3f up = {0, -1, 0};     // the direction that points upwards in the picture
  Point3f low, high;           // box of the cloud without its outliers
  float vertical_fov_deg = 0;  // opening angle of the picture, 10 .. 50
};

// A view that shows the bulk of the cloud: bounds are the 2nd and 98th percentile of each axis, and about 3 %
// of the points may lie outside the picture, so a few far points change nothing. A cloud in front of the
// camera (z > 0) is seen from slightly behind, above and to the side of the camera, another one from outside.
// The eye is where the cloud covers most of the picture. points: not empty; NaN and infinite ones are
// ignored. aspect: width / height of the picture.
CloudView FirstView(std::span<const Point3f> points, float aspect);

// Views straight down from above, and from the camera's right. Forward (z) points up in the view from above,
// and to the right in the side view; a wide picture of a long cloud shows it to the right in both.
CloudView BirdsEyeView(std::span<const Point3f> points, float aspect);
CloudView SideView(std::span<const Point3f> points, float aspect);

// Whether the scene has changed so much that `wanted` should replace the view `shown`.
bool IsOtherScene(const CloudView& shown, const CloudView& wanted);

}  // namespace parallax::app
