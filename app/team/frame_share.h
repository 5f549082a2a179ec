// Which frames of a command's source this process takes: all of them, those of a shard, or those that rank 0 of a team
// hands out.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/interrupt.h"
#include "app/team/frame_deal.h"
#include "app/team/shard.h"
#include "app/team/shared_run.h"

namespace parallax::app {

class FrameShare {
 public:
  // team: null if this process is alone; must outlive this object.
  FrameShare(const std::optional<Shard>& shard, std::optional<std::size_t> max_frames, SharedRun* team)
      : shard_(shard), max_frames_(max_frames), team_(team) {}

  // A follower sends its results to rank 0, which leads.
  bool follows() const { return team_ != nullptr && !team_->leads(); }
  bool leads() const { return team_ != nullptr && team_->leads(); }

  // Throws InvalidArgument if this process is to take a part of the frames but the source cannot be divided:
  // a camera, or frames that depend on earlier ones. why_not: a further reason of the command; empty if it
  // has none.
  void Open(std::shared_ptr<FrameSource> source, bool is_temporal, const std::string& why_not = "");

  // The number of frames to match, if it is known: in a shard its own, in a team those of all ranks. Called
  // after Open.
  std::optional<std::size_t> num_frames() const;

  // Rank 0 answers the others from now on; the others wait for that. agreement: what all ranks must have in common.
  void Begin(const JournalRecord& agreement, SharedRun::Handler handler);

  // The frames of this process. Called after Begin.
  std::shared_ptr<FrameSource> frames() const { return part_ ? part_ : source_; }
  std::optional<std::size_t> max_frames() const { return part_ ? std::nullopt : max_frames_; }
  // The index in the whole source of the n-th frame that was taken, n from 0.
  std::size_t IndexOf(std::size_t taken) const { return part_ ? part_->IndexOf(taken) : taken; }
  // What DealtSource::AllNames returns. Called at the end of a shard.
  std::string AllNames() const { return part_->AllNames(); }

  bool StopRequested(const InterruptGuard& interrupt) const {
    return interrupt.requested() || (leads() && team_->interrupted());
  }
  struct End {
    bool interrupted = false;
    std::exception_ptr lost;  // what ended the work before the last frame; else null
  };
  // Does the work, which takes the frames, and waits until all ranks are through. nullopt in a follower: rank 0 says
  // how it ended.
  std::optional<End> Take(const InterruptGuard& interrupt, const std::function<void()>& work);

 private:
  const std::optional<Shard> shard_;
  const std::optional<std::size_t> max_frames_;
  SharedRun* const team_;
  std::shared_ptr<FrameSource> source_;
  std::shared_ptr<DealtSource> part_;              // from Begin on, if this process takes a part
  std::optional<std::size_t> num_source_, total_;  // frames of the source; those of all processes
};

}  // namespace parallax::app
