#include "app/team/frame_share.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "parallax/error.h"

namespace parallax::app {

void FrameShare::Open(std::shared_ptr<FrameSource> source, bool is_temporal, const std::string& why_not) {
  source_ = std::move(source);
  num_source_ = total_ = source_->num_frames();
  if (max_frames_) total_ = std::min(total_.value_or(SIZE_MAX), *max_frames_);
  if (!shard_ && team_ == nullptr) return;
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument((shard_ ? "--shard: " : "under mpirun: ") + why);
  };
  if (source_->is_live()) refuse("a camera's frames cannot be shared between processes: use one process");
  if (is_temporal)
    refuse(
        "with live.temporal a frame depends on those before it: set live.temporal=false, or use one process");
  if (!why_not.empty()) refuse(why_not);
}

std::optional<std::size_t> FrameShare::num_frames() const {
  if (!num_source_) return std::nullopt;  // --max-frames is only a limit then
  return shard_ ? shard_->NumFrames(*total_) : *total_;
}

void FrameShare::Begin(const JournalRecord& agreement, SharedRun::Handler handler) {
  if (follows()) team_->Follow(agreement);
  if (leads()) team_->Lead(agreement, total_, std::move(handler));
  if (team_ == nullptr && !shard_) return;
  part_ = std::make_shared<DealtSource>(
      source_, team_ != nullptr ? NextRange([this] { return team_->Next(); }) : shard_->Frames(total_));
}

std::optional<FrameShare::End> FrameShare::Take(const InterruptGuard& interrupt,
                                                const std::function<void()>& work) {
  End end;
  try {
    work();
  } catch (...) {
    if (follows()) throw;
    end.lost = std::current_exception();
  }
  if (follows()) {
    team_->Leave("", interrupt.requested());
    return std::nullopt;
  }
  if (leads()) {
    if (interrupt.requested() || end.lost) team_->StopDealing();
    try {
      team_->AwaitOthers();
    } catch (...) {
      if (!end.lost) end.lost = std::current_exception();
    }
  }
  end.interrupted = StopRequested(interrupt);
  return end;
}

}  // namespace parallax::app
