#include "app/eval/eval_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/eval/estimate_files.h"
#include "app/options/available_memory.h"
#include "app/options/frame_parameters.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/named_rig.h"
#include "app/output/output_files.h"
#include "app/run/heap.h"
#include "app/run/interrupt.h"
#include "app/run/progress.h"
#include "config/backends.h"
#include "config/uncertainty_text.h"
#include "pipeline/error.h"
#include "pipeline/frames/frame_road.h"

namespace parallax::app {
namespace {

// Whether sources of this kind never come with truth of their own.
bool NeverHasTruth(SourceKind kind) {
  return kind == SourceKind::kPair || kind == SourceKind::kVideo || kind == SourceKind::kCamera ||
         kind == SourceKind::kRecording || kind == SourceKind::kKittiOdometry ||
         kind == SourceKind::kKittiRaw || kind == SourceKind::kEuroc;
}

std::unique_ptr<FrameSource> OpenWithTruth(const EvalOptions& options) {
  std::unique_ptr<FrameSource> source = OpenSource(options.source, {options.kind, true});
  if (NeverHasTruth(source->kind()) && options.truth.disparity.empty()) {
    throw Error(
        fmt::format("{}: a source of kind {} has no ground truth; for a pair, name it with --truth FILE",
                    fmt::join(options.source, " "), NameOf(source->kind())));
  }
  return WithRig(WithNamedTruth(std::move(source), options.truth), options.rig);
}

std::string WhyNoTruth(const StereoFrame& frame) {
  return frame.truth_note.empty() ? "no ground truth" : frame.truth_note;
}

class SourceEvaluation {
 public:
  explicit SourceEvaluation(const EvalOptions& options)
      : options_(options),
        source_(OpenWithTruth(options)),
        metrics_(options.MetricsOf(source_->kind())),
        session_(Subject(), metrics_, options.outputs) {
    std::optional<std::size_t> total = source_->num_frames();
    if (total && options.max_frames) total = std::min(*total, *options.max_frames);
    if (options.clouds.enabled) {
      session_.ScoreClouds(
          std::make_unique<CloudEvaluator>(
              options.clouds, MakeCloudMeasures(CloudBackendBeside(options.matching.backend),
                                                options.matching.device, options.matching.num_threads)),
          options.matching.Load().parameters.reprojection);
    }
    progress_.emplace(total, stderr);
  }

  void Run() {
    CheckInputsStay();
    const InterruptGuard interrupt;
    KeepFreedMemory();
    if (options_.estimates.empty()) {
      MatchFrames(interrupt.requested());
    } else {
      ReadEstimates(interrupt.requested());
    }
    progress_.reset();
    session_.Finish(interrupt.requested());
  }

 private:
  // Nothing that is read may be written over.
  void CheckInputsStay() const {
    const EvalOutputs& outputs = options_.outputs;
    std::vector<std::string> read = source_->InputFiles();
    const TruthFiles& truth = options_.truth;
    read.insert(read.end(), {options_.estimates, options_.matching.config, truth.disparity, truth.nonoccluded,
                             truth.objects});
    if (!options_.estimates.empty()) {
      const std::vector<std::string> estimates = EstimateFiles(options_.estimates, metrics_.front()).All();
      read.insert(read.end(), estimates.begin(), estimates.end());
    }
    std::vector<std::string> written = WrittenFiles(outputs);
    written.push_back(LogFile());
    CheckFilesApart(read, written);
    OpenLogFile(read);
    if (!outputs.report.empty() && !EvalReport::IsSingleFile(outputs.report)) {
      CheckFoldersApart(read, {std::filesystem::path(outputs.report) / "frames"});
    }
  }

  EvalSubject Subject() const {
    EvalSubject subject;
    subject.dataset = NameOf(source_->kind());
    subject.source = fmt::format("{}", fmt::join(options_.source, " "));
    subject.estimates = options_.estimates;
    if (!options_.estimates.empty()) return subject;
    subject.backend = ResolveBackend(options_.matching.backend, options_.matching.Load().parameters.method);
    subject.config = options_.matching.config;
    const ChosenParameters chosen = options_.matching.Load();
    subject.parameters = ToYaml(chosen.parameters) + UncertaintyYaml(UncertaintyOf(source_->kind(), chosen));
    for (const std::string& assignment : options_.matching.assignments) subject.config += " " + assignment;
    return subject;
  }

  void MatchFrames(const std::atomic<bool>& stop) {
    const ChosenParameters chosen = options_.matching.Load();
    const std::string_view backend = ResolveBackend(options_.matching.backend, chosen.parameters.method);
    options_.matching.LogWhatIsMatched(options_.source, *source_, chosen, backend);
    const UncertaintyParameters uncertainty = UncertaintyOf(source_->kind(), chosen);
    std::string why_skipped;  // set and read in the thread that reads
    FrameSteps steps;
    steps.is_done = [&](const std::string&, const StereoFrame* frame) {
      if (frame == nullptr || frame->truth) return false;
      why_skipped = WhyNoTruth(*frame);
      return true;
    };
    steps.parameters_for = [&](const StereoFrame& frame) { return ParametersFor(frame, chosen); };
    AddLiveFilters(chosen.parameters, options_.matching.num_threads, steps);
    steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
      return MakeQueueInMemory(backend, parameters, matcher_options, 1);
    };
    steps.write = [&](const MatchedFrame& matched, FrameReport&) {
      HostImage<float> sigma;
      if (options_.uncertainty) sigma = SigmaOfDisparity(uncertainty, matched.disparity);
      Score(matched.frame, matched.disparity.disparity.ConstView(), matched.match_ms,
            matched.disparity.confidence.ConstView(), sigma.ConstView());
    };
    steps.report = [&](const FrameReport& report) {
      if (report.outcome == FrameOutcome::kSkipped) Skip(report.name, why_skipped);
      if (report.outcome == FrameOutcome::kFailed) Fail(report.name, report.error);
      progress_->Advance(report.outcome != FrameOutcome::kSkipped);
    };
    // One writer: frames are scored in their order.
    RunFrames(source_, steps,
              {.max_frames = options_.max_frames,
               .num_threads = options_.matching.num_threads,
               .device = options_.matching.device,
               .memory_limit_bytes = options_.matching.MemoryLimitBytes(backend),
               .num_writers = 1,
               .stop_requested = [&] { return stop.load(); }});
  }

  void ReadEstimates(const std::atomic<bool>& stop) {
    const EstimateFiles estimates(options_.estimates, metrics_.front());
    for (std::size_t i = 0; !stop && (!options_.max_frames || i < *options_.max_frames); ++i) {
      const std::optional<std::string> name = source_->NextName();
      if (!name) break;
      try {
        ScoreEstimate(*name, estimates);
      } catch (const Error& error) {
        Fail(*name, error.what());
      }
      progress_->Advance(true);
    }
  }

  // The source stands behind the frame afterwards, whatever happens.
  void ScoreEstimate(const std::string& name, const EstimateFiles& estimates) {
    std::optional<std::filesystem::path> file;
    try {
      file = estimates.Find(name);
    } catch (const Error&) {
      source_->Skip();
      throw;
    }
    if (!file) {
      source_->Skip();
      return Skip(name, "no estimate " + name + ".png or .pfm in " + options_.estimates);
    }
    const StereoFrame frame = source_->Read();
    if (!frame.truth) return Skip(name, WhyNoTruth(frame));
    const HostImage<float> estimate = ReadEstimate(*file);
    Score(frame, estimate.ConstView(), std::nullopt);
  }

  void Score(const StereoFrame& frame, HostImageView<const float> estimate, std::optional<double> time_ms,
             HostImageView<const std::uint8_t> confidence = {}, HostImageView<const float> sigma = {}) {
    session_.Score(
        frame, {estimate, &*frame.truth, MaxDisparityFor(frame, estimate), options_.round, confidence, sigma},
        time_ms);
  }

  float MaxDisparityFor(const StereoFrame& frame, HostImageView<const float> estimate) const {
    if (options_.max_disparity_px) return *options_.max_disparity_px;
    return MaxDisparityOf(source_->kind(), frame, estimate);
  }

  void Skip(const std::string& name, const std::string& reason) {
    progress_->Print("skipped " + name + ": " + reason);
    session_.Skip(name, reason);
  }
  void Fail(const std::string& name, const std::string& reason) {
    progress_->Print("failed " + name + ": " + reason);
    session_.Fail(name, reason);
  }

  const EvalOptions& options_;
  std::shared_ptr<FrameSource> source_;
  std::vector<Metric> metrics_;
  EvalSession session_;
  std::optional<Progress> progress_;
};

}  // namespace

void EvaluateSource(const EvalOptions& options) { SourceEvaluation(options).Run(); }

}  // namespace parallax::app
