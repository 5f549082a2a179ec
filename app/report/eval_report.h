// The page that `parallax eval --report` writes: totals next to those of other matchers, the errors, and every frame
// with its pictures.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/chart.h"
#include "app/report/error_analysis.h"
#include "app/report/picture_store.h"
#include "app/report/report_page.h"
#include "app/scores/evaluator.h"
#include "app/scores/score_table.h"
#include "app/scores/scores.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

// The page's text about the run as a whole.
struct ReportText {
  std::string heading;             // one line, what was scored
  std::vector<std::string> notes;  // lines below the tables
  std::string parameters = {};     // YAML; empty when estimates were read
  std::string figures = {};        // JSON that the page holds for parallax compare
};

class EvalReport {
 public:
  // place: as for PageFile and PictureStore. Throws what PictureStore throws.
  EvalReport(std::filesystem::path place, Metric metric);

  // The frame's pictures, kept where the page finds them. frame.truth must be there.
  PageFrame Draw(const StereoFrame& frame, const EvaluatedFrame& evaluated) const;

  // Adds a frame: the result of Draw, here or in another process, and the regions of its errors
  // (AnalyseAsScored).
  void AddFrame(PageFrame frame, const ErrorAnalysis& errors);

  // Writes the page. frames: the scores, in the order in which the frames were added.
  void Finish(const ReportText& text, std::span<const TableSection> sections,
              std::span<const FrameScores> frames, const Scores& total);

  static constexpr std::string_view kFiguresBegin = "<script type=\"application/json\" id=\"figures\">",
                                    kFiguresEnd = "</script>";

 private:
  std::filesystem::path place_;
  Metric metric_;
  PictureStore store_;
  ErrorAnalysis analysis_;
  std::vector<PageFrame> frames_;
};

// The errors as a metric counts them; KITTI fills the holes first. estimate: px, of any size that the truth
// allows.
ErrorAnalysis AnalyseAsScored(Metric metric, const StereoFrame& frame, const EvaluatedFrame& evaluated);

// Error curve, histogram, error against distance, confidence.
std::vector<Chart> ChartsOf(const ErrorAnalysis& analysis);

}  // namespace parallax::app
