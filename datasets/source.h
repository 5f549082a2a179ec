// Where frames come from: a data set, image files, a video, a camera, a synthetic scene.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/frame.h"

namespace parallax {

// The layouts that are told apart, and by which eval chooses its metrics.
enum class SourceKind {
  kKitti2012,
  kKitti2015,
  kKittiOdometry,
  kKittiRaw,
  kMiddleburyV3,       // MiddEval3: im0, im1, calib.txt, disp0GT.pfm, mask0nocc.png
  kMiddleburyClassic,  // 2001, 2003, 2005, 2006: 8-bit truth with a scale
  kEth3d,
  kPair,
  kVideo,
  kCamera,
  kSynthetic
};
std::string_view NameOf(SourceKind kind);  // "kitti2012", ..., as --kind takes it

struct SourceOptions {
  std::string kind;         // a name of NameOf, or empty: recognise it
  bool with_truth = false;  // read ground truth as well; a frame without it then has truth = nullopt
};

// A sequence of frames, read once from front to back.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual SourceKind kind() const = 0;
  // Number of frames in all, where it is known beforehand (not for cameras).
  virtual std::optional<std::size_t> num_frames() const = 0;
  // Name of the next frame, without reading it; nullopt at the end.
  virtual std::optional<std::string> NextName() = 0;
  // Reads the next frame. Throws Error naming the file, the value and the remedy when it is bad;
  // the source then stands at the frame after it, so that the caller can go on.
  virtual StereoFrame Read() = 0;
  // Passes over the next frame without reading it.
  virtual void Skip() = 0;
};

// Opens what the program calls SOURCE: a data-set folder, `left right` files or globs, a video (side by
// side, or two files), "camera:0", "camera:0,1", "synthetic:NAME[,key=value...]".
// Throws Error when nothing is there or its kind cannot be told (the text lists what was looked for).
std::unique_ptr<FrameSource> OpenSource(const std::vector<std::string>& spec,
                                        const SourceOptions& options = {});

}  // namespace parallax
