#include "app/run/failures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "parallax/error.h"

namespace parallax::app {

void ThrowOnFailures(const RunSummary& summary, const std::filesystem::path& summary_file) {
  const std::size_t num_failed = summary.Count(FrameOutcome::kFailed);
  if (const std::optional<FrameReport> first = summary.FirstFailed()) {
    const std::string which = fmt::format("frame {}: {}", first->name, first->error);
    if (summary.num_frames() == 1) throw Error(which);
    if (num_failed == 1) throw Error(fmt::format("1 of {} frames failed: {}", summary.num_frames(), which));
    throw Error(fmt::format("{} of {} frames failed (all named in {}), first {}", num_failed,
                            summary.num_frames(), summary_file.string(), which));
  }
  if (const std::optional<FrameReport> first = summary.FirstIncomplete()) {
    throw Error(fmt::format(
        "{} of {} frames lack some outputs, first {}: {}; all others are written: give a calibration with "
        "--rig, or leave these outputs out of --write",
        summary.num_incomplete(), summary.num_frames(), first->name, fmt::join(first->missing, ", ")));
  }
}

}  // namespace parallax::app
