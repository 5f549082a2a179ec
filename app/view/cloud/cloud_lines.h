// Lines and numbers drawn with the points: the camera, a grid on the ground.
#pragma once

#include <string>
#include <vector>

#include "app/view/cloud/ground.h"
#include "parallax/cloud.h"
#include "parallax/rig.h"

namespace parallax::app {

struct CloudLine {
  Point3f from, to;
};
struct CloudText {
  Point3f at;
  std::string text;
};
struct CloudLines {
  std::vector<CloudLine> lines;
  std::vector<CloudText> texts;
};

// The left camera's viewing pyramid up to length_m, and the second camera's position.
CloudLines FrustumLines(const StereoRig& rig, int width, int height, float length_m);

// Squares of a round number of metres on the ground, over the box from low to high (of x and z), and metres
// ahead and aside at its lines: at most 40 lines each way. low.z is taken as 0 where the box lies in front of
// the camera.
CloudLines GridLines(const Ground& ground, Point3f low, Point3f high);
// The width of those squares, m.
float GridStep(Point3f low, Point3f high);

}  // namespace parallax::app
