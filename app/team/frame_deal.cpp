#include "app/team/frame_deal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "datasets/system/file_identity.h"

namespace parallax::app {

Dealer::Dealer(std::optional<std::size_t> total, std::size_t num_takers)
    : total_(total), num_takers_(std::max<std::size_t>(1, num_takers)) {}

FrameRange Dealer::Next() {
  const std::scoped_lock lock(mutex_);
  if (stopped_) return {};
  std::size_t length = 1;
  if (total_) {
    if (next_ >= *total_) return {};
    length = std::clamp<std::size_t>((*total_ - next_) / (8 * num_takers_), 1, kLongest);
  }
  const FrameRange range{next_, next_ + length};
  next_ = range.end;
  return range;
}

void Dealer::Stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
}

DealtSource::DealtSource(std::shared_ptr<FrameSource> source, NextRange next)
    : source_(std::move(source)), next_(std::move(next)) {}

// The name of the frame at position_, taken into the checksum once.
std::optional<std::string> DealtSource::NameOfNext() {
  std::optional<std::string> name = source_->NextName();
  if (name && num_named_ == position_) {
    ++num_named_;
    const std::string line = *name + '\n';
    names_crc32_ = Crc32({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()}, names_crc32_);
  }
  return name;
}

std::string DealtSource::AllNames() {
  for (; NameOfNext(); ++position_) source_->Skip();
  return fmt::format("{} {:08x}", num_named_, names_crc32_);
}

std::size_t DealtSource::IndexOf(std::size_t taken) const {
  const std::scoped_lock lock(mutex_);
  return indices_.at(taken);
}

std::optional<std::string> DealtSource::NextName() {
  if (ended_) return std::nullopt;
  if (position_ >= range_.end) range_ = next_();
  ended_ = range_.empty();
  for (; !ended_ && position_ < range_.begin; ++position_) {
    ended_ = !NameOfNext();
    if (!ended_) source_->Skip();
  }
  const std::optional<std::string> name = ended_ ? std::nullopt : NameOfNext();
  ended_ = !name;
  if (ended_) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  indices_.resize(num_taken_ + 1);
  indices_[num_taken_] = position_;
  return name;
}

StereoFrame DealtSource::Read() {
  struct AtTheEnd {  // the source stands behind a bad frame, too
    DealtSource& source;
    ~AtTheEnd() { source.Advance(); }
  } const at_the_end{*this};
  return source_->Read();
}

std::function<StereoFrame()> DealtSource::Defer() {
  std::function<StereoFrame()> read = source_->Defer();
  if (read) Advance();
  return read;
}

void DealtSource::Skip() {
  source_->Skip();
  Advance();
}

}  // namespace parallax::app
