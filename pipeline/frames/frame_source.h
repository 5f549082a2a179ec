// Sources of frames, as the frame pipeline sees them. datasets/source.h opens them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/types/frame.h"

namespace parallax {

// The layouts of sources; eval chooses its metrics by them.
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

// Thrown by a source whose reading was cancelled: no frame has failed.
class Cancelled : public Error {
 public:
  Cancelled() : Error("reading was cancelled") {}
};

// A sequence of frames, read once from front to back, by one thread at a time, except for the functions from
// Defer().
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual SourceKind kind() const = 0;
  // Total number of frames, if it is known beforehand (not for cameras).
  virtual std::optional<std::size_t> num_frames() const = 0;
  // True if frames arrive whether they are read or not, as from a camera: a slow reader should then take the
  // newest one.
  virtual bool is_live() const { return false; }
  // Name of the next frame, without reading it; nullopt at the end.
  virtual std::optional<std::string> NextName() = 0;
  // Reads the next frame. Throws Error with the file, the value and the remedy when it is bad; the source
  // then continues after it.
  virtual StereoFrame Read() = 0;
  // Instead of Read(), for parallel reading: moves the source past the next frame and returns a function that
  // reads that frame, once, in any thread, in parallel to others, and throws what Read() throws. Empty (and
  // the source does not move) if the next frame must be read by Read().
  virtual std::function<StereoFrame()> Defer() { return {}; }
  // Skips the next frame without reading it.
  virtual void Skip() = 0;
  // One line that states the input of the next frame, before it is read: files with their sizes and times, or
  // the scene. The frame has it as its origin. Empty if unknown (a camera).
  virtual std::string NextOrigin() { return ""; }
  // Every file from which frames are read, including calibration and requested truth: nothing may be written
  // over them.
  virtual std::vector<std::string> InputFiles() const { return {}; }
  // Called once, from another thread: NextName and Read soon throw Cancelled, even if they are waiting. A
  // source that cannot do this, because it waits in a library, ignores it: the frame pipeline then continues
  // without it (see RunFrames).
  virtual void Cancel() {}
};

}  // namespace parallax
