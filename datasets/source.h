// Opening what frames come from: a data set, image files, a video, a camera, a synthetic scene.
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

// What holds for all sources of a kind.
struct SourceTraits {
  SourceKind kind;
  std::string_view name;  // as --kind takes it
  // What estimates are scored by: the benchmark's own metric, then others that its truth allows.
  std::array<std::optional<Metric>, 3> metrics;
  bool has_truth = false;     // comes with truth of its own
  bool is_rectified = false;  // by its layout, or it comes with its calibration
  // How far the truth lies off what the images show, one sigma (docs/uncertainty.md): KITTI 2015's in every one
  // of 24 frames by half a pixel far away, and as much to the other side nearby; ETH3D's in one frame by 0.2 px.
  float rig_px = 0;
};
const SourceTraits& TraitsOf(SourceKind kind);
inline std::string_view NameOf(SourceKind kind) { return TraitsOf(kind).name; }

struct SourceOptions {
  std::string kind;         // a name of NameOf, or empty: recognise it
  bool with_truth = false;  // read ground truth as well; a frame without it then has truth = nullopt
  LiveOptions live{};       // of cameras and streams; the layout of videos and image files, too
};

// Opens what the program calls SOURCE: a data-set folder, `left right` files or globs, a video (both images in one
// picture, or two files), "camera:0", "camera:0,1", "gst:PIPELINE", "synthetic:NAME[,key=value...]". With a
// layout also one file, glob or folder of pictures that hold both images.
// Throws Error when nothing is there or its kind cannot be told (the text lists what was looked for).
std::unique_ptr<FrameSource> OpenSource(const std::vector<std::string>& spec,
                                        const SourceOptions& options = {});

}  // namespace parallax
