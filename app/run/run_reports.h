// What a run says while its frames end: progress, failures, and the summary.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "app/frames/summary.h"
#include "app/output/error_text.h"
#include "app/session/progress.h"

namespace parallax::app {

// Thread-safe.
class RunReports {
 public:
  // folder: as RunSummary's.
  RunReports(RunDescription description, const std::filesystem::path& folder)
      : summary_(std::move(description), folder) {}

  // total: number of frames, if known.
  void ShowProgress(std::optional<std::size_t> total);
  // A line above the bar, and in the log.
  void Tell(const std::string& line);
  // A line above the bar alone.
  void Print(const std::string& line);
  // A line for standard error, above the bar where there is one.
  void Warn(const std::string& line);

  // The end of a frame. Of failures that differ only in names and numbers, the first is printed.
  void Take(const FrameReport& report);

  // Changes or asks the summary, which Take is kept from in the meantime.
  template <typename F>
  auto WithSummary(const F& f) {
    const std::scoped_lock lock(mutex_);
    return f(summary_);
  }

 private:
  std::optional<Progress> progress_;
  std::mutex mutex_;  // of what follows
  RunSummary summary_;
  FrameErrors failures_;  // that were printed
};

}  // namespace parallax::app
