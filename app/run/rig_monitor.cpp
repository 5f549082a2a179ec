#include "app/run/rig_monitor.h"

#include <exception>
#include <utility>
#include <variant>

#include "app/options/adjusted_source.h"
#include "app/session/schedule.h"
#include "parallax/error.h"

namespace parallax::app {

RigMonitor::RigMonitor(int every, bool waits, std::function<void(const std::string& line)> tell,
                       std::shared_ptr<FrameRectifier> follow)
    : every_(every), waits_(waits), tell_(std::move(tell)), follow_(std::move(follow)), thread_([this] {
        Measure();
      }) {}

template <typename Share>
void RigMonitor::SeeNext(const StereoFrame& frame, const Share& share) {
  if (!frame.rig || num_seen_++ % static_cast<std::size_t>(every_) != 0) return;
  std::unique_lock lock(mutex_);
  if (waits_) changed_.wait(lock, [this] { return !next_ && !is_measuring_; });
  if (next_ || is_measuring_) return;
  if (follow_ && waits_) follow_->SetTurn(next_turn_);
  if (measured_) new_ = std::exchange(measured_, std::nullopt);
  next_ = share();
  changed_.notify_all();
}

void RigMonitor::See(const std::shared_ptr<const StereoFrame>& frame) {
  SeeNext(*frame, [&] { return frame; });
}

void RigMonitor::SeeCopy(const StereoFrame& frame) {
  SeeNext(frame, [&] {
    auto copy = std::make_shared<StereoFrame>();
    copy->left = std::visit([](const auto& image) -> CameraImage { return image.Clone(); }, frame.left);
    copy->right = std::visit([](const auto& image) -> CameraImage { return image.Clone(); }, frame.right);
    copy->rig = frame.rig;
    copy->seen = frame.seen;
    return copy;
  });
}

std::optional<RigDrift> RigMonitor::TakeNew() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(new_, std::nullopt);
}

RigDrift RigMonitor::drift() const {
  const std::scoped_lock lock(mutex_);
  return drift_;
}

std::string RigMonitor::fault() const {
  const std::scoped_lock lock(mutex_);
  return fault_;
}

RigDrift RigMonitor::Finish() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return drift();
}

void RigMonitor::Measure() {
  DropRealTimePriority();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return next_ || is_ending_; });
    const std::shared_ptr<const StereoFrame> frame = std::exchange(next_, nullptr);
    if (!frame) return;
    is_measuring_ = true;
    lock.unlock();
    try {
      watch_.Add(ViewOf(frame->left), ViewOf(frame->right), *frame->rig,
                 frame->seen ? frame->seen->turn_urad : RightTurn_urad{});
      if (follow_ && !waits_) follow_->SetTurn(watch_.NextTurn());
      const std::string fault = watch_.Fault();
      if (!fault.empty() && !std::exchange(has_told_, true)) tell_(fault);
    } catch (const std::exception&) {  // a lack of memory: another frame may be measured
    }
    lock.lock();
    measured_ = drift_ = watch_.drift();
    fault_ = watch_.Fault();
    next_turn_ = watch_.NextTurn();
    is_measuring_ = false;
    changed_.notify_all();
  }
}

std::unique_ptr<FrameSource> FollowedRig::Open(const std::shared_ptr<FollowedRig>& rig,
                                               std::unique_ptr<FrameSource> source,
                                               const RigOptions& options) {
  class InOrder final : public AdjustedSource {
   public:
    using AdjustedSource::AdjustedSource;
    std::function<StereoFrame()> Defer() override { return {}; }
  };
  source = WithRig(std::move(source), options, [rig](StereoFrame& frame) { rig->Rectify(frame); });
  return std::make_unique<InOrder>(std::move(source), [](StereoFrame&) {});
}

void FollowedRig::Rectify(StereoFrame& frame) {
  if (frame.rectified) {
    throw Error("--rig-follow corrects raw images, but these are already rectified: leave it out");
  }
  if (turns_) {
    if (const auto turn = turns_->find(frame.name); turn != turns_->end()) rectifier_->SetTurn(turn->second);
  }
  rectifier_->Rectify(frame);
  if (monitor_) monitor_->SeeCopy(frame);
}

}  // namespace parallax::app
