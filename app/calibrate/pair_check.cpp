#include "app/calibrate/pair_check.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/options/adjusted_source.h"
#include "pipeline/frames/bounded_queue.h"

namespace parallax::app {
namespace {

std::string RemedyOf(const PairFault& fault, const PairFacts& facts) {
  using Kind = PairFault::Kind;
  switch (fault.kind) {
    case Kind::kNone:
      return "";
    case Kind::kEmptyImage:
      return ": look at that camera";
    case Kind::kTwoScenes:
      return facts.layout ? ": does the picture hold both images? Two videos are LEFT RIGHT, two cameras "
                            "camera:LEFT,RIGHT"
                          : ": do the two belong together?";
    case Kind::kTopBottom:
      return ": use --layout top-bottom";
    case Kind::kSideBySide:
      return ": use --layout side-by-side";
    case Kind::kRowsOfRig:
      return "; see parallax doctor";
    case Kind::kRows:
      return "; calibrate the cameras (parallax calibrate) and name them with --rig FILE";
    case Kind::kRigSize:
      return fmt::format(": take the calibration of this size, or scale FX, CX and CY by {:.2f}",
                         fault.remedy);
    case Kind::kExchanged:
      return std::string("; give the other image first") +
             (facts.layout ? " (--layout right-left or bottom-top)" : "");
    case Kind::kBelowRange:
      return fmt::format("; rectify it with --rig FILE, or use --set matching_cost.min_disparity={}",
                         fault.remedy);
    case Kind::kAboveRange:
      return fmt::format(": use --set {}={}", kNumDisparitiesKey, fault.remedy);
    case Kind::kBrightness:
      return ": use one exposure for both cameras";
  }
  return "";
}

}  // namespace

std::optional<std::string> FaultLineOf(const SmallPicture& left, const SmallPicture& right,
                                       const PairFacts& facts) {
  const std::optional<PairFault> fault = FaultOf(left, right, facts);
  if (!fault) return std::nullopt;
  return fault->text + RemedyOf(*fault, facts);
}

std::optional<JudgedFrame> JudgedFrameOf(const StereoFrame& frame, FrameRectifier* rectifier,
                                         const ChosenParameters& chosen,
                                         std::optional<PictureLayout> layout) {
  const std::shared_ptr<const Rectifier> raw = rectifier != nullptr ? rectifier->For(frame) : nullptr;
  if (!frame.rectified && !raw) return std::nullopt;  // cannot be matched either
  if (std::min(WidthOf(ViewOf(frame.left)), HeightOf(ViewOf(frame.left))) < kSmallestSide_px)
    return std::nullopt;
  const MatchingCostParameters cost = ParametersOfFrame(frame, chosen).matching_cost;
  return JudgedFrame{
      .left = Shrunk(raw ? ViewOf(raw->RectifyLeft(ViewOf(frame.left))) : ViewOf(frame.left)),
      .right = Shrunk(raw ? ViewOf(raw->RectifyRight(ViewOf(frame.right))) : ViewOf(frame.right)),
      .facts = {.rig = frame.rig,
                .is_rectified_here = frame.seen != nullptr,
                .layout = layout,
                .min_disparity = cost.min_disparity,
                .num_disparities = cost.num_disparities}};
}

struct PairCheck::State {
  struct Look {
    std::string name;
    JudgedFrame frame;
  };

  State(ChosenParameters chosen_, std::optional<PictureLayout> layout_,
        std::function<void(const std::string& line)> tell_)
      : chosen(std::move(chosen_)), layout(layout_), tell(std::move(tell_)) {}

  // Called in the reading thread.
  void Offer(const StereoFrame& frame, FrameRectifier* rectifier) {
    std::optional<JudgedFrame> judged = JudgedFrameOf(frame, rectifier, chosen, layout);
    if (!judged) return;
    const std::scoped_lock lock(mutex);
    if (has_ended) return;
    if (!thread.joinable()) thread = std::thread([this] { CheckAll(); });
    looks.Push({frame.name, *std::move(judged)});
  }

  void CheckAll() {
    try {
      while (const std::optional<Look> look = looks.Pop()) {
        const JudgedFrame& frame = look->frame;
        const std::optional<std::string> fault = FaultLineOf(frame.left, frame.right, frame.facts);
        if (!fault) continue;
        num_left = 0;
        if (fault->empty()) return;
        line = look->name + ": " + *fault;
        return tell(line);
      }
    } catch (const std::exception&) {  // out of memory, for example: the run continues without the check
    }
  }

  const ChosenParameters chosen;
  std::optional<PictureLayout> layout;  // none from Watch on, where the source has no such pictures
  const std::function<void(const std::string& line)> tell;
  std::atomic<int> num_left = kFramesLookedAt;
  BoundedQueue<Look> looks{kFramesLookedAt};
  std::mutex mutex;
  bool has_ended = false;
  std::thread thread;
  std::string line;  // of the thread, until it is joined
};

namespace {

// The first frames are read in turn, so that the same one is reported every time.
template <typename State>
class WatchedSource final : public AdjustedSource {
 public:
  WatchedSource(std::unique_ptr<FrameSource> source, std::shared_ptr<State> state,
                std::shared_ptr<FrameRectifier> rectifier)
      : AdjustedSource(std::move(source), [](StereoFrame&) {}),
        state_(std::move(state)),
        rectifier_(std::move(rectifier)),
        num_passed_over_(is_live() ? kLiveFramesPassedOver : 0) {}
  StereoFrame Read() override {
    StereoFrame frame = AdjustedSource::Read();
    if (state_->num_left <= 0 || num_passed_over_-- > 0) return frame;
    --state_->num_left;
    try {
      state_->Offer(frame, rectifier_.get());
    } catch (const std::exception&) {  // matching reports the fault
    }
    return frame;
  }
  std::function<StereoFrame()> Defer() override {
    return state_->num_left > 0 ? std::function<StereoFrame()>() : AdjustedSource::Defer();
  }

 private:
  const std::shared_ptr<State> state_;
  const std::shared_ptr<FrameRectifier> rectifier_;
  int num_passed_over_;
};

}  // namespace

PairCheck::PairCheck(ChosenParameters chosen, std::optional<PictureLayout> layout,
                     std::function<void(const std::string& line)> tell)
    : state_(std::make_shared<State>(std::move(chosen), layout, std::move(tell))) {}

std::unique_ptr<FrameSource> PairCheck::Watch(std::unique_ptr<FrameSource> source,
                                              std::shared_ptr<FrameRectifier> rectifier) {
  const SourceKind kind = source->kind();
  if (kind != SourceKind::kVideo && kind != SourceKind::kCamera && kind != SourceKind::kPair)
    state_->layout.reset();
  return std::make_unique<WatchedSource<State>>(std::move(source), state_, std::move(rectifier));
}

std::string PairCheck::Await() {
  state_->num_left = 0;
  state_->looks.Close();
  {
    const std::scoped_lock lock(state_->mutex);
    state_->has_ended = true;
  }
  if (state_->thread.joinable()) state_->thread.join();
  return state_->line;
}

}  // namespace parallax::app
