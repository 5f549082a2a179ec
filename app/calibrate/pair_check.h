// Looks at the first frames of a source for what makes disparities worthless although every pixel has one:
// images exchanged or cut wrongly, rows that differ, a calibration of another image size, a range that is too
// small.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/frame_parameters.h"
#include "datasets/live/live_options.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/frame_source.h"

namespace parallax::app {

// What is known of a pair beside its images.
struct PairFacts {
  std::optional<StereoRig> rig;                  // of the rectified pair
  bool is_rectified_here = false;                // from raw images, by the rig
  std::optional<PictureLayout> layout = {};      // where left and right may come from one picture
  int min_disparity = 0, num_disparities = 128;  // that are searched, px
};

// What a pair looks like, in one line with the remedy; empty where nothing is wrong; nullopt where the images
// have too little texture to tell. Both images of one size.
std::optional<std::string> FaultOf(const CameraImageView& left, const CameraImageView& right,
                                   const PairFacts& facts);

// Tells of the first of three frames that can be told. It looks in a thread of its own, at images of 800 px.
class PairCheck {
 public:
  // layout: as PairFacts. tell: takes a line, at most once, in that thread.
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

  // The same source, whose first frames are looked at as they are read; it may outlive this. rectifier: of
  // frames that are left raw; may be null.
  std::unique_ptr<FrameSource> Watch(std::unique_ptr<FrameSource> source,
                                     std::shared_ptr<FrameRectifier> rectifier = nullptr);
  // Waits for the look at frames that were read, and ends it. The line that was told; empty where none was.
  std::string Await();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace parallax::app
