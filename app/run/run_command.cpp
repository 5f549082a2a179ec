// parallax run: frames in; disparity, depth and clouds out.
#include <fmt/format.h>

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
#include "app/calibrate/chosen_range.h"
#include "app/calibrate/pair_check.h"
#include "app/commands.h"
#include "app/frames/frame_writer.h"
#include "app/frames/recorder.h"
#include "app/frames/report_record.h"
#include "app/frames/ros2_publisher.h"
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
#include "app/run/rig_monitor.h"
#include "app/run/run_once.h"
#include "app/run/run_reports.h"
#include "app/run/run_status.h"
#include "app/run/shard_records.h"
#include "app/session/heap.h"
#include "app/session/interrupt.h"
#include "app/session/schedule.h"
#include "app/team/frame_share.h"
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

// What is done with clouds; null if nothing is.
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

// Why a run cannot take a part of a source's frames; empty = it can.
std::string WhyNoParts(const RunOptions& options) {
  if (!options.record.file.empty()) return "a recording is written by one process: leave out --record";
  if (!options.ros2.empty()) return "topics are published by one process: leave out --ros2";
  if (options.rig_follow) return "a rig is followed from frame to frame: leave out --rig-follow";
  return options.view ? "one process cannot show the frames of all: leave out --view" : "";
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
  // viewer: shows the frames as they are matched; may be null. team: with whom the frames are shared; may be
  // null. Throws on wrong usage, before anything is written.
  RunCommand(const RunOptions& options, FrameViewer* viewer, SharedRun* team)
      : options_(options),
        viewer_(viewer),
        team_(team),
        share_(options.shard, options.max_frames, team),
        chosen_(options.matching.Load(AutoRange::kTaken)),
        backend_(ResolveBackend(options.matching.backend, chosen_.parameters.method)) {
    if (options.num_in_flight > 1) RequireMatcherQueue(backend_, chosen_.parameters.method);
    memory_limit_bytes_ = options.matching.MemoryLimitBytes(backend_);
    const std::vector<Output> outputs = OutputsOf(options.outputs);
    clouds_ = CloudsOf(options, outputs);
    std::unique_ptr<FrameSource> source =
        WithDecimation(WithRectification(OpenSource(options.source, {.kind = options.kind, .live = Live()})),
                       chosen_.parameters);
    source = WithChosenRange(
        std::move(source), chosen_, [this](const std::string& line) { range_line_ = line; },
        rectifier_.get());
    if (options.check && !share_.follows()) {
      check_.emplace(chosen_, PairCheck::LayoutOf(options.source, options.live),
                     [this](const std::string& line) { reports_->Warn(line); });
      source = check_->Watch(std::move(source), rectifier_);
    }
    source_ = std::move(source);
    chosen_.uncertainty = UncertaintyOf(TraitsOf(source_->kind()).rig_px, chosen_);
    writer_.emplace(options.output, outputs, chosen_.uncertainty, options.show_filled, clouds_.get());
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
    if (options.rig_follow && options.used_folder.resume) {
      throw InvalidArgument(
          "--resume cannot reproduce an uninterrupted run: with --rig-follow a frame depends on those before "
          "it; use --overwrite, or leave out --rig-follow");
    }
    Recorder::Check(options.record, options.used_folder.overwrite);
    share_.Open(source_, chosen_.parameters.live.temporal, WhyNoParts(options));
    total_ = share_.num_frames();
    pool_ = options.matching.PoolOfDevices(
        backend_, [this](const std::string& line) { Tell(line); }, total_ && viewer == nullptr);
    if (share_.follows()) return;
    CheckInputsStay();
    if (!options_.ros2.empty()) {
      publisher_.emplace(Ros2Publisher::Options{.name_space = options_.ros2,
                                                .frame_id = options_.ros2_frame,
                                                .show_filled = options_.show_filled,
                                                .is_live = source_->is_live(),
                                                .uncertainty = chosen_.uncertainty});
    }
    options.matching.LogMatching(options.source, *source_, chosen_, backend_);
  }

  ~RunCommand() {
    monitor_->ReportTo({});
    if (publisher_) publisher_->ReportStatus({});
    if (viewer_ != nullptr) viewer_->KeepNote();
    if (rig_monitor_) rig_monitor_->Finish();  // a reader that is left behind still owns it
  }
  RunCommand(const RunCommand&) = delete;
  RunCommand& operator=(const RunCommand&) = delete;

  void Run() {
    if (share_.follows()) {
      keeper_.emplace(*team_);
      folder_.emplace(options_, chosen_, *writer_, &*keeper_);
    } else {
      // A shard that was killed between a frame's files and its report makes both again.
      if (options_.shard && options_.used_folder.resume) reported_ = ReportedDone(options_.output);
      folder_.emplace(options_, chosen_, *writer_);
      folder_->Begin();
      if (options_.shard) folder_->Note(ShardRecord(Description()));
    }
    reports_.emplace(Description(), options_.output);
    const bool watches = source_->is_live() || source_->kind() == SourceKind::kRecording;
    if (const int every = options_.rig_watch.value_or(watches || followed_ ? kUsualRigWatch : 0);
        every > 0 && (!followed_ || followed_->is_measured())) {
      rig_monitor_ = std::make_shared<RigMonitor>(
          every, !source_->is_live(), [this](const std::string& line) { reports_->Warn(line); },
          followed_ ? followed_->rectifier() : nullptr);
      if (followed_) followed_->MeasureBy(rig_monitor_);
    }
    if (!options_.record.file.empty()) {
      RecordOptions record = options_.record;
      record.show_filled = options_.show_filled;
      record.with_rig = rig_monitor_ != nullptr;
      record.parameters = folder_->ParametersText(!chosen_.IsChosen(kNumDisparitiesKey));
      recorder_.emplace(record);
    }
    if (publisher_)
      publisher_->ReportStatus([this, status = RunStatus()]() mutable { return Status(status); });
    watch_ = {};
    if (!share_.follows()) reports_->ShowProgress(total_);
    if (!share_.follows() && !range_line_.empty()) reports_->Tell(range_line_);
    monitor_->ReportTo([this](const std::string& line) { Tell(line); });
    share_.Begin(AgreementOf(*source_, chosen_.parameters),
                 [this](const JournalRecord& record) { return TakeFromOthers(record); });
    const InterruptGuard interrupt([this] { PrintInterrupt(); }, [this] { EndAtOnce(); });
    if (clouds_) clouds_->StopWhen([&] { return interrupt.requested().load(); });
    if (viewer_ != nullptr) viewer_->Begin(backend_, total_, [this] { return WindowNote(); });
    if (const auto end = share_.Take(interrupt, [&] { TakeFrames(interrupt); })) EndRun(*end, interrupt);
  }

 private:
  // The latency and the state of the rig, for the status line.
  StatusNote WindowNote() {
    StatusNote note;
    reports_->WithSummary([&](const RunSummary& summary) {
      if (summary.latency().size() > 0) note.text = LatencyText(summary.latency());
    });
    if (!rig_monitor_) return note;
    if (!note.text.empty()) note.text += "    ";
    note.text += RigText(rig_monitor_->drift());
    note.is_alarm = !rig_monitor_->fault().empty();
    return note;
  }

  LiveOptions Live() const {
    LiveOptions live = options_.live;
    live.monitor = monitor_;
    live.image_memory = kept_heap_;
    return live;
  }

  // Raw images are rectified by the matcher where that is a GPU; but those that are made smaller, or whose
  // pixels tell --resume whether they are the same, as they are read.
  std::unique_ptr<FrameSource> WithRectification(std::unique_ptr<FrameSource> source) {
    if (options_.rig_follow) {
      if (options_.rig_watch == 0)
        throw InvalidArgument("--rig-follow needs measurements of the rig: leave out --rig-watch 0");
      followed_ = std::make_shared<FollowedRig>(options_.rig, options_.turns);
      return FollowedRig::Open(followed_, std::move(source), options_.rig);
    }
    if (backend_ != "cuda" || options_.used_folder.resume || chosen_.parameters.live.decimation > 1)
      return WithRig(std::move(source), options_.rig);
    rectifier_ = std::make_shared<FrameRectifier>(options_.rig.Rectification());
    return WithRig(std::move(source), options_.rig,
                   [rectifier = rectifier_](StereoFrame& frame) { rectifier->Prepare(frame); });
  }

  RosStatus Status(RunStatus& status) {
    const RigDrift rig = rig_monitor_ ? rig_monitor_->drift() : RigDrift();
    const std::string fault = rig_monitor_ ? rig_monitor_->fault() : "";
    RosStatus now = reports_->WithSummary(
        [&](const RunSummary& summary) { return status.Now(summary, monitor_->counts(), rig, fault); });
    now.hardware_id = options_.source.front();
    return now;
  }

  void TakeFrames(const InterruptGuard& interrupt) {
    KeepFreedMemory();  // the buffers of a frame are those of one before it
    const PipelineTotals totals = RunFrames(share_.frames(), Steps(interrupt),
                                            {.max_frames = share_.max_frames(),
                                             .num_threads = options_.matching.num_threads,
                                             .device = options_.matching.device,
                                             .memory_limit_bytes = memory_limit_bytes_,
                                             .num_writers = PipelineThreads(),
                                             .num_readers = PipelineThreads(),
                                             .stop_requested = [&] {
                                               if (viewer_ != nullptr && viewer_->closed())
                                                 window_closed_ = true;
                                               return window_closed_ || share_.StopRequested(interrupt);
                                             }});
    reports_->WithSummary([&](RunSummary& summary) { summary.AddDropped(totals.num_dropped); });
    LogDropped(totals.num_dropped);
  }

  void EndRun(const FrameShare::End& end, const InterruptGuard& interrupt) {
    std::optional<WithoutWaitingForDisk> hurry;
    if (end.interrupted) hurry.emplace();
    const std::scoped_lock lock(end_mutex_);
    has_ended_ = true;  // EndAtOnce came before this, or has nothing to do
    if (recorder_) recorder_->Finish();
    if (publisher_) publisher_->Finish();
    if (viewer_ != nullptr && interrupt.requested()) viewer_->window().Close();
    const bool cut_short = (end.interrupted || window_closed_ || end.lost) && IsCutShort();
    Finish(cut_short);
    if (end.lost) std::rethrow_exception(end.lost);
    reports_->WithSummary([&](const RunSummary& summary) { ThrowOnFailures(summary, SummaryPath()); });
    if (recorder_) recorder_->ThrowOnLoss();
    if (cut_short) {
      if (end.interrupted) throw Error("interrupted " + EndText());
      reports_->Print("the window was closed " + EndText());
    }
    if (NumEnded() == 0 && !options_.shard) throw Error(options_.source.front() + ": contains no frames");
  }

  void Tell(const std::string& line) {
    if (!reports_) return Log(line);
    reports_->Tell(line);
  }

  std::size_t NumEnded() {
    return reports_->WithSummary([](const RunSummary& summary) { return summary.num_frames(); });
  }

  fs::path SummaryPath() const { return options_.output / "summary.json"; }

  // A camera runs until it is interrupted; anything else was cut short.
  bool IsCutShort() { return total_ && NumEnded() < *total_; }
  std::string EndText() {
    return fmt::format("after {} of {} frames: continue with --resume", NumEnded(), total_.value_or(0));
  }

  void Finish(bool cut_short) {
    const double elapsed_s = watch_.s();
    const std::string warning = check_ ? check_->Await() : "";
    std::optional<RigDrift> drift;
    if (rig_monitor_) drift = rig_monitor_->Finish();
    const std::string text = reports_->WithSummary([&](RunSummary& summary) {
      if (source_->is_live()) summary.SetLive(monitor_->counts());
      summary.Finish(elapsed_s, cut_short);
      summary.SetWarning(warning);
      if (drift) summary.SetDrift(*drift);
      folder_->End();
      summary.WriteJson(SummaryPath());
      return summary.Text();
    });
    // A source that does not state its number of frames reveals it only at its end.
    if (options_.shard) {
      const bool is_interrupted = cut_short || (!total_ && is_interrupted_);
      folder_->Note(EndRecord(elapsed_s, is_interrupted, is_interrupted ? "" : share_.AllNames()));
    }
    reports_->Print(text + "results in " + options_.output.string());
    if (recorder_) reports_->Print(recorder_->Text());
    if (publisher_) reports_->Print(publisher_->Text());
  }

  // Threads that read or write frames: one for each core, or each core of a rank's share; limited for each
  // device.
  int PipelineThreads() const {
    const int num_cores = team_ != nullptr ? options_.matching.num_threads
                                           : static_cast<int>(std::thread::hardware_concurrency());
    const int num_devices = pool_ ? static_cast<int>(pool_->num_left()) : 1;
    return std::clamp(num_cores, 1, kMaxReaders * num_devices);
  }

  // Handles a message of another rank, in rank 0 and in a separate thread.
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

  // Every frame ends here, in whatever process it was matched.
  void TakeReport(const FrameReport& report) {
    if (options_.shard) folder_->Note(RecordOf(report));
    reports_->Take(report);
  }

  // The next two are called in the thread that watches for signals.
  void PrintInterrupt() {
    is_interrupted_ = true;
    folder_->Hurry();
    if (share_.follows()) return;
    if (has_ended_) {  // it does not look any more, and its window would stay
      if (viewer_ != nullptr) viewer_->window().Close();
      return;
    }
    const int num_writing = num_writing_;
    if (num_writing == 0) return reports_->Print("interrupted: no frame is being written");
    reports_->Print(
        fmt::format("interrupted: {} frame{} being written {} finished within 2 s; again to end at once",
                    num_writing, num_writing == 1 ? "" : "s", num_writing == 1 ? "is" : "are"));
  }

  // Gives up the frames in progress. The journal lists complete frames; --resume does the others.
  void EndAtOnce() {
    if (share_.follows()) std::_Exit(1);
    const WithoutWaitingForDisk hurry;
    const std::scoped_lock lock(end_mutex_);
    if (has_ended_) return;
    std::string error = "interrupted";
    try {
      if (recorder_) recorder_->Finish();
      if (publisher_) publisher_->Finish();
      Finish(IsCutShort());
      folder_->RemoveAllTemporaryFiles();
      if (total_) error += " " + EndText();
    } catch (const std::exception& failure) {
      error += std::string(": ") + failure.what();
    }
    std::fflush(stdout);
    std::fprintf(stderr, "parallax: %s\n", Printable(error).c_str());
    std::fflush(stderr);
    std::_Exit(1);  // other threads are at work
  }

  // Throws if an output would overwrite a file of the source.
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

  // The steps keep references to this object and to `interrupt`.
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
      if (!report.error.empty()) report.error = ErrorText(report.error);
      report.index = share_.IndexOf(report.index);
      if (!share_.follows()) return TakeReport(report);
      try {
        team_->Tell(RecordOf(report));
      } catch (...) {  // rank 0 has given up: the next question for frames says so, too
      }
    };
    if (recorder_ || publisher_ || viewer_ != nullptr || rig_monitor_ || options_.observe) {
      steps.observe = [this, &interrupt](const std::shared_ptr<const MatchedFrame>& frame) {
        if (options_.observe) options_.observe(*frame);
        if (rig_monitor_ && !followed_) rig_monitor_->See({frame, &frame->frame});
        if (recorder_) {
          const std::optional<RigDrift> rig = rig_monitor_ ? rig_monitor_->TakeNew() : std::nullopt;
          recorder_->Record(frame, rig ? RigJson(*rig) : "");
        }
        if (publisher_) publisher_->Publish(frame);
        if (viewer_ != nullptr && !viewer_->Observe(frame, &interrupt.requested())) window_closed_ = true;
      };
    }
    return steps;
  }

  // Files of one frame; the journal keeps their checksums.
  void Write(const MatchedFrame& matched, FrameReport& report) {
    const Stopwatch watch;
    const WithoutWaitingForDisk journal_has_checksums;
    // The journal omits a camera's frame without files: --resume, verify and --overwrite need nothing of it.
    const bool is_noted = !source_->is_live() || !writer_->OutputsFor(matched.frame.rig.has_value()).empty();
    if (is_noted) folder_->Start(matched.frame);
    writer_->Write(matched, report);
    if (is_noted) folder_->Finish(matched.frame, matched.parameters);
    monitor_->NoteWork(matched.match_ms + watch.ms());
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    reports_->WithSummary([&](RunSummary& summary) {
      if (matched.frame.rig) summary.SetRange(*matched.frame.rig, matched.parameters);
      if (!source_->is_live() || !matched.frame.timestamp_s) return;
      // Stamps of a simulation or of a recording that is played are of another clock.
      constexpr double kLongestLatency_ms = 3.6e6;
      const double latency_ms =
          std::chrono::duration<double, std::milli>(now).count() - *matched.frame.timestamp_s * 1e3;
      if (latency_ms >= 0 && latency_ms < kLongestLatency_ms) summary.AddLatency(latency_ms);
    });
  }

  void AddMatching(FrameSteps& steps) const {
    // For a camera low latency matters more than throughput. Frames of files are matched several at a time, with
    // a window as well, so that it does not slow the run.
    const bool usual_in_flight = options_.num_in_flight == 0 && backend_ == "cpu" && total_;
    steps.image_memory = pool_ ? pool_->image_memory() : kept_heap_;
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
  SharedRun* const team_;
  FrameShare share_;
  ChosenParameters chosen_;
  std::string range_line_;  // how the range of disparities was chosen; empty if it was not
  const std::string_view backend_;
  const std::shared_ptr<HostMemory> kept_heap_ = std::make_shared<KeptHeap>();
  std::unique_ptr<DevicePool> pool_;  // where a GPU has several frames in flight, or several GPUs share them
  std::size_t memory_limit_bytes_ = 0;
  std::unique_ptr<RunClouds> clouds_;
  std::optional<FrameWriter> writer_;  // made once its parts are
  const std::shared_ptr<LiveMonitor> monitor_ = std::make_shared<LiveMonitor>();
  std::shared_ptr<FrameRectifier> rectifier_;  // of frames that come raw; else null
  std::shared_ptr<FrameSource> source_;
  std::set<std::string, std::less<>> reported_;  // frames of a shard that is resumed
  std::optional<RemoteResultKeeper> keeper_;     // of a rank above 0
  std::optional<Ros2Publisher> publisher_;       // if frames are published
  std::optional<RunFolder> folder_;              // from Run on
  std::optional<Recorder> recorder_;             // the same, if frames are recorded
  std::optional<RunReports> reports_;            // the same
  std::optional<std::size_t> total_;             // frames that end here, if that is known
  Stopwatch watch_;                              // since the first frame
  std::atomic<int> num_writing_ = 0;             // frames
  std::mutex end_mutex_;                         // held while the run ends
  std::atomic<bool> has_ended_ = false, window_closed_ = false, is_interrupted_ = false;
  std::optional<PairCheck> check_;         // destroyed before the members above, to which its thread reports
  std::shared_ptr<FollowedRig> followed_;  // where the rig is followed
  std::shared_ptr<RigMonitor> rig_monitor_;  // from Run on, where the rig is watched
};

}  // namespace

void RunOnce(const RunOptions& options) { RunCommand(options, nullptr, nullptr).Run(); }

void AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Match frames; write disparity, depth, clouds");
  const auto options = std::make_shared<RunOptions>();
  AddRunOptions(*command, *options);
  command->callback([options] {
    Schedule(options->cores, options->priority);
    RunOpenCvInCallersThread();
    if (!options->shard_text.empty()) {
      options->shard = ParseShard(options->shard_text);
      options->output /= options->shard->FolderName();
    } else if (const std::unique_ptr<Team> team = JoinTeam()) {
      options->matching = ShareOf(*team, options->matching);
      return RunInTeam(team.get(), [&](SharedRun* shared) { RunCommand(*options, nullptr, shared).Run(); });
    }
    if (!options->view) return RunOnce(*options);
    FrameViewer viewer({.title = "parallax run " + fmt::format("{}", fmt::join(options->source, " ")),
                        .width_px = options->view_size_px[0],
                        .height_px = options->view_size_px[1],
                        .state_file = options->view_state_file,
                        .show_filled = options->show_filled},
                       FrameViewer::First::kWork);
    viewer.RunAlongside([&] { RunCommand(*options, &viewer, nullptr).Run(); });
  });
}

}  // namespace parallax::app
