// parallax compare: runs over the same frames, and whether one is better than the first.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/output/error_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/report/compare_report.h"
#include "app/report/eval_report.h"
#include "app/report/frame_pictures.h"
#include "app/report/scored_run.h"
#include "app/scores/estimate_files.h"
#include "datasets/source.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::vector<std::string> source;  // in place of what summary.json names
  std::string metric;               // in place of the source's own
  std::string report, json_file;
};

// The source of the folders among the runs. Throws Error if they are of different sources.
std::vector<std::string> SourceOf(const CompareOptions& options, const std::vector<ScoredRun>& runs) {
  if (!options.source.empty()) return options.source;
  const ScoredRun* first = nullptr;
  for (const ScoredRun& run : runs) {
    if (!run.is_folder()) continue;
    if (first == nullptr) first = &run;
    if (run.source == first->source) continue;
    throw Error(run.name + " was made from " + run.source.front() + ", but " + first->name + " from " +
                first->source.front() + ": compare runs over the same source, or name it with --source");
  }
  return first == nullptr ? std::vector<std::string>() : first->source;
}

// Scores the runs that are folders, frame by frame.
class FolderScoring {
 public:
  FolderScoring(const CompareOptions& options, std::vector<ScoredRun>& runs,
                const std::vector<std::string>& spec)
      : runs_(runs), source_(OpenSource(spec, {"", true})) {
    metrics_ = options.metric.empty() ? MetricsFor(source_->kind())
                                      : std::vector<Metric>{MetricNamed(options.metric)};
    if (!options.report.empty()) report_.emplace(options.report, metrics_.front(), runs.size());
    for (ScoredRun& run : runs_) {
      files_.emplace_back();
      evaluators_.emplace_back();
      if (!run.is_folder()) continue;
      run.metric = metrics_.front();
      files_.back().emplace(run.name, metrics_.front());
      evaluators_.back() = MakeEvaluator(metrics_);
    }
  }

  void Run() {
    while (const std::optional<std::string> name = source_->NextName()) {
      const bool has_estimate = std::any_of(files_.begin(), files_.end(),
                                            [&](const auto& files) { return files && files->Find(*name); });
      if (!has_estimate) {
        source_->Skip();
        continue;
      }
      const StereoFrame frame = source_->Read();
      if (frame.truth) Score(frame);
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!evaluators_[i]) continue;
      if (runs_[i].frames.empty()) {
        throw Error(runs_[i].name +
                    ": no disparity in it belongs to a frame of the source that has ground truth");
      }
      runs_[i].total = evaluators_[i]->Total();
    }
  }

  std::optional<CompareReport>& report() { return report_; }

 private:
  void Score(const StereoFrame& frame) {
    std::vector<HostImage<float>> shown(runs_.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!files_[i]) continue;
      const auto file = files_[i]->Find(frame.name);
      if (!file) continue;
      const HostImage<float> estimate = ReadEstimate(*file);
      EvaluatedFrame evaluated{estimate.ConstView(), &*frame.truth};
      evaluated.max_disparity_px = MaxDisparityOf(source_->kind(), frame, estimate.ConstView());
      try {
        runs_[i].frames.push_back({frame.name, evaluators_[i]->AddFrame(evaluated)});
      } catch (const InvalidArgument& error) {
        throw Error(file->string() + ": " + error.what());
      }
      if (report_) shown[i] = AtTruthSize(estimate.ConstView(), frame.truth->disparity.ConstView());
    }
    if (report_) report_->AddFrame(frame, shown);
  }

  std::vector<ScoredRun>& runs_;
  std::unique_ptr<FrameSource> source_;
  std::vector<Metric> metrics_;
  std::vector<std::optional<EstimateFiles>> files_;     // one per run
  std::vector<std::unique_ptr<Evaluator>> evaluators_;  // one per run; null: it came with figures
  std::optional<CompareReport> report_;
};

Metric MetricOf(const std::vector<ScoredRun>& runs) {
  for (const ScoredRun& run : runs) {
    if (run.metric == runs.front().metric) continue;
    throw Error(run.name + " is scored by " + std::string(NameOf(*run.metric)) + ", " + runs.front().name +
                " by " + std::string(NameOf(*runs.front().metric)) + ": compare runs over the same data set");
  }
  return *runs.front().metric;
}

void PrintComparison(const Comparison& comparison) {
  std::printf("%s over %zu frames, lower is better\n", comparison.key.c_str(), comparison.frames.size());
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ScoredRun& run = comparison.runs[i];
    const std::string name = Printable(run.name + " (" + run.what + ")");
    if (i == 0) {
      std::printf("%s  %8.4f  %s\n", LetterOf(i).c_str(), comparison.others.front().mean_of_first,
                  name.c_str());
      continue;
    }
    const RunComparison& other = comparison.others[i - 1];
    const std::string p = TextOfP(other.signs.p);
    std::printf("%s  %8.4f  %s\n   %+8.4f  against A: %zu frames better, %zu worse, %zu equal, p %s%s\n",
                LetterOf(i).c_str(), other.mean, name.c_str(), other.signs.mean_difference,
                other.signs.num_better, other.signs.num_worse, other.signs.num_equal,
                p.starts_with('<') ? "" : "= ", p.c_str());
  }
}

std::string Json(const Comparison& comparison) {
  OrderedJson json = {{"metric", NameOf(comparison.metric)},
                      {"figure", comparison.key},
                      {"runs", OrderedJson::array()},
                      {"frames", OrderedJson::array()}};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    OrderedJson run = {{"name", comparison.runs[i].name}, {"what", comparison.runs[i].what}};
    if (i == 0) {
      run["mean"] = comparison.others.front().mean_of_first;
    } else {
      const RunComparison& other = comparison.others[i - 1];
      run.update({{"mean", other.mean},
                  {"mean_difference", other.signs.mean_difference},
                  {"better", other.signs.num_better},
                  {"worse", other.signs.num_worse},
                  {"equal", other.signs.num_equal},
                  {"p", other.signs.p}});
    }
    json["runs"] += run;
  }
  for (const std::string& frame : comparison.frames) {
    OrderedJson figures = OrderedJson::array();
    for (const ScoredRun& run : comparison.runs) figures += FigureOf(run, frame, comparison.key);
    json["frames"] += {{"name", frame}, {"figures", figures}};
  }
  return JsonText(json);
}

void RunCompare(const CompareOptions& options) {
  CheckFolder(options.json_file);
  std::vector<std::string> written{options.json_file};
  if (!options.report.empty()) written.push_back(PageFile(options.report).string());
  CheckFilesApart(options.runs, written);
  std::vector<ScoredRun> runs;
  for (const std::string& run : options.runs) runs.push_back(ReadRun(run));

  const std::vector<std::string> spec = SourceOf(options, runs);
  const bool has_folders =
      std::any_of(runs.begin(), runs.end(), [](const ScoredRun& run) { return run.is_folder(); });
  if (!has_folders && !options.metric.empty()) {
    throw InvalidArgument("--metric " + options.metric +
                          ": result files of eval have a metric already: leave --metric out");
  }
  std::optional<FolderScoring> scoring;
  if (has_folders) {
    scoring.emplace(options, runs, spec);
    scoring->Run();
  }
  const Metric metric = MetricOf(runs);
  const Comparison comparison = Compare(std::move(runs), metric);
  PrintComparison(comparison);
  if (!options.json_file.empty()) WriteTextFile(options.json_file, Json(comparison));
  if (options.report.empty()) return;
  std::optional<CompareReport> without_pictures;
  CompareReport& report = scoring && scoring->report()
                              ? *scoring->report()
                              : without_pictures.emplace(options.report, metric, comparison.runs.size());
  report.Finish(comparison);
  std::printf("report: %s\n", Printable(PageFile(options.report).string()).c_str());
}

}  // namespace

void AddCompareCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Compare several runs frame by frame");
  const auto o = std::make_shared<CompareOptions>();
  command
      ->add_option("runs", o->runs,
                   "JSON files or reports of eval, or output folders of run; the first is the baseline")
      ->required()
      ->expected(2, 1000)
      ->type_name("RUN");
  command->add_option("--source", o->source, "Source of the ground truth, if not the source that was matched")
      ->type_name("SOURCE");
  command
      ->add_option(
          "--metric", o->metric,
          "Metric for output folders of run [the source's own]: kitti2012, kitti2015, middlebury or eth3d")
      ->type_name("NAME");
  command->add_option("--report", o->report, "Write a page with tables, curves and difference maps")
      ->type_name("DIR|FILE");
  command->add_option("--json", o->json_file, "Write every figure as JSON")->type_name("FILE");
  command->callback([o] { RunCompare(*o); });
}

}  // namespace parallax::app
