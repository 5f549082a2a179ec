#include "app/run/failures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pipeline/error.h"

namespace parallax::app {

void ThrowOnFailures(const RunSummary& summary, const std::filesystem::path& summary_file) {
  const std::size_t num_failed = summary.Count(FrameOutcome::kFailed);
  const auto& frames = summary.frames();
  if (num_failed > 0) {
    const auto first = std::find_if(frames.begin(), frames.end(), [](const FrameReport& frame) {
      return frame.outcome == FrameOutcome::kFailed;
    });
    const std::string which = fmt::format("frame {}: {}", first->name, first->error);
    if (frames.size() == 1) throw Error(which);
    if (num_failed == 1) throw Error(fmt::format("1 of {} frames failed: {}", frames.size(), which));
    throw Error(fmt::format("{} of {} frames failed (all named in {}), first {}", num_failed, frames.size(),
                            summary_file.string(), which));
  }
  if (summary.num_incomplete() > 0) {
    const auto first = std::find_if(frames.begin(), frames.end(),
                                    [](const FrameReport& frame) { return !frame.missing.empty(); });
    throw Error(
        fmt::format("{} of {} frames lack what was asked for, first {}: {}; the rest is written: name the "
                    "calibration with --rig, or leave that out of --write",
                    summary.num_incomplete(), frames.size(), first->name, fmt::join(first->missing, ", ")));
  }
}

}  // namespace parallax::app
