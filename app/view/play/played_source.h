// A file source whose frames come in the order that a timeline asks for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/view/play/timeline.h"
#include "pipeline/frames/frame_source.h"

namespace parallax::app {

using OpenFrames = std::function<std::unique_ptr<FrameSource>()>;

// Skips to frames after the current one; for others it opens the source again.
class PlayedSource : public FrameSource {
 public:
  // first: a source at its beginning, which open opens again.
  PlayedSource(std::unique_ptr<FrameSource> first, OpenFrames open, std::shared_ptr<Timeline> timeline);

  // The order that the timeline gave for frame `index` of this source, counted from 0 by the frame pipeline.
  PlayOrder OrderOf(std::size_t index) const;

  SourceKind kind() const override { return kind_; }
  // The source never ends.
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }
  // Waits until the timeline wants a frame. nullopt once it is stopped.
  std::optional<std::string> NextName() override;
  StereoFrame Read() override;
  void Skip() override;
  std::string NextOrigin() override;
  std::vector<std::string> InputFiles() const override;
  void Cancel() override;

 private:
  // Brings the source to the position before a frame; false if it has fewer frames than it stated.
  bool GoTo(std::size_t number);

  const SourceKind kind_;
  const OpenFrames open_;
  const std::shared_ptr<Timeline> timeline_;
  mutable std::mutex mutex_;  // of the next two; for Cancel and OrderOf
  std::shared_ptr<FrameSource> source_;
  std::vector<PlayOrder> orders_;
  std::size_t position_ = 0;  // of the source
};

}  // namespace parallax::app
