// A calibration named on the command line, and how raw frames are rectified.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "datasets/calibration/calibration_file.h"
#include "datasets/source.h"
#include "parallax/rig.h"
#include "pipeline/calibration/rectification.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct RigOptions {
  std::string rig;         // as ParseRig takes it; empty = the source's
  std::string size;        // of rectified images, "WxH"; empty = the cameras'
  std::string zoom = "1";  // of rectified images, a number or "all"
  double nearest_m = 0;    // the nearest distance to measure; 0 = not given

  // Throws InvalidArgument for an invalid size or zoom.
  RectificationOptions Rectification() const;
  // The options, apart from the rig itself, that change rectified images; empty if all have their defaults.
  std::string RectificationText() const;
};

// Declares --rig, --rectified-size, --zoom and --nearest. options must outlive the parsing.
void AddRigOptions(CLI::App& command, RigOptions& options);
// Declares --rectified-size and --zoom alone.
void AddRectificationOptions(CLI::App& command, RigOptions& options);

// "FX,CX,CY,BASELINE" or "FX,CX,CY,BASELINE,DOFFS", in px and metres, or a calibration's file, as
// ReadCalibration takes it. Throws InvalidArgument for anything else, and for a focal length or baseline that
// is not positive.
Calibration ParseRig(const std::string& text);

// The disparities to search so that points at that distance are found: a minimum of 0, and their number.
int DisparitiesFor(const StereoRig& rig, double nearest_m);

// A source whose raw frames are rectified with their own cameras or those of --rig. A rig of a rectified pair
// replaces a frame's own. With a nearest distance, frames state how many disparities it needs. Throws what
// ParseRig and RigOptions::Rectification throw.
std::unique_ptr<FrameSource> WithRig(std::unique_ptr<FrameSource> source, const RigOptions& options);
// The same, but calls `rectify` with every frame, after its rig was set, instead of rectifying it.
std::unique_ptr<FrameSource> WithRig(std::unique_ptr<FrameSource> source, const RigOptions& options,
                                     const std::function<void(StereoFrame&)>& rectify);

}  // namespace parallax::app
