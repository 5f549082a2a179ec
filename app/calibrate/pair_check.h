// Checks the first frames of a source for input that gives wrong disparities.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/pair_fault.h"
#include "config/frame_parameters.h"
#include "datasets/live/live_options.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/frame_source.h"

namespace parallax::app {

inline constexpr int kFramesLookedAt = 3;  // at most

// What is wrong with a pair, in one line with the remedy; empty if nothing is, nullopt if the images have too
// little texture to tell. Both images of one size.
std::optional<std::string> FaultLineOf(const SmallPicture& left, const SmallPicture& right,
                                       const PairFacts& facts);

// A frame in the form that FaultLineOf judges.
struct JudgedFrame {
  SmallPicture left, right;
  PairFacts facts;
};
// Makes the small pictures that FaultLineOf judges; nullopt if the frame cannot be matched or is too small.
// rectifier: for frames that the source leaves raw; may be null.
std::optional<JudgedFrame> JudgedFrameOf(const StereoFrame& frame, FrameRectifier* rectifier,
                                         const ChosenParameters& chosen, std::optional<PictureLayout> layout);

// Reports the fault of the first frame, out of three, that can be judged. Runs in a separate thread, on
// images scaled to 800 px.
class PairCheck {
 public:
  // layout: see PairFacts. tell: called with a line, at most once, in that thread.
  PairCheck(ChosenParameters chosen, std::optional<PictureLayout> layout,
            std::function<void(const std::string& line)> tell);
  ~PairCheck() { Await(); }
  // The layout of a source that is named by one argument.
  static std::optional<PictureLayout> LayoutOf(const std::vector<std::string>& source,
                                               const LiveOptions& live) {
    if (source.size() != 1) return std::nullopt;
    return live.layout.value_or(PictureLayout::kSideBySide);
  }
  PairCheck(const PairCheck&) = delete;
  PairCheck& operator=(const PairCheck&) = delete;

  // The same source; its first frames are checked as they are read. It may outlive this object. rectifier: for
  // frames that the source leaves raw; may be null.
  std::unique_ptr<FrameSource> Watch(std::unique_ptr<FrameSource> source,
                                     std::shared_ptr<FrameRectifier> rectifier = nullptr);
  // Waits for the check of the frames that were read. Returns the line that was reported, or "".
  std::string Await();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace parallax::app
