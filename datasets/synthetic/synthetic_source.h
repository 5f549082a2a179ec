// Rendered scenes with exact truth as a source of frames.
#pragma once

#include <memory>
#include <string>

#include "datasets/source.h"

namespace parallax {

// spec: "synthetic:SCENE[,key=value...]", e.g. "synthetic:drive,width=640,frames=5,noise=2"; the prefix may
// be left out. Scenes and keys: docs/synthetic.md. Frames are named as in KITTI 2015 (000000_10, ...), have a
// rig, a timestamp and, with options.with_truth, disparity, nonoccluded and objects. The same spec gives the
// same bytes everywhere, whatever the number of threads. Throws InvalidArgument for an unknown scene or key
// or a value out of range.
std::unique_ptr<FrameSource> OpenSyntheticSource(const std::string& spec, const SourceOptions& options);

}  // namespace parallax
