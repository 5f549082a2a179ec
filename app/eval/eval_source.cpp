#include "app/eval/eval_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "app/calibrate/chosen_range.h"
#include "app/calibrate/pair_check.h"
#include "app/eval/score_folder.h"
#include "app/options/available_memory.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/named_rig.h"
#include "app/options/resolved_parameters.h"
#include "app/output/error_text.h"
#include "app/output/number_list.h"
#include "app/output/output_files.h"
#include "app/scores/estimate_files.h"
#include "app/session/heap.h"
#include "app/session/interrupt.h"
#include "app/session/progress.h"
#include "app/team/frame_share.h"
#include "config/backends.h"
#include "config/devices.h"
#include "config/uncertainty_text.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {
namespace {

std::unique_ptr<FrameSource> OpenWithTruth(const EvalOptions& options) {
  std::unique_ptr<FrameSource> source = OpenSource(options.source, {options.kind, true});
  if (!TraitsOf(source->kind()).has_truth && options.truth.disparity.empty()) {
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
  SourceEvaluation(const EvalOptions& options, SharedRun* team)
      : options_(options),
        team_(team),
        share_(options.shard, options.max_frames, team),
        chosen_(options.matching.Load(AutoRange::kTaken)),
        source_(Watched(OpenWithTruth(options))),
        metrics_(options.MetricsOf(source_->kind())),
        session_(Subject(), metrics_, options.outputs) {
    const bool is_temporal = options.estimates.empty() && chosen_.parameters.live.temporal;
    share_.Open(source_, is_temporal);
    if (options.used_scores.resume && is_temporal) {
      throw InvalidArgument(
          "--resume cannot reproduce an uninterrupted run: with live.temporal a frame depends on those "
          "before it; use --overwrite, or set live.temporal=false");
    }
    if (options.clouds.enabled) {
      auto evaluator = std::make_unique<CloudEvaluator>(
          options.clouds, MakeCloudMeasures(CloudBackendFor(options.matching.backend),
                                            options.matching.device, options.matching.num_threads));
      cloud_backend_ = evaluator->backend();
      session_.ScoreClouds(std::move(evaluator), CloudLimits());
    }
    if (share_.follows()) return;
    progress_.emplace(share_.num_frames(), stderr);
    if (!range_line_.empty()) Tell(range_line_);
  }
  ~SourceEvaluation() {
    if (check_) check_->Await();  // it tells above the bar
  }
  SourceEvaluation(const SourceEvaluation&) = delete;
  SourceEvaluation& operator=(const SourceEvaluation&) = delete;

  void Run() {
    const JournalRecord description = RecordOf(Description(), options_);
    if (!share_.follows()) {
      CheckInputsStay();
      if (!options_.scores.empty()) scores_.emplace(options_.scores, options_.used_scores, description);
    }
    share_.Begin(description, [this](const JournalRecord& record) { return TakeFromOthers(record); });
    const InterruptGuard interrupt;
    KeepFreedMemory();
    const auto stop = [&] { return share_.StopRequested(interrupt); };
    const std::optional<FrameShare::End> end =
        share_.Take(interrupt, [&] { options_.estimates.empty() ? MatchFrames(stop) : ReadEstimates(stop); });
    if (!end) return;
    if (end->lost) std::rethrow_exception(end->lost);
    if (check_) check_->Await();
    progress_.reset();
    if (scores_) scores_->End(end->interrupted, options_.shard && !end->interrupted ? share_.AllNames() : "");
    if (options_.shard) return FinishShard(end->interrupted);
    session_.Finish(end->interrupted);
  }

 private:
  std::unique_ptr<FrameSource> Watched(std::unique_ptr<FrameSource> source) {
    if (!options_.estimates.empty()) return source;
    source =
        WithChosenRange(std::move(source), chosen_, [this](const std::string& line) { range_line_ = line; });
    if (!options_.check || share_.follows()) return source;
    check_.emplace(chosen_, std::nullopt, [this](const std::string& line) { Tell("parallax: " + line); });
    return check_->Watch(std::move(source));
  }
  void Tell(const std::string& line) {
    progress_->Print(line);
    Log(line);
  }

  // Throws if an output would overwrite an input.
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
    if (!options_.scores.empty()) written.push_back((options_.scores / kScoresName).string());
    CheckFilesApart(read, written);
    OpenLogFile(read);
    if (!outputs.report.empty() && !IsSingleFile(outputs.report)) {
      CheckFoldersApart(read, {std::filesystem::path(outputs.report) / "frames"});
    }
  }

  EvalSubject Subject() const {
    EvalSubject subject;
    subject.dataset = NameOf(source_->kind());
    subject.source = fmt::format("{}", fmt::join(options_.source, " "));
    subject.estimates = options_.estimates;
    if (!options_.estimates.empty()) return subject;
    subject.backend = ResolveBackend(options_.matching.backend, chosen_.parameters.method);
    subject.config = options_.matching.config;
    subject.parameters = ToYaml(chosen_.parameters) +
                         UncertaintyYaml(UncertaintyOf(TraitsOf(source_->kind()).rig_px, chosen_));
    for (const std::string& assignment : options_.matching.assignments) subject.config += " " + assignment;
    return subject;
  }

  ReprojectionParameters CloudLimits() const { return chosen_.parameters.reprojection; }

  EvalDescription Description() const {
    EvalDescription description{.subject = Subject(), .metrics = metrics_};
    description.clouds = options_.clouds;
    description.cloud_backend = cloud_backend_;
    if (options_.clouds.enabled) description.cloud_limits = CloudLimits();
    if (!options_.outputs.report.empty())
      description.report = std::filesystem::absolute(options_.outputs.report).lexically_normal().string();
    return description;
  }

  // Every frame ends here, whichever process scored it.
  void Take(ScoredFrame frame, const std::string& origin) {
    if (share_.follows()) {
      team_->Tell(RecordOf(frame).Add(kOriginKey, origin));
      return;
    }
    if (scores_) scores_->Keep(RecordOf(frame).Add(kOriginKey, origin));
    Add(std::move(frame));
  }
  void Add(ScoredFrame frame) {
    if (frame.outcome != ScoredFrame::Outcome::kScored && unscored_.IsNew(frame.name, frame.reason)) {
      const bool is_skipped = frame.outcome == ScoredFrame::Outcome::kSkipped;
      progress_->Print((is_skipped ? "skipped " : "failed ") + frame.name + ": " + frame.reason);
    }
    progress_->Advance(frame.outcome != ScoredFrame::Outcome::kSkipped);
    if (!options_.shard) return session_.Add(std::move(frame));
    const std::scoped_lock lock(shard_mutex_);
    ++num_of_[static_cast<std::size_t>(frame.outcome)];
    if (frame.outcome == ScoredFrame::Outcome::kFailed && first_failure_.empty())
      first_failure_ = frame.name + ": " + frame.reason;
  }

  // Called in rank 0, in a separate thread: handles a message from another rank.
  JournalRecord TakeFromOthers(const JournalRecord& record) {
    if (record.kind == kFindKept) {
      const bool is_kept = TakeKept(std::string(record.Get("name")),
                                    static_cast<std::size_t>(NumberFromText(record.Get("index"))),
                                    std::string(record.Get(kOriginKey)));
      return {is_kept ? kKept : "none"};
    }
    ScoredFrame frame = ScoredFrameOf(record);
    if (scores_) scores_->Keep(record);
    Add(std::move(frame));
    return {"taken"};
  }

  // True if the frame's scores were kept before; they count then.
  bool TakeKept(const std::string& name, std::size_t index, const std::string& origin) {
    if (!options_.used_scores.resume) return false;
    if (share_.follows()) {
      const JournalRecord question = JournalRecord{kFindKept}
                                         .Add("name", name)
                                         .Add("index", std::to_string(index))
                                         .Add(kOriginKey, origin);
      return team_->Tell(question).kind == kKept;
    }
    const std::optional<JournalRecord> kept = scores_->Find(name, origin);
    if (!kept) return false;
    ScoredFrame frame = ScoredFrameOf(*kept);
    frame.index = index;
    Add(std::move(frame));
    return true;
  }

  void FinishShard(bool interrupted) const {
    std::printf("shard %s: %zu frames scored, %zu skipped, %zu failed; scores in %s, for parallax merge\n",
                options_.shard->Text().c_str(), num_of_[0], num_of_[1], num_of_[2],
                Printable(options_.scores.string()).c_str());
    if (num_of_[2] > 0) {
      throw Error(fmt::format("{} of {} frames failed, first {}", num_of_[2],
                              num_of_[0] + num_of_[1] + num_of_[2], first_failure_));
    }
    if (interrupted) throw Error("interrupted: continue with --resume");
  }

  template <typename Stop>
  void MatchFrames(const Stop& stop) {
    const std::string_view backend = ResolveBackend(options_.matching.backend, chosen_.parameters.method);
    if (!share_.follows()) options_.matching.LogMatching(options_.source, *source_, chosen_, backend);
    const UncertaintyParameters uncertainty = UncertaintyOf(TraitsOf(source_->kind()).rig_px, chosen_);
    FrameSteps steps;
    std::string why_skipped;  // set and read in the thread that reads; empty: the scores were kept
    std::size_t num_taken = 0;
    steps.is_done = [&](const std::string& name, const StereoFrame* frame) {
      if (frame == nullptr) {
        why_skipped.clear();
        const std::size_t taken = num_taken++;
        return options_.used_scores.resume && TakeKept(name, share_.IndexOf(taken), source_->NextOrigin());
      }
      if (frame->truth) return false;
      why_skipped = WhyNoTruth(*frame);
      return true;
    };
    steps.parameters_for = [&](const StereoFrame& frame) { return ParametersFor(frame, chosen_); };
    AddLiveFilters(chosen_.parameters, options_.matching.num_threads, steps);
    const auto pool = options_.matching.PoolOfDevices(
        backend, [this](const std::string& line) { progress_ ? Tell(line) : Log(line); });
    steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
      if (pool) {
        return pool->MakeQueue(parameters, matcher_options,
                               UsualFramesOnADevice(parameters, matcher_options));
      }
      return MakeQueueInMemory(backend, parameters, matcher_options, 1);
    };
    if (pool) steps.image_memory = pool->image_memory();
    steps.write = [&](const MatchedFrame& matched, FrameReport&) {
      HostImage<float> sigma;
      if (options_.uncertainty) sigma = SigmaOfDisparity(uncertainty, matched.map.View());
      Score(matched.frame, share_.IndexOf(matched.index), matched.frame.origin, matched.map.disparity(),
            matched.match_ms, matched.map.confidence(), sigma.ConstView(),
            options_.show_filled ? HostImageView<const std::uint8_t>{} : matched.map.validity());
    };
    steps.report = [&](const FrameReport& report) {
      const std::size_t index = share_.IndexOf(report.index);
      if (report.outcome == FrameOutcome::kSkipped && !why_skipped.empty())
        TakeQuietly({report.name, index, ScoredFrame::Outcome::kSkipped, why_skipped});
      if (report.outcome == FrameOutcome::kFailed)
        TakeQuietly({report.name, index, ScoredFrame::Outcome::kFailed, report.error});
    };
    // One writer: scoring has one set of buffers.
    RunFrames(share_.frames(), steps,
              {.max_frames = share_.max_frames(),
               .num_threads = options_.matching.num_threads,
               .device = options_.matching.device,
               .memory_limit_bytes = options_.matching.MemoryLimitBytes(backend),
               .num_writers = 1,
               .num_readers = team_ != nullptr ? std::min(8, options_.matching.num_threads) : 0,
               .stop_requested = stop});
  }

  // Called as the frame pipeline's report, which must not throw. If rank 0 has given up, the next question
  // reports it as well.
  void TakeQuietly(ScoredFrame frame) {
    try {
      Take(std::move(frame), "");
    } catch (...) {
      if (!share_.follows()) throw;
    }
  }

  template <typename Stop>
  void ReadEstimates(const Stop& stop) {
    const EstimateFiles estimates(options_.estimates, metrics_.front());
    const std::shared_ptr<FrameSource> frames = share_.frames();
    const std::optional<std::size_t> max_frames = share_.max_frames();
    for (std::size_t i = 0; !stop() && (!max_frames || i < *max_frames); ++i) {
      const std::optional<std::string> name = frames->NextName();
      if (!name) break;
      const std::size_t index = share_.IndexOf(i);
      try {
        ScoreEstimate(*frames, *name, index, estimates);
      } catch (const Error& error) {
        Take({*name, index, ScoredFrame::Outcome::kFailed, error.what()}, "");
      }
    }
  }

  // Afterwards the source stands behind the frame, even after an exception.
  void ScoreEstimate(FrameSource& frames, const std::string& name, std::size_t index,
                     const EstimateFiles& estimates) {
    std::optional<std::filesystem::path> file;
    try {
      file = estimates.Find(name);
    } catch (const Error&) {
      frames.Skip();
      throw;
    }
    const auto skip = [&](const std::string& why) {
      Take({name, index, ScoredFrame::Outcome::kSkipped, why}, "");
    };
    if (!file) {
      frames.Skip();
      const std::filesystem::path of_run = std::filesystem::path(options_.estimates) / "disparity";
      const bool is_run = std::filesystem::is_directory(of_run);
      return skip("no estimate " + name + ".png or .pfm in " + options_.estimates +
                  (is_run ? "; those of a run are in " + of_run.string() : ""));
    }
    std::string origin;  // of what is scored; it costs a look at the files, so only where it is kept
    if (!options_.scores.empty()) origin = frames.NextOrigin() + '\t' + StampOf({*file});
    if (TakeKept(name, index, origin)) return frames.Skip();
    const StereoFrame frame = frames.Read();
    if (!frame.truth) return skip(WhyNoTruth(frame));
    const HostImage<float> estimate = ReadEstimate(*file);
    Score(frame, index, origin, estimate.ConstView(), std::nullopt);
  }

  void Score(const StereoFrame& frame, std::size_t index, const std::string& origin,
             HostImageView<const float> estimate, std::optional<double> time_ms,
             HostImageView<const std::uint8_t> confidence = {}, HostImageView<const float> sigma = {},
             HostImageView<const std::uint8_t> validity = {}) {
    Take(session_.Score(frame,
                        {estimate, &*frame.truth, MaxDisparityFor(frame, estimate), options_.round,
                         confidence, sigma, validity},
                        time_ms, index),
         origin);
  }

  float MaxDisparityFor(const StereoFrame& frame, HostImageView<const float> estimate) const {
    if (options_.max_disparity_px) return *options_.max_disparity_px;
    return MaxDisparityOf(source_->kind(), frame, estimate);
  }

  static constexpr const char *kFindKept = "find", *kKept = "kept";

  const EvalOptions& options_;
  SharedRun* const team_;
  FrameShare share_;
  ChosenParameters chosen_;
  std::string range_line_;  // how the range of disparities was chosen; empty if it was not
  std::optional<PairCheck> check_;
  std::shared_ptr<FrameSource> source_;
  std::vector<Metric> metrics_;
  EvalSession session_;
  std::string cloud_backend_;
  std::optional<ScoreFolder> scores_;    // where they are kept, by this process
  std::optional<Progress> progress_;     // but of ranks above 0
  FrameErrors unscored_;                 // whose reasons were printed
  std::mutex shard_mutex_;               // of what follows
  std::array<std::size_t, 3> num_of_{};  // frames of a shard, by outcome
  std::string first_failure_;
};

}  // namespace

void EvaluateSource(const EvalOptions& options, SharedRun* team) {
  CheckFoldersOf(options.outputs);
  SourceEvaluation(options, team).Run();
}

}  // namespace parallax::app
