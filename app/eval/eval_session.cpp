#include "app/eval/eval_session.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <span>
#include <utility>

#include "app/output/error_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/scores/middlebury_weights.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

std::string Count(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> WrittenFiles(const EvalOutputs& outputs) {
  std::vector<std::string> files{outputs.csv_file, outputs.json_file};
  if (!outputs.report.empty()) files.push_back(PageFile(outputs.report).string());
  return files;
}

void CheckFoldersOf(const EvalOutputs& outputs) {
  CheckFolder(outputs.csv_file);
  CheckFolder(outputs.json_file);
}

EvalSession::EvalSession(EvalSubject subject, std::vector<Metric> metrics, EvalOutputs outputs)
    : subject_(std::move(subject)),
      metrics_(std::move(metrics)),
      outputs_(std::move(outputs)),
      evaluator_(MakeEvaluator(metrics_)) {
  if (!outputs_.report.empty()) report_.emplace(outputs_.report, metrics_.front());
}

ScoredFrame EvalSession::Score(const StereoFrame& frame, const EvaluatedFrame& evaluated,
                               std::optional<double> time_ms, std::size_t index) {
  ScoredFrame scored{.name = frame.name, .index = index};
  NumberWriter numbers;
  evaluator_->Measure(evaluated, numbers);
  scored.numbers = numbers.numbers();
  scored.time_ms = time_ms;
  scored.only_nonoccluded = frame.truth->only_nonoccluded;
  if (clouds_) scored.cloud = clouds_->Measure(frame, evaluated.estimate, cloud_limits_, scored.why_no_cloud);
  if (report_) {
    scored.errors = AnalyseAsScored(metrics_.front(), frame, evaluated);
    scored.page = report_->Draw(frame, evaluated);
  }
  return scored;
}

void EvalSession::Add(ScoredFrame frame) {
  const std::scoped_lock lock(mutex_);
  const std::size_t index = frame.index;
  ahead_.insert_or_assign(index, std::move(frame));
  while (!ahead_.empty() && ahead_.begin()->first <= next_) {
    Take(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
    ++next_;
  }
}

void EvalSession::TakeAllThatFollow() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [index, frame] : ahead_) Take(frame);
  ahead_.clear();
}

void EvalSession::Take(const ScoredFrame& frame) {
  if (frame.outcome == ScoredFrame::Outcome::kSkipped) return skipped_.push_back({frame.name, frame.reason});
  if (frame.outcome == ScoredFrame::Outcome::kFailed) return failed_.push_back({frame.name, frame.reason});
  NumberReader numbers(frame.numbers);
  FrameScores scored{frame.name, evaluator_->Add(numbers)};
  numbers.End();
  if (frame.time_ms) {
    scored.scores.Add(kTimeKey, *frame.time_ms);
    time_sum_ms_ += *frame.time_ms;
    ++num_timed_;
  }
  if (clouds_) {
    clouds_->Add(frame.cloud);
    scored.scores.Add(frame.cloud);
    if (!frame.why_no_cloud.empty()) without_cloud_.push_back({frame.name, frame.why_no_cloud});
  }
  only_nonoccluded_ = only_nonoccluded_ && frame.only_nonoccluded;
  frames_.push_back(std::move(scored));
  if (!report_) return;
  if (!frame.errors || !frame.page)
    throw Error(frame.name +
                ": was scored without --report, so its pictures are missing: score it again with --report");
  report_->AddFrame(*frame.page, *frame.errors);
}

void EvalSession::ScoreClouds(std::unique_ptr<CloudEvaluator> evaluator,
                              const ReprojectionParameters& limits) {
  clouds_ = std::move(evaluator);
  cloud_limits_ = limits;
}

Scores EvalSession::Total() const {
  Scores total = evaluator_->Total();
  if (num_timed_ > 0) total.Add(kTimeKey, time_sum_ms_ / num_timed_);
  if (clouds_) total.Add(clouds_->Total());
  return total;
}

std::optional<Scores> EvalSession::WeightedMean() const {
  return metrics_.front() == Metric::kMiddlebury ? MiddleburyWeightedMean(frames_) : std::nullopt;
}

std::vector<TableSection> EvalSession::Sections(const Scores& total) const {
  std::vector<TableSection> sections = SectionsOf(metrics_.front(), total, only_nonoccluded_);
  // Synthetic scenes have every kind of truth: their sub-pixel errors show in Middlebury's figures.
  if (metrics_.size() > 1 && metrics_.back() == Metric::kMiddlebury) {
    for (TableSection& section : SectionsOf(Metric::kMiddlebury, total, false)) {
      std::erase_if(section.columns, [](const TableColumn& column) { return column.key == kTimeKey; });
      sections.push_back(std::move(section));
    }
  }
  for (TableSection& section : UncertaintySections(total)) sections.push_back(std::move(section));
  if (clouds_) {
    for (TableSection& section : clouds_->Sections()) sections.push_back(std::move(section));
  }
  return sections;
}

std::string EvalSession::Heading() const {
  std::string heading = fmt::format("{} scored of {}", Count(frames_.size(), "frame"), subject_.source);
  heading += subject_.estimates.empty()
                 ? fmt::format(", matched by {} with {}", subject_.backend, subject_.config)
                 : fmt::format(", estimates of {}", subject_.estimates);
  if (!skipped_.empty()) heading += fmt::format("; {} skipped", skipped_.size());
  if (!failed_.empty()) heading += fmt::format("; {} failed", failed_.size());
  return heading;
}

std::string EvalSession::Json(const Scores& total) const {
  OrderedJson json = {
      {"dataset", subject_.dataset}, {"metric", NameOf(metrics_.front())}, {"source", subject_.source}};
  if (!subject_.estimates.empty()) json["estimates"] = subject_.estimates;
  if (!subject_.backend.empty()) json["backend"] = subject_.backend;
  if (!subject_.config.empty()) json["config"] = subject_.config;
  if (clouds_) {
    json["cloud"] = {{"min_depth_m", cloud_limits_.min_depth_m}, {"max_depth_m", cloud_limits_.max_depth_m}};
    json["cloud"].update(clouds_->Settings());
  }
  const auto named = [](const std::string& name, OrderedJson others) {
    OrderedJson all = {{"name", name}};
    all.update(others);
    return all;
  };
  json["frames"] = OrderedJson::array();
  for (const FrameScores& frame : frames_) json["frames"] += named(frame.name, JsonOf(frame.scores));
  std::vector<std::pair<const char*, const std::vector<Unscored>*>> lists = {{"skipped", &skipped_},
                                                                             {"failed", &failed_}};
  if (clouds_) lists.emplace_back("without_cloud", &without_cloud_);
  for (const auto& [key, list] : lists) {
    json[key] = OrderedJson::array();
    for (const Unscored& frame : *list) json[key] += named(frame.name, {{"reason", frame.reason}});
  }
  json["total"] = {{"num_frames", frames_.size()}};
  json["total"].update(JsonOf(total));
  if (const auto weighted = WeightedMean()) json["weighted"] = JsonOf(*weighted);
  return JsonText(json);
}

void EvalSession::WriteFiles(const Scores& total, const std::vector<TableSection>& sections) {
  if (!outputs_.csv_file.empty()) WriteTextFile(outputs_.csv_file, CsvText(frames_, total));
  if (!outputs_.json_file.empty()) WriteTextFile(outputs_.json_file, Json(total));
  if (!report_) return;
  std::vector<std::string> notes;
  for (const Unscored& frame : skipped_) notes.push_back("Skipped " + frame.name + ": " + frame.reason);
  for (const Unscored& frame : without_cloud_) {
    notes.push_back("No cloud scores of " + frame.name + ": " + frame.reason);
  }
  for (const Unscored& frame : failed_) notes.push_back("Failed " + frame.name + ": " + frame.reason);
  report_->Finish({Heading(), std::move(notes), subject_.parameters, Json(total)}, sections, frames_, total);
  std::printf("report: %s\n", Printable(PageFile(outputs_.report).string()).c_str());
}

void EvalSession::Finish(bool interrupted) {
  TakeAllThatFollow();
  if (frames_.empty()) {
    if (interrupted) throw Error("interrupted before a frame was scored");
    if (skipped_.empty() && failed_.empty()) throw Error(subject_.source + ": no frames to score");
    const Unscored& first = failed_.empty() ? skipped_.front() : failed_.front();
    throw Error(fmt::format("{}: nothing could be scored ({} skipped, {} failed), {}: {}", subject_.source,
                            skipped_.size(), failed_.size(), first.name, first.reason));
  }
  const Scores total = Total();
  const std::vector<TableSection> sections = Sections(total);
  for (const TableSection& section : sections) {
    std::printf("%s\n", TableText(section, frames_, total).c_str());
  }
  if (const auto weighted = WeightedMean()) {
    for (TableSection& section : SectionsOf(Metric::kMiddlebury, *weighted, false)) {
      section.title = fmt::format("{}, weighted as in the official table, {} of its {} training scenes",
                                  section.title.substr(0, section.title.find(" (")), frames_.size(),
                                  kNumMiddleburyTrainingScenes);
      std::printf("%s\n", TableText(section, {}, *weighted).c_str());
    }
  }
  std::printf("%s\n", Printable(Heading()).c_str());
  if (!without_cloud_.empty()) {
    std::printf("no cloud scores of %s, first %s: %s\n", Count(without_cloud_.size(), "frame").c_str(),
                without_cloud_.front().name.c_str(), without_cloud_.front().reason.c_str());
  }
  WriteFiles(total, sections);
  if (!failed_.empty()) {
    throw Error(fmt::format("{} of {} frames failed, first {}: {}", failed_.size(),
                            frames_.size() + skipped_.size() + failed_.size(), failed_.front().name,
                            failed_.front().reason));
  }
  if (interrupted)
    throw Error(fmt::format("interrupted: the figures are of {}", Count(frames_.size(), "frame")));
}

}  // namespace parallax::app
