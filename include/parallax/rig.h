// The geometry of a stereo camera, and the rig in a calibration file.
//
//   const auto rig = parallax::Rig::Load("rig.yaml");      // or "left.yaml,right.yaml", ...
//   const parallax::RectifiedPair pair = rig.Rectify(left, right);
//   pair.rig.baseline_m                                          // of the rectified pair
#pragma once

#include <memory>
#include <string>

#include "parallax/image.h"

namespace parallax {

struct RawRig;
struct SeenPixelsOfPair;

// Rectified pinhole pair: both cameras share focal length and rows; x_right = x_left - disparity.
// Depth of a pixel: Z = fx * baseline / (disparity + doffs); X = (x - cx) Z / fx; Y = (y - cy) Z / fx.
// Camera frame of the left camera: x to the right, y down, z forward, in metres.
struct StereoRig {
  double fx_px = 0;  // focal length of both cameras (square pixels)
  double cx_px = 0;  // principal point of the LEFT camera
  double cy_px = 0;
  double baseline_m = 0;  // distance between the cameras, > 0
  double doffs_px = 0;    // cx_right - cx_left (Middlebury's doffs; 0 for KITTI)
};

struct RectificationOptions {
  int width_px = 0, height_px = 0;  // of the rectified images, 16 .. 16384; 0 = as the cameras'
  // 1 = the largest view without pixels that no camera saw; less (from 0.1) shows more, with masked borders;
  // more (to 10) shows a smaller part, larger. 0 = everything that either camera saw.
  double zoom = 1;
};

// A pair whose rows correspond.
struct RectifiedPair {
  CameraImage left, right;  // of one size, of the pixel type of the raw images
  StereoRig rig{};
  std::shared_ptr<const SeenPixelsOfPair> seen{};  // the pixels that the cameras saw; others are
                                                   // borders, where Matcher removes values
};

// Two cameras as a calibration file describes them: raw cameras, whose images must be rectified, or a
// rectified pair, or both. Copies are cheap and share the rectification tables. Thread-safe.
class Rig {
 public:
  // name: a calibration file of parallax, OpenCV, ROS, Kalibr, mrcal, KITTI, EuRoC or Middlebury (the content
  // tells which), two files "LEFT,RIGHT", or EuRoC's folder mav0; docs/calibration.md. Throws Error naming
  // the file, the value and the remedy.
  static Rig Load(const std::string& name, const RectificationOptions& options = {});
  // An already rectified pair.
  Rig(const StereoRig& rectified);

  // Whether images of this size, px, are raw for this rig. If a file has raw cameras and a rectified pair,
  // the size decides.
  bool IsRaw(int width, int height) const;
  // The geometry of the rectified pair for images of this size, px. Throws Error if the rig has another size,
  // InvalidArgument with the reason (left and right exchanged, ...) if no rectification is possible.
  StereoRig Rectified(int width, int height) const;
  // Rectifies a raw pair; the tables are made at the first call. Matcher::Compute with a rig calls it itself,
  // and removes disparities where one of the cameras saw nothing. Throws what Rectified throws, and
  // InvalidArgument if the rig has no raw cameras.
  RectifiedPair Rectify(const CameraImageView& left, const CameraImageView& right) const;

 private:
  struct Inside;
  explicit Rig(std::shared_ptr<Inside> inside);
  friend Rig RigOf(const RawRig& raw, const RectificationOptions& options);
  std::shared_ptr<Inside> inside_;
};

}  // namespace parallax
