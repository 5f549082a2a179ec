// What `eval` keeps about one frame: the input for the figures, the tables and the report.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/output/journal.h"
#include "app/report/error_analysis.h"
#include "app/report/report_page.h"
#include "app/scores/frame_numbers.h"
#include "app/scores/scores.h"

namespace parallax::app {

struct ScoredFrame {
  enum class Outcome { kScored, kSkipped, kFailed };

  std::string name;
  std::size_t index = 0;  // in the source, from 0
  Outcome outcome = Outcome::kScored;
  std::string reason{};                   // why it was not scored
  FrameNumbers numbers{};                 // of the Evaluator
  std::optional<double> time_ms{};        // of the matcher, if it ran
  bool only_nonoccluded = false;          // the truth has no occluded pixels
  Scores cloud{};                         // if clouds are scored, too
  std::string why_no_cloud{};             // why there are no cloud scores
  std::optional<ErrorAnalysis> errors{};  // if a report or curves are requested
  std::optional<PageFrame> page{};        // if a report is requested
};

// Writes it as a line of a journal or message, and reads it back. Throws Error for an invalid record.
JournalRecord RecordOf(const ScoredFrame& frame);
ScoredFrame ScoredFrameOf(const JournalRecord& record);
inline constexpr const char* kScoreRecord = "score";  // the record's kind

}  // namespace parallax::app
