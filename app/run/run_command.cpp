// parallax run: frames in; disparity, depth and clouds out.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "app/build_info.h"
#include "app/calibrate/pair_check.h"
#include "app/commands.h"
#include "app/frames/frame_writer.h"
#include "app/frames/recorder.h"
#include "app/frames/report_record.h"
#include "app/frames/run_folder.h"
#include "app/frames/run_options.h"
#include "app/frames/summary.h"
#include "app/options/available_memory.h"
#include "app/options/live_source_options.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/named_rig.h"
#include "app/options/resolved_parameters.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/run/failures.h"
#include "app/run/shard_records.h"
#include "app/session/heap.h"
#include "app/session/interrupt.h"
#include "app/session/progress.h"
#include "app/team/frame_deal.h"
#include "app/team/shared_run.h"
#include "app/team/team.h"
#include "app/view/frame_viewer.h"
#include "config/backends.h"
#include "config/devices.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#include "datasets/source.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxReaders = 16;  // for each device; and as many writers

// What is done with clouds; null where nothing is.
std::unique_ptr<RunClouds> CloudsOf(const RunOptions& options, const std::vector<Output>& outputs) {
  const bool with_density = std::find(outputs.begin(), outputs.end(), Output::kDensity) != outputs.end();
  if (options.cloud_clean.empty() && !with_density) return nullptr;
  return std::make_unique<RunClouds>(
      options.cloud_clean, MakeCloudMeasures(CloudBackendFor(options.matching.backend),
                                             options.matching.device, options.matching.num_threads));
}

// Sends results to rank 0, which keeps the journal.
class RemoteResultKeeper : public ResultKeeper {
 public:
  explicit RemoteResultKeeper(SharedRun& shared) : shared_(shared) {}

  // The record that FindAnswer makes of what is known there.
  std::optional<FinishedResult> Find(std::string_view name) const override {
    std::optional<NamedResult> found = FinishedResultOf(shared_.Tell(JournalRecord{kFind}.Add("name", name)));
    return found ? std::optional(std::move(found->result)) : std::nullopt;
  }
  void Take(const JournalRecord& record) override { shared_.Tell(record); }

  static constexpr const char* kFind = "find";
  static JournalRecord FindAnswer(const ResultKeeper& keeper, const JournalRecord& question) {
    const std::string name(question.Get("name"));
    const std::optional<FinishedResult> found = keeper.Find(name);
    return found ? RecordOf(name, *found) : JournalRecord{"none"};
  }

 private:
  SharedRun& shared_;
};

// Of sources whose frames depend on those before them, or that cannot be had twice, no part can be taken.
void RequireParts(const std::string& option, const RunOptions& options, const FrameSource& source,
                  const Parameters& parameters) {
  const auto refuse = [&](const std::string& why) { throw InvalidArgument(option + ": " + why); };
  if (source.is_live()) refuse("a camera's frames cannot be shared between processes: leave it out");
  if (parameters.live.temporal) {
    refuse("with live.temporal a frame depends on those before it: set live.temporal=false, or leave it out");
  }
  if (!options.record.file.empty()) refuse("a recording is written by one process: leave out --record");
  if (options.view) refuse("cannot show a window: leave out --view");
}

// What the processes of a team have to agree on.
JournalRecord AgreementOf(const FrameSource& source, const Parameters& parameters) {
  JournalRecord what;
  what.Add("version", ThisBuild().version);
  const std::optional<std::size_t> num_frames = source.num_frames();
  what.Add("the number of frames", num_frames ? std::to_string(*num_frames) : "not known");
  for (const std::string& key : ParameterKeys()) what.Add(key, ParameterText(parameters, key));
  return what;
}

class RunCommand {
 public:
  // viewer: shows the frames as they are matched; may be null. shared: with whom the frames are shared; may
  // be null. Throws on wrong usage, before anything is written.
  RunCommand(const RunOptions& options, FrameViewer* viewer, SharedRun* shared)
      : options_(options),
        viewer_(viewer),
        shared_(shared),
        chosen_(options.matching.Load()),
        backend_(ResolveBackend(options.matching.backend, chosen_.parameters.method)) {
    if (options.num_in_flight > 1) RequireMatcherQueue(backend_, chosen_.parameters.method);
    memory_limit_bytes_ = options.matching.MemoryLimitBytes(backend_);
    const std::vector<Output> outputs = OutputsOf(options.outputs);
    clouds_ = CloudsOf(options, outputs);
    std::unique_ptr<FrameSource> source =
        WithDecimation(WithRectification(OpenSource(options.source, {.kind = options.kind, .live = Live()})),
                       chosen_.parameters);
    if (options.check && !IsFollower()) {
      check_.emplace(chosen_, PairCheck::LayoutOf(options.source, options.live),
                     [this](const std::string& line) { Warn(line); });
      source = check_->Watch(std::move(source), rectifier_);
    }
    source_ = std::move(source);
    chosen_.uncertainty = UncertaintyOf(TraitsOf(source_->kind()).rig_px, chosen_);
    writer_.emplace(options.output, outputs, chosen_.uncertainty, clouds_.get());
    if (options.used_folder.resume && source_->kind() == SourceKind::kCamera) {
      throw InvalidArgument(
          options.source.front() +
          ": a camera's frames cannot be read again: leave out --resume, and name another --output");
    }
    if (options.used_folder.resume && chosen_.parameters.live.temporal) {
      throw InvalidArgument(
          "--resume cannot reproduce an uninterrupted run: with live.temporal a frame depends on those "
          "before it; use --overwrite, or set live.temporal=false");
    }
    Recorder::Check(options.record, options.used_folder.overwrite);
    if (options.shard) RequireParts("--shard", options, *source_, chosen_.parameters);
    if (shared_ != nullptr) RequireParts("under mpirun", options, *source_, chosen_.parameters);
    total_of_all_ = source_->num_frames();
    if (options.max_frames) total_of_all_ = std::min(total_of_all_.value_or(SIZE_MAX), *options.max_frames);
    // A source that does not tell has at most --max-frames.
    if (source_->num_frames()) total_ = total_of_all_;
    if (total_ && options.shard) total_ = options.shard->NumFrames(*total_);
    const auto tell = [this](const std::string& line) {
      if (progress_) progress_->Print(line);
      Log(line);
    };
    pool_ = options.matching.PoolOfDevices(backend_, tell, total_ && viewer == nullptr);
    if (IsFollower()) return;
    CheckInputsStay();
    options.matching.LogWhatIsMatched(options.source, *source_, chosen_, backend_);
  }

  ~RunCommand() { monitor_->TellTo({}); }
  RunCommand(const RunCommand&) = delete;
  RunCommand& operator=(const RunCommand&) = delete;

  void Run() {
    if (IsFollower()) {
      keeper_.emplace(*shared_);
      folder_.emplace(options_, chosen_, *writer_, &*keeper_);
      shared_->Follow(AgreementOf(*source_, chosen_.parameters));
    } else {
      // A shard that was killed between a frame's files and its report makes both again.
      if (options_.shard && options_.used_folder.resume) reported_ = ReportedDone(options_.output);
      folder_.emplace(options_, chosen_, *writer_);
      folder_->Begin();
      if (options_.shard) NoteShard();
    }
    if (!options_.record.file.empty()) recorder_.emplace(options_.record);
    summary_ = RunSummary(Description(), options_.output);
    watch_ = {};
    if (!IsFollower()) progress_.emplace(total_, isatty(STDERR_FILENO) == 1 ? stderr : stdout);
    monitor_->TellTo([this](const std::string& line) {
      if (progress_) progress_->Print(line);
      Log(line);
    });
    if (Leads()) {
      shared_->Lead(AgreementOf(*source_, chosen_.parameters), total_of_all_,
                    [this](const JournalRecord& record) { return TakeFromOthers(record); });
    }
    const InterruptGuard interrupt([this] { TellInterrupt(); }, [this] { EndAtOnce(); });
    if (clouds_) clouds_->StopWhen([&] { return interrupt.requested().load(); });
    if (viewer_ != nullptr) viewer_->Begin(backend_, total_);
    std::exception_ptr lost;  // what ended the source: the frames before it have their summary
    try {
      KeepFreedMemory();  // the buffers of a frame are those of one before it
      const PipelineTotals totals =
          RunFrames(FramesToTake(), Steps(interrupt),
                    {.max_frames = dealt_ ? std::nullopt : options_.max_frames,
                     .num_threads = options_.matching.num_threads,
                     .device = options_.matching.device,
                     .memory_limit_bytes = memory_limit_bytes_,
                     .num_writers = PipelineThreads(),
                     .num_readers = PipelineThreads(),
                     .stop_requested = [&] {
                       if (viewer_ != nullptr && viewer_->closed()) window_closed_ = true;
                       return window_closed_ || interrupt.requested() || (Leads() && shared_->interrupted());
                     }});
      summary_.AddDropped(totals.num_dropped);
      LogDropped(totals.num_dropped);
    } catch (...) {
      lost = std::current_exception();
    }
    if (IsFollower()) {
      if (lost) std::rethrow_exception(lost);
      return shared_->Leave("", interrupt.requested());
    }
    if (Leads()) {
      if (interrupt.requested() || lost) shared_->StopDealing();
      try {
        shared_->AwaitOthers();
      } catch (...) {
        if (!lost) lost = std::current_exception();
      }
      was_interrupted_ = shared_->interrupted();
    }
    was_interrupted_ = was_interrupted_ || interrupt.requested();
    std::optional<WithoutWaitingForDisk> hurry;
    if (was_interrupted_) hurry.emplace();
    const std::scoped_lock lock(end_mutex_);
    has_ended_ = true;  // EndAtOnce came before this, or has nothing to do
    if (recorder_) recorder_->Finish();
    if (viewer_ != nullptr && interrupt.requested()) viewer_->window().Close();
    const bool cut_short = (was_interrupted_ || window_closed_ || lost) && IsCutShort();
    Finish(cut_short);
    if (lost) std::rethrow_exception(lost);
    ThrowOnFailures(summary_, SummaryPath());
    if (recorder_) recorder_->ThrowOnLoss();
    if (cut_short) {
      if (was_interrupted_) throw Error("interrupted " + WhereItEnded());
      progress_->Print("the window was closed " + WhereItEnded());
    }
    if (summary_.num_frames() == 0 && !options_.shard)
      throw Error(options_.source.front() + ": contains no frames");
  }

 private:
  LiveOptions Live() const {
    LiveOptions live = options_.live;
    live.monitor = monitor_;
    return live;
  }

  // Raw images are rectified by the matcher where that is a GPU; but those that are made smaller, or whose
  // pixels tell --resume whether they are the same, as they are read.
  std::unique_ptr<FrameSource> WithRectification(std::unique_ptr<FrameSource> source) {
    if (backend_ != "cuda" || options_.used_folder.resume || chosen_.parameters.live.decimation > 1)
      return WithRig(std::move(source), options_.rig);
    rectifier_ = std::make_shared<FrameRectifier>(options_.rig.Rectification());
    return WithRigLeftRaw(std::move(source), options_.rig, rectifier_);
  }

  fs::path SummaryPath() const { return options_.output / "summary.json"; }

  // A camera runs until it is interrupted; anything else was cut short.
  bool IsCutShort() const { return total_ && summary_.num_frames() < *total_; }
  std::string WhereItEnded() const {
    return fmt::format("after {} of {} frames: continue with --resume", summary_.num_frames(),
                       total_.value_or(0));
  }

  void Finish(bool cut_short) {
    if (source_->is_live()) summary_.SetLive(monitor_->counts());
    const double elapsed_s = watch_.s();
    summary_.Finish(elapsed_s, cut_short);
    if (check_) summary_.SetWarning(check_->Await());
    folder_->End();
    summary_.WriteJson(SummaryPath());
    // How many frames a source has that does not tell is not known before its end.
    if (options_.shard) {
      const bool is_interrupted = cut_short || (!total_ && is_interrupted_);
      folder_->Note(EndRecord(elapsed_s, is_interrupted, is_interrupted ? "" : dealt_->AllNames()));
    }
    progress_->Print(summary_.Text() + "results in " + options_.output.string());
    if (recorder_) progress_->Print(recorder_->Text());
  }

  // Whether another rank of a team does the talking, or this one does.
  bool IsFollower() const { return shared_ != nullptr && !shared_->leads(); }
  bool Leads() const { return shared_ != nullptr && shared_->leads(); }

  // To read or to write with: one per core, or per core of a rank's share, and at most so many for each
  // device.
  int PipelineThreads() const {
    const int num_cores = shared_ != nullptr ? options_.matching.num_threads
                                             : static_cast<int>(std::thread::hardware_concurrency());
    const int num_devices = pool_ ? static_cast<int>(pool_->num_left()) : 1;
    return std::clamp(num_cores, 1, kMaxReaders * num_devices);
  }

  // All of the source, or what this process takes of it.
  std::shared_ptr<FrameSource> FramesToTake() {
    if (shared_ == nullptr && !options_.shard) return source_;
    NextRange next = shared_ != nullptr ? NextRange([this] { return shared_->Next(); })
                                        : options_.shard->Frames(total_of_all_);
    dealt_ = std::make_shared<DealtSource>(source_, std::move(next));
    return dealt_;
  }

  // In rank 0, in a thread of its own: what another rank has to say.
  JournalRecord TakeFromOthers(const JournalRecord& record) {
    if (record.kind == RemoteResultKeeper::kFind)
      return RemoteResultKeeper::FindAnswer(folder_->keeper(), record);
    if (record.kind == kReportRecord) {
      TakeReport(FrameReportOf(record));
    } else {
      folder_->keeper().Take(record);
    }
    return {"taken"};
  }

  // What `parallax merge` has to know of a shard beside its files.
  void NoteShard() { folder_->Note(ShardRecord(Description())); }

  // False if an earlier frame failed with the same error, apart from numbers and names.
  bool IsNewFailure(const FrameReport& report) {
    std::string kind = report.error;
    for (std::size_t at; !report.name.empty() && (at = kind.find(report.name)) != std::string::npos;)
      kind.erase(at, report.name.size());
    std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    return failures_.insert(std::move(kind)).second;
  }

  // A line for standard error, above the bar where there is one.
  void Warn(const std::string& line) {
    if (isatty(STDERR_FILENO) == 0) return TellOnStderr(line);
    progress_->Print("parallax: " + line);
    Log(line);
  }

  // Every frame ends here, in whatever process it was matched.
  void TakeReport(const FrameReport& report) {
    if (options_.shard) folder_->Note(RecordOf(report));
    const std::scoped_lock lock(report_mutex_);
    if (report.outcome == FrameOutcome::kFailed) {
      if (IsNewFailure(report)) progress_->Print("failed " + report.name + ": " + report.error);
      Log(report.name + " failed: " + report.error);
    }
    progress_->Advance(report.outcome != FrameOutcome::kSkipped);
    summary_.Add(report);
  }

  // The next two are called in the thread that watches for signals.
  void TellInterrupt() {
    is_interrupted_ = true;
    folder_->Hurry();
    if (IsFollower()) return;
    if (has_ended_) {  // it does not look any more, and its window would stay
      if (viewer_ != nullptr) viewer_->window().Close();
      return;
    }
    const int num_writing = num_writing_;
    if (num_writing == 0) return progress_->Print("interrupted: no frame is being written");
    progress_->Print(
        fmt::format("interrupted: {} frame{} being written {} finished within 2 s; again to end at once",
                    num_writing, num_writing == 1 ? "" : "s", num_writing == 1 ? "is" : "are"));
  }

  // What is on its way takes too long. The journal knows what is whole; the rest is done again by --resume.
  void EndAtOnce() {
    if (IsFollower()) std::_Exit(1);
    const WithoutWaitingForDisk hurry;
    const std::scoped_lock lock(end_mutex_, report_mutex_);
    if (has_ended_) return;
    std::string error = "interrupted";
    try {
      if (recorder_) recorder_->Finish();
      Finish(IsCutShort());
      folder_->RemoveAllTemporaryFiles();
      if (total_) error += " " + WhereItEnded();
    } catch (const std::exception& failure) {
      error += std::string(": ") + failure.what();
    }
    std::fflush(stdout);
    std::fprintf(stderr, "parallax: %s\n", Printable(error).c_str());
    std::fflush(stderr);
    std::_Exit(1);  // other threads are at work
  }

  // Nothing of the source may be written over.
  void CheckInputsStay() const {
    const std::vector<std::string> read = source_->InputFiles();
    std::vector<fs::path> written_into;
    for (const ResultPlace& place : FrameWriter::Places())
      written_into.push_back(options_.output / place.folder);
    CheckFoldersApart(read, written_into);
    CheckFilesApart(read, {SummaryPath().string(), (options_.output / "parameters.yaml").string(),
                           (options_.output / "journal.tsv").string(), options_.record.file, LogFile()});
  }

  RunDescription Description() const {
    return {.source = options_.source,
            .kind = std::string(NameOf(source_->kind())),
            .backend = std::string(backend_),
            .config = options_.matching.config,
            .assignments = options_.matching.assignments,
            .outputs = options_.outputs,
            .rig = options_.rig.rig,
            .cloud_clean = options_.cloud_clean};
  }

  // They refer to this object and to the argument.
  FrameSteps Steps(const InterruptGuard& interrupt) {
    FrameSteps steps;
    if (options_.used_folder.resume) {
      steps.is_done = [this](const std::string& name, const StereoFrame* frame) {
        if (options_.shard && !reported_.contains(name)) return false;
        return folder_->IsDone(name, frame == nullptr ? source_->NextOrigin() : frame->origin, frame);
      };
    }
    steps.parameters_for = [this](const StereoFrame& frame) { return ParametersFor(frame, chosen_); };
    AddLiveFilters(chosen_.parameters, options_.matching.num_threads, steps);
    AddMatching(steps);
    steps.rectifier = rectifier_;
    steps.reprojection_for = [this](const StereoFrame& frame) { return writer_->ReprojectionOf(frame); };
    steps.write = [this, &interrupt](const MatchedFrame& matched, FrameReport& report) {
      if (clouds_ && interrupt.requested()) {  // clouds take long
        report.outcome = FrameOutcome::kDropped;
        return;
      }
      ++num_writing_;
      try {
        Write(matched, report);
      } catch (const RunClouds::Stopped&) {
        report.outcome = FrameOutcome::kDropped;
      } catch (...) {
        --num_writing_;
        throw;
      }
      --num_writing_;
    };
    steps.report = [this](FrameReport report) {
      if (report.outcome == FrameOutcome::kDropped) return;
      report.error = ErrorText(report.error);
      if (dealt_) report.index = dealt_->IndexOf(report.index);
      if (!IsFollower()) return TakeReport(report);
      try {
        shared_->Tell(RecordOf(report));
      } catch (...) {  // rank 0 has given up: the next question for frames says so, too
      }
    };
    if (recorder_ || viewer_ != nullptr) {
      steps.observe = [this, &interrupt](const std::shared_ptr<const MatchedFrame>& frame) {
        if (recorder_) recorder_->Record(frame);
        if (viewer_ != nullptr && !viewer_->Observe(frame, &interrupt.requested())) window_closed_ = true;
      };
    }
    return steps;
  }

  // Files of one frame; the journal keeps their checksums.
  void Write(const MatchedFrame& matched, FrameReport& report) {
    const WithoutWaitingForDisk journal_has_checksums;
    folder_->Start(matched.frame);
    writer_->Write(matched, report);
    folder_->Finish(matched.frame, matched.parameters);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::scoped_lock lock(report_mutex_);
    if (matched.frame.rig) summary_.SetRange(*matched.frame.rig, matched.parameters);
    if (!source_->is_live() || !matched.frame.timestamp_s) return;
    summary_.AddLatency(std::chrono::duration<double, std::milli>(now).count() -
                        *matched.frame.timestamp_s * 1e3);
  }

  void AddMatching(FrameSteps& steps) const {
    // For a camera low latency matters more than throughput. Frames of files are matched several at a time, with
    // a window as well, so that it does not slow the run.
    const bool usual_in_flight = options_.num_in_flight == 0 && backend_ == "cpu" && total_;
    if (pool_) steps.image_memory = pool_->image_memory();
    steps.make_matcher = [this, usual_in_flight](const Parameters& parameters,
                                                 const MatcherOptions& matcher_options) {
      if (pool_)
        return pool_->MakeQueue(parameters, matcher_options, FramesOnADevice(parameters, matcher_options));
      const int num_in_flight = usual_in_flight ? UsualFramesInMemory(backend_, parameters, matcher_options)
                                                : std::max(1, options_.num_in_flight);
      return MakeQueueInMemory(backend_, parameters, matcher_options, num_in_flight);
    };
  }

  int FramesOnADevice(const Parameters& parameters, const MatcherOptions& matcher_options) const {
    if (options_.num_in_flight > 0) return options_.num_in_flight;
    return total_ ? UsualFramesOnADevice(parameters, matcher_options) : 1;
  }

  const RunOptions& options_;
  FrameViewer* const viewer_;
  SharedRun* const shared_;
  ChosenParameters chosen_;
  const std::string_view backend_;
  std::unique_ptr<DevicePool> pool_;  // where a GPU has several frames in flight, or several GPUs share them
  std::size_t memory_limit_bytes_ = 0;
  std::unique_ptr<RunClouds> clouds_;
  std::optional<FrameWriter> writer_;  // made once its parts are
  const std::shared_ptr<LiveMonitor> monitor_ = std::make_shared<LiveMonitor>();
  std::shared_ptr<FrameRectifier> rectifier_;  // of frames that come raw; else null
  std::shared_ptr<FrameSource> source_;
  std::shared_ptr<DealtSource> dealt_;           // from Run on, where this process takes a part of it
  std::set<std::string, std::less<>> reported_;  // frames of a shard that is resumed
  std::optional<RemoteResultKeeper> keeper_;     // of a rank above 0
  std::optional<RunFolder> folder_;              // from Run on
  std::optional<Recorder> recorder_;             // the same, where frames are recorded
  // Frames that end here, and those of all shards or ranks, where that is known.
  std::optional<std::size_t> total_, total_of_all_;
  Stopwatch watch_;  // since the first frame
  RunSummary summary_;
  std::optional<Progress> progress_;  // from Run on
  std::atomic<int> num_writing_ = 0;  // frames
  std::mutex end_mutex_;              // held by who ends the run
  std::atomic<bool> has_ended_ = false;
  bool was_interrupted_ = false;
  std::mutex report_mutex_;         // of the summary while frames are reported
  std::set<std::string> failures_;  // of IsNewFailure
  std::atomic<bool> window_closed_ = false, is_interrupted_ = false;
  std::optional<PairCheck> check_;  // goes first: it tells in a thread of its own
};

}  // namespace

void AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Match frames; write disparity, depth, clouds");
  const auto options = std::make_shared<RunOptions>();
  AddRunOptions(*command, *options);
  command->callback([options] {
    if (!options->shard_text.empty()) {
      options->shard = ParseShard(options->shard_text);
      options->output /= options->shard->FolderName();
    } else if (const std::unique_ptr<Team> team = JoinTeam()) {
      options->matching = ShareOf(*team, options->matching);
      return RunInTeam(team.get(), [&](SharedRun* shared) { RunCommand(*options, nullptr, shared).Run(); });
    }
    if (!options->view) return RunCommand(*options, nullptr, nullptr).Run();
    FrameViewer viewer({.title = "parallax run " + fmt::format("{}", fmt::join(options->source, " ")),
                        .width_px = options->view_size_px[0],
                        .height_px = options->view_size_px[1],
                        .state_file = options->view_state_file},
                       FrameViewer::First::kWork);
    viewer.RunAlongside([&] { RunCommand(*options, &viewer, nullptr).Run(); });
  });
}

}  // namespace parallax::app
