// Where frames come from, as the frame pipeline sees it. Sources are opened by datasets/source.h.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/types/frame.h"

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
  kEuroc,  // raw images with their calibration
  kPair,
  kVideo,
  kCamera,
  kRecording,  // MCAP
  kSynthetic
};

// What a source throws whose reading was cancelled: no frame has failed.
class Cancelled : public Error {
 public:
  Cancelled() : Error("reading was cancelled") {}
};

// A sequence of frames, read once from front to back, by one thread at a time but for what Defer() returns.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual SourceKind kind() const = 0;
  // Number of frames in all, where it is known beforehand (not for cameras).
  virtual std::optional<std::size_t> num_frames() const = 0;
  // True if frames come whether they are read or not, as a camera's do: a slow reader should then take the
  // newest one.
  virtual bool is_live() const { return false; }
  // Name of the next frame, without reading it; nullopt at the end.
  virtual std::optional<std::string> NextName() = 0;
  // Reads the next frame. Throws Error naming the file, the value and the remedy when it is bad;
  // the source then stands at the frame after it, so that the caller can go on.
  virtual StereoFrame Read() = 0;
  // In place of Read(), where frames may be read side by side: the source stands at the frame after the next one, and
  // what is returned reads that next one, once, in any thread, beside others, and throws as Read() does. Empty (and
  // the source stays where it is) where the next frame must be read by Read().
  virtual std::function<StereoFrame()> Defer() { return {}; }
  // Passes over the next frame without reading it.
  virtual void Skip() = 0;
  // One line that tells what the next frame is made of, before it is read: files with their sizes and times,
  // or the scene. The frame that is read has it as its origin. Empty where nothing tells (a camera).
  virtual std::string NextOrigin() { return ""; }
  // Every file that frames are read from, calibration and the truth that was asked for included: nothing may
  // be written over them.
  virtual std::vector<std::string> InputFiles() const { return {}; }
  // Called from another thread, once: NextName and Read, also one that waits at this moment, soon throw
  // Cancelled. A source that cannot do that, because it waits in a library, leaves it: the frame pipeline
  // then goes on without it (see RunFrames).
  virtual void Cancel() {}
};

}  // namespace parallax
