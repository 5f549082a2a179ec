// Finds the images of a result again by its origin (FrameSource::NextOrigin).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/frames/frame_source.h"

namespace parallax::app {

// Keeps the last video or scene open: frames in order cost no more than playing it.
class OriginReader {
 public:
  // The frame as it was matched: rectified with the files of --rig, if it was. nullopt if the source is gone
  // or has other pixels than `left` states (ImageText of the matched images).
  std::optional<StereoFrame> Read(const std::string& origin, const std::string& left);

 private:
  std::string opened_;  // the origin without the frame's number
  std::unique_ptr<FrameSource> source_;
  std::size_t position_ = 0;
};

}  // namespace parallax::app
