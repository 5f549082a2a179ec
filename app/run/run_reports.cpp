#include "app/run/run_reports.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "app/options/live_source_options.h"
#include "app/options/logging.h"
#include "app/output/error_text.h"

namespace parallax::app {

void RunReports::ShowProgress(std::optional<std::size_t> total) {
  progress_.emplace(total, isatty(STDERR_FILENO) == 1 ? stderr : stdout);
}

void RunReports::Tell(const std::string& line) {
  Print(line);
  Log(line);
}

void RunReports::Print(const std::string& line) {
  if (progress_) progress_->Print(line);
}

void RunReports::Warn(const std::string& line) {
  if (isatty(STDERR_FILENO) == 0) return PrintToStderr(line);
  Tell("parallax: " + line);
}

void RunReports::Take(const FrameReport& report) {
  const std::scoped_lock lock(mutex_);
  if (report.outcome == FrameOutcome::kFailed) {
    if (failures_.IsNew(report.name, report.error)) Print("failed " + report.name + ": " + report.error);
    Log(report.name + " failed: " + report.error);
  }
  if (progress_) progress_->Advance(report.outcome != FrameOutcome::kSkipped);
  summary_.Add(report);
}

}  // namespace parallax::app
