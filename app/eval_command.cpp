// parallax eval: the official figures of estimates, read from files or made by the matcher.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/backends.h"
#include "app/commands.h"
#include "app/estimate_files.h"
#include "app/eval_session.h"
#include "app/frame_parameters.h"
#include "app/matching_options.h"
#include "app/truth_files.h"
#include "datasets/source.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

struct EvalOptions {
  std::vector<std::string> source;
  std::string kind;
  std::string metric;          // empty: the benchmark's of the source's kind
  std::size_t max_frames = 0;  // 0 = all
  MatchingOptions matching;
  std::string estimates;
  TruthFiles truth;
  std::string estimate_file;
  std::optional<float> max_disparity_px;
  bool round = false;
  EvalOutputs outputs;
};

// Matches frames of any size, making another matcher when the size or the disparity range changes.
class FrameMatcher {
 public:
  explicit FrameMatcher(const MatchingOptions& options)
      : chosen_(options.Load()),
        backend_(ResolveBackend(options.backend)),
        num_threads_(options.num_threads) {
    ValidateOrThrow(chosen_.parameters);
  }
  const std::string& backend() const { return backend_; }

  // The disparities of a frame, valid until the next call; elapsed_ms: how long matching took.
  HostImageView<const float> Match(const StereoFrame& frame, double& elapsed_ms) {
    if (!frame.rectified) throw Error("its images are not rectified: run parallax rectify first");
    const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
    const Parameters parameters = ParametersFor(frame, chosen_);
    const Shape shape{WidthOf(left), HeightOf(left), parameters.matching_cost.num_disparities};
    if (!matcher_ || shape != shape_) {
      matcher_ = MakeMatcher(backend_, parameters, {shape.width, shape.height, num_threads_});
      shape_ = shape;
    }
    const auto start = std::chrono::steady_clock::now();
    matcher_->Compute(left, right, result_);
    elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result_.disparity.ConstView();
  }

 private:
  struct Shape {
    int width = 0, height = 0, num_disparities = 0;
    bool operator==(const Shape&) const = default;
  };
  ChosenParameters chosen_;
  std::string backend_;
  int num_threads_;
  std::unique_ptr<StereoMatcher> matcher_;
  Shape shape_;
  DisparityMap result_;
};

// Middlebury lets no method lose by values beyond the stated range: they are clipped to it.
float MaxDisparityFor(const EvalOptions& options, SourceKind kind, const StereoFrame& frame,
                      HostImageView<const float> estimate) {
  if (options.max_disparity_px) return *options.max_disparity_px;
  if (kind != SourceKind::kMiddleburyV3 || !frame.num_disparities_hint)
    return EvaluatedFrame{}.max_disparity_px;
  return static_cast<float>(*frame.num_disparities_hint) * static_cast<float>(estimate.width) /
         static_cast<float>(frame.truth->disparity.width());
}

// Whether sources of this kind never come with truth.
bool NeverHasTruth(SourceKind kind) {
  return kind == SourceKind::kPair || kind == SourceKind::kVideo || kind == SourceKind::kCamera ||
         kind == SourceKind::kKittiOdometry || kind == SourceKind::kKittiRaw;
}

class Progress {
 public:
  explicit Progress(std::optional<std::size_t> num_frames) : num_frames_(num_frames) {}
  void Show(std::size_t index, const std::string& name) const {
    if (!shown_) return;
    const std::string of = num_frames_ ? fmt::format("/{}", *num_frames_) : "";
    std::fprintf(stderr, "\r\033[K%zu%s %s", index + 1, of.c_str(), name.c_str());
  }
  void Clear() const {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

 private:
  std::optional<std::size_t> num_frames_;
  bool shown_ = isatty(STDERR_FILENO) == 1;
};

std::vector<Metric> ChosenMetrics(const EvalOptions& options, SourceKind kind) {
  return options.metric.empty() ? MetricsFor(kind) : std::vector<Metric>{MetricNamed(options.metric)};
}

std::string Joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Scores every frame of a source.
class SourceEvaluation {
 public:
  explicit SourceEvaluation(const EvalOptions& options)
      : options_(options), source_(OpenSource(options.source, {options.kind, true})) {
    if (NeverHasTruth(source_->kind()) && options.truth.disparity.empty()) {
      throw Error(Joined(options.source) + ": a source of kind " + std::string(NameOf(source_->kind())) +
                  " has no ground truth; for a pair, name it with --truth FILE");
    }
    const std::vector<Metric> metrics = ChosenMetrics(options, source_->kind());
    EvalSubject subject;
    subject.dataset = NameOf(source_->kind());
    subject.source = Joined(options.source);
    if (options.estimates.empty()) {
      matcher_.emplace(options.matching);
      subject.backend = matcher_->backend();
      subject.config = Joined({options.matching.config});
      for (const std::string& assignment : options.matching.assignments) subject.config += " " + assignment;
    } else {
      estimates_.emplace(options.estimates, metrics.front());
      subject.estimates = options.estimates;
    }
    const bool names_truth = !options.truth.disparity.empty() || !options.truth.nonoccluded.empty() ||
                             !options.truth.objects.empty();
    if (names_truth && source_->num_frames().value_or(0) != 1) {
      throw InvalidArgument("--truth, --truth-mask and --objects belong to one frame, but " + subject.source +
                            " is not a source of one frame");
    }
    session_.emplace(std::move(subject), metrics, options.outputs);
  }

  void Run() {
    const Progress progress(source_->num_frames());
    for (std::size_t i = 0; options_.max_frames == 0 || i < options_.max_frames; ++i) {
      const std::optional<std::string> name = source_->NextName();
      if (!name) break;
      progress.Show(i, *name);
      std::string reason = ScoreNext(*name);
      if (reason.empty()) continue;
      progress.Clear();
      session_->Skip(*name, reason);
    }
    progress.Clear();
    session_->Finish();
  }

 private:
  // Returns why the frame could not be scored; empty when it was.
  std::string ScoreNext(const std::string& name) {
    bool is_read = false;
    try {
      std::optional<std::filesystem::path> file;
      if (estimates_ && !(file = estimates_->Find(name))) {
        source_->Skip();
        return "no estimate " + name + ".png or .pfm in " + options_.estimates;
      }
      is_read = true;
      StereoFrame frame = source_->Read();
      if (!options_.truth.disparity.empty()) frame.truth = ReadTruth(options_.truth);
      if (!frame.truth) return frame.truth_note.empty() ? "no ground truth" : frame.truth_note;
      ReadMasks(options_.truth, *frame.truth);
      ScoreFrame(frame, file);
      return "";
    } catch (const Error& error) {
      if (!is_read) source_->Skip();
      return error.what();
    }
  }

  void ScoreFrame(const StereoFrame& frame, const std::optional<std::filesystem::path>& file) {
    HostImage<float> from_file;
    std::optional<double> time_ms;
    EvaluatedFrame evaluated;
    if (file) {
      from_file = ReadEstimate(*file);
      evaluated.estimate = from_file.ConstView();
    } else {
      evaluated.estimate = matcher_->Match(frame, time_ms.emplace());
    }
    evaluated.truth = &*frame.truth;
    evaluated.max_disparity_px = MaxDisparityFor(options_, source_->kind(), frame, evaluated.estimate);
    evaluated.round = options_.round;
    session_->Score(frame, evaluated, time_ms);
  }

  const EvalOptions& options_;
  std::unique_ptr<FrameSource> source_;
  std::optional<FrameMatcher> matcher_;
  std::optional<EstimateFiles> estimates_;
  std::optional<EvalSession> session_;
};

// Scores one file against another.
void EvaluateFiles(const EvalOptions& options) {
  if (options.truth.disparity.empty() || options.estimate_file.empty() || options.metric.empty()) {
    throw InvalidArgument(
        "name a SOURCE, or two files and how to score them: --truth FILE --estimate FILE --metric NAME");
  }
  const Metric metric = MetricNamed(options.metric);
  EvalSession session({options.metric, options.truth.disparity, options.estimate_file, "", ""}, {metric},
                      options.outputs);
  StereoFrame frame;
  frame.name = std::filesystem::path(options.estimate_file).stem().string();
  frame.truth = ReadTruth(options.truth);
  const HostImage<float> estimate = ReadEstimate(options.estimate_file);
  EvaluatedFrame evaluated{estimate.ConstView(), &*frame.truth};
  if (options.max_disparity_px) evaluated.max_disparity_px = *options.max_disparity_px;
  evaluated.round = options.round;
  session.Score(frame, evaluated, std::nullopt);
  session.Finish();
}

void RunEval(const EvalOptions& options) {
  if (!options.source.empty() && !options.estimate_file.empty()) {
    throw InvalidArgument("--estimate scores two files without a SOURCE; with one, use --estimates");
  }
  if (options.source.empty()) return EvaluateFiles(options);
  SourceEvaluation(options).Run();
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("eval", "Official figures of disparities against ground truth");
  const auto o = std::make_shared<EvalOptions>();
  command->add_option("source", o->source,
                      "SOURCE: a data-set folder, LEFT RIGHT files, synthetic:NAME, ...");
  command->add_option("--kind", o->kind, "Take the source as this kind instead of recognising it");
  command->add_option("--max-frames", o->max_frames, "Stop after this many frames; 0 = all")
      ->capture_default_str();
  command
      ->add_option("--metric", o->metric,
                   "kitti2012, kitti2015, middlebury or eth3d instead of the source's own benchmark")
      ->type_name("NAME");
  command->add_option("--estimates", o->estimates, "Score the .png and .pfm disparities here; do not match")
      ->type_name("DIR|FILE");
  AddMatchingOptions(*command, o->matching);
  command->add_option("--csv", o->outputs.csv_file, "Write every figure as CSV")->type_name("FILE");
  command->add_option("--json", o->outputs.json_file, "Write every figure as JSON")->type_name("FILE");
  command
      ->add_option("--report,--output", o->outputs.report_folder, "Write error pictures and index.html here")
      ->type_name("DIR");
  AddTruthOptions(*command, o->truth);
  command->add_option("--estimate", o->estimate_file, "Without SOURCE: score this file against --truth")
      ->type_name("FILE");
  command
      ->add_option("--max-disparity", o->max_disparity_px,
                   "Middlebury: clip estimates to this (px of the estimate)")
      ->type_name("PX");
  command->add_flag("--round", o->round, "Middlebury: round estimates to whole pixels first");
  command->callback([o] { RunEval(*o); });
}

}  // namespace parallax::app
