// Opening what frames come from: a data set, image files, a video, a camera, a synthetic scene.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/live/live_options.h"
#include "pipeline/frames/frame_source.h"

namespace parallax {

std::string_view NameOf(SourceKind kind);  // "kitti2012", ..., as --kind takes it

struct SourceOptions {
  std::string kind;         // a name of NameOf, or empty: recognise it
  bool with_truth = false;  // read ground truth as well; a frame without it then has truth = nullopt
  LiveOptions live{};       // of cameras and streams; the layout of videos, too
};

// Opens what the program calls SOURCE: a data-set folder, `left right` files or globs, a video (both images
// in one picture, or two files), "camera:0", "camera:0,1", "gst:PIPELINE", "synthetic:NAME[,key=value...]".
// Throws Error when nothing is there or its kind cannot be told (the text lists what was looked for).
std::unique_ptr<FrameSource> OpenSource(const std::vector<std::string>& spec,
                                        const SourceOptions& options = {});

}  // namespace parallax
