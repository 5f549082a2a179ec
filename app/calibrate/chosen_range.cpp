#include "app/calibrate/chosen_range.h"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "app/calibrate/pair_check.h"
#include "app/options/adjusted_source.h"
#include "config/frame_parameters.h"

namespace parallax::app {
namespace {

// A source that reads some frames in advance.
class ReadAheadSource final : public AdjustedSource {
 public:
  // Reads `most` frames, or up to the first one that is enough.
  ReadAheadSource(std::unique_ptr<FrameSource> source, int most,
                  const std::function<bool(const StereoFrame&)>& is_enough)
      : AdjustedSource(std::move(source), [](StereoFrame&) {}) {
    for (int i = 0; i < most; ++i) {
      const std::optional<std::string> name = AdjustedSource::NextName();
      if (!name) return;
      Kept& kept = kept_.emplace_back();
      kept.name = *name;
      kept.origin = AdjustedSource::NextOrigin();
      try {
        kept.frame = AdjustedSource::Read();
      } catch (...) {
        kept.failure = std::current_exception();
        continue;
      }
      if (is_enough(kept.frame)) return;
    }
  }

  std::optional<std::string> NextName() override {
    return kept_.empty() ? AdjustedSource::NextName() : kept_.front().name;
  }
  std::string NextOrigin() override {
    return kept_.empty() ? AdjustedSource::NextOrigin() : kept_.front().origin;
  }
  StereoFrame Read() override {
    if (kept_.empty()) return AdjustedSource::Read();
    Kept kept = std::move(kept_.front());
    kept_.pop_front();
    if (kept.failure) std::rethrow_exception(kept.failure);
    return std::move(kept.frame);
  }
  std::function<StereoFrame()> Defer() override {
    return kept_.empty() ? AdjustedSource::Defer() : std::function<StereoFrame()>();
  }
  void Skip() override { kept_.empty() ? AdjustedSource::Skip() : kept_.pop_front(); }

 private:
  struct Kept {
    std::string name, origin;
    StereoFrame frame;
    std::exception_ptr failure;  // in place of the frame
  };
  std::deque<Kept> kept_;
};

std::optional<SearchRange> RangeOfFrame(const StereoFrame& frame, FrameRectifier* rectifier,
                                        const ChosenParameters& chosen) {
  try {
    const std::optional<JudgedFrame> judged = JudgedFrameOf(frame, rectifier, chosen, std::nullopt);
    return judged ? RangeOf(judged->left, judged->right, judged->facts) : std::nullopt;
  } catch (const Error&) {  // matching reports the fault
    return std::nullopt;
  }
}

}  // namespace

std::unique_ptr<FrameSource> WithChosenRange(std::unique_ptr<FrameSource> source, ChosenParameters& chosen,
                                             const std::function<void(const std::string& line)>& tell,
                                             FrameRectifier* rectifier) {
  if (!chosen.is_range_auto) return source;
  int num_passed_over = source->is_live() ? kLiveFramesPassedOver : 0;
  std::optional<SearchRange> range;
  bool is_stated = false;
  std::string from;  // the frame's name
  auto ahead = std::make_unique<ReadAheadSource>(std::move(source), kFramesLookedAt + num_passed_over,
                                                 [&](const StereoFrame& frame) {
                                                   if (num_passed_over-- > 0) return false;
                                                   is_stated = frame.num_disparities_hint.has_value();
                                                   if (!is_stated)
                                                     range = RangeOfFrame(frame, rectifier, chosen);
                                                   from = frame.name;
                                                   return is_stated || range;
                                                 });
  if (is_stated) return ahead;
  const MatchingCostParameters& cost = chosen.parameters.matching_cost;
  const SearchRange usual{cost.min_disparity, cost.num_disparities}, set = range.value_or(usual);
  SetAutoRange(set.min_disparity, set.num_disparities, chosen);
  const std::string searched = fmt::format("searches disparities {} to {}", cost.min_disparity,
                                           cost.min_disparity + cost.num_disparities - 1);
  tell(range ? fmt::format("{}, chosen from frame {}", searched, from)
             : fmt::format("the first frames do not show which disparities they hold: {}", searched));
  return ahead;
}

}  // namespace parallax::app
