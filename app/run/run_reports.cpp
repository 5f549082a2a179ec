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
    if (IsNewFailure(report)) Print("failed " + report.name + ": " + report.error);
    Log(report.name + " failed: " + report.error);
  }
  if (progress_) progress_->Advance(report.outcome != FrameOutcome::kSkipped);
  summary_.Add(report);
}

bool RunReports::IsNewFailure(const FrameReport& report) {
  std::string kind = report.error;
  for (std::size_t at; !report.name.empty() && (at = kind.find(report.name)) != std::string::npos;)
    kind.erase(at, report.name.size());
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return failures_.insert(std::move(kind)).second;
}

}  // namespace parallax::app
