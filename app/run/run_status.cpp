#include "app/run/run_status.h"

#include <fmt/format.h>

#include <numbers>

namespace parallax::app {

RosStatus RunStatus::Now(const RunSummary& summary, const LiveCounts& live, const RigDrift& rig,
                         const std::string& fault) {
  constexpr double kSilence_s = 3, kDegrees = 180 / std::numbers::pi;
  const std::size_t num_matched = summary.Count(FrameOutcome::kDone);
  const double frames_per_s = static_cast<double>(num_matched - num_before_) / since_before_.s();
  if (num_matched > num_before_) since_frame_ = {};
  since_before_ = {};
  num_before_ = num_matched;

  RosStatus status{.name = {}, .message = fmt::format("{:.1f} frames a second", frames_per_s)};
  if (!fault.empty()) status = {.level = RosLevel::kWarning, .name = {}, .message = fault};
  if (since_frame_.s() > kSilence_s) {
    status = {.level = RosLevel::kError,
              .name = {},
              .message = fmt::format("no frame for {:.0f} s", since_frame_.s())};
  }
  const auto add = [&](const char* key, const auto& value) {
    status.values.emplace_back(key, fmt::format("{:.4g}", static_cast<double>(value)));
  };
  const auto count = [&](const char* key, std::size_t value) {
    status.values.emplace_back(key, std::to_string(value));
  };
  count("frames matched", num_matched);
  count("frames failed", summary.Count(FrameOutcome::kFailed));
  count("frames lost on the way", live.num_damaged);
  count("frames dropped for newer ones", live.num_replaced + live.num_late);
  add("frames a second", frames_per_s);
  if (const LatencyHistogram& latency = summary.latency(); latency.size() > 0) {
    add("latency, median, ms", latency.Quantile_ms(0.5));
    add("latency, 99 %, ms", latency.Quantile_ms(0.99));
  }
  if (rig.num_frames > 0) {
    for (std::size_t axis = 0; axis < rig.turn.size(); ++axis) {
      const std::string about = std::string(" about ") + "xyz"[axis] + ", degrees";
      add(("rig turned" + about).c_str(), kDegrees * rig.turn[axis]);
      add(("its standard deviation" + about).c_str(), kDegrees * rig.sigma[axis]);
    }
    add("rows differ by, px", rig.rows_px);
  }
  return status;
}

}  // namespace parallax::app
