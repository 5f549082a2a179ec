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

  // Shows the progress bar. total: number of frames, if known.
  void ShowProgress(std::optional<std::size_t> total);
  // Prints a line above the bar, and logs it.
  void Tell(const std::string& line);
  // Prints a line above the bar, without logging it.
  void Print(const std::string& line);
  // Prints a line to standard error, above the bar if there is one.
  void Warn(const std::string& line);

  // Takes the report of a frame that has ended. Of failures that differ only in names and numbers, it prints
  // the first.
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
