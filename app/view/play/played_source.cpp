#include "app/view/play/played_source.h"

#include <utility>

namespace parallax::app {

PlayedSource::PlayedSource(std::unique_ptr<FrameSource> first, OpenFrames open,
                           std::shared_ptr<Timeline> timeline)
    : kind_(first->kind()),
      open_(std::move(open)),
      timeline_(std::move(timeline)),
      source_(std::move(first)) {}

PlayOrder PlayedSource::OrderOf(std::size_t index) const {
  const std::scoped_lock lock(mutex_);
  return index < orders_.size() ? orders_[index] : PlayOrder{};
}

bool PlayedSource::GoTo(std::size_t number) {
  if (number < position_) {
    std::shared_ptr<FrameSource> again = open_();
    const std::scoped_lock lock(mutex_);
    source_ = std::move(again);
    position_ = 0;
  }
  while (position_ < number) {
    if (timeline_->stopped()) throw Cancelled();
    if (!source_->NextName()) return false;
    source_->Skip();
    ++position_;
  }
  return true;
}

std::optional<std::string> PlayedSource::NextName() {
  while (const std::optional<PlayOrder> order = timeline_->Next()) {
    if (!GoTo(order->number)) continue;
    std::optional<std::string> name = source_->NextName();
    if (!name) continue;
    const std::scoped_lock lock(mutex_);
    orders_.push_back(*order);
    return name;
  }
  return std::nullopt;
}

StereoFrame PlayedSource::Read() {
  ++position_;  // also if the frame is bad: the source continues
  StereoFrame frame = source_->Read();
  if (!timeline_->AwaitDue(OrderOf(orders_.size() - 1), frame.timestamp_s) && timeline_->stopped())
    throw Cancelled();
  return frame;
}

void PlayedSource::Skip() {
  source_->Skip();
  ++position_;
}

std::string PlayedSource::NextOrigin() { return source_->NextOrigin(); }

std::vector<std::string> PlayedSource::InputFiles() const {
  const std::scoped_lock lock(mutex_);
  return source_->InputFiles();
}

void PlayedSource::Cancel() {
  timeline_->Stop();
  const std::scoped_lock lock(mutex_);
  source_->Cancel();
}

}  // namespace parallax::app
