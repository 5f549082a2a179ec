// The frames of another source, changed as they are read (in parallel, if that source reads them so).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/frames/frame_source.h"

namespace parallax::app {

class AdjustedSource : public FrameSource {
 public:
  // adjust: changes a frame that was read; an exception fails that frame. Called from several threads at
  // once.
  AdjustedSource(std::unique_ptr<FrameSource> source, std::function<void(StereoFrame&)> adjust)
      : source_(std::move(source)), adjust_(std::move(adjust)) {}
  SourceKind kind() const override { return source_->kind(); }
  std::optional<std::size_t> num_frames() const override { return source_->num_frames(); }
  std::optional<std::string> NextName() override { return source_->NextName(); }
  void Skip() override { source_->Skip(); }
  bool is_live() const override { return source_->is_live(); }
  void Cancel() override { source_->Cancel(); }
  std::string NextOrigin() override { return source_->NextOrigin(); }
  std::vector<std::string> InputFiles() const override { return source_->InputFiles(); }
  StereoFrame Read() override {
    StereoFrame frame = source_->Read();
    adjust_(frame);
    return frame;
  }
  std::function<StereoFrame()> Defer() override {
    std::function<StereoFrame()> read = source_->Defer();
    if (!read) return {};
    return [read = std::move(read), adjust = adjust_] {
      StereoFrame frame = read();
      adjust(frame);
      return frame;
    };
  }

 private:
  std::unique_ptr<FrameSource> source_;
  const std::function<void(StereoFrame&)> adjust_;
};

}  // namespace parallax::app
