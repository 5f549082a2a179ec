// Opens sources of frames: a data set, image files, a video, a camera, a synthetic scene.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"
#include "pipeline/metrics/metric.h"

namespace parallax {

// What all sources of a kind share.
struct SourceTraits {
  SourceKind kind;
  std::string_view name;  // as the option --kind takes it
  // The metrics for estimates: the benchmark's own, then others that its truth allows.
  std::array<std::optional<Metric>, 3> metrics;
  bool has_truth = false;     // has its own truth
  bool is_rectified = false;  // by its layout, or because it has its calibration
  // One sigma of the truth's offset from the images (docs/uncertainty.md). In each of 24 frames of KITTI 2015
  // the offset is half a pixel far away and half a pixel in the other direction nearby. In one frame of ETH3D
  // it is 0.2 px.
  float rig_px = 0;
};
const SourceTraits& TraitsOf(SourceKind kind);
inline std::string_view NameOf(SourceKind kind) { return TraitsOf(kind).name; }

struct SourceOptions {
  std::string kind;         // a name of NameOf, or empty: recognised by content
  bool with_truth = false;  // also read ground truth; a frame without it has truth = nullopt
  LiveOptions live{};       // for cameras and streams; the layout also for videos and image files
};

// Opens what the program calls SOURCE: a data-set folder, `left right` files or globs, a video (both images
// in one picture, or two files), "camera:0", "camera:0,1", "gst:PIPELINE", "ros2:left=TOPIC,right=TOPIC",
// "synthetic:NAME[,key=value...]".
// With a layout also one file, glob or folder of pictures that hold both images. Throws Error when nothing is
// there or its kind cannot be recognised (the text lists the known kinds).
std::unique_ptr<FrameSource> OpenSource(const std::vector<std::string>& spec,
                                        const SourceOptions& options = {});

}  // namespace parallax
