// parallax run: frames in; disparity, depth and clouds out.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/calibrate/row_check.h"
#include "app/commands.h"
#include "app/options/available_memory.h"
#include "app/options/frame_parameters.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/named_rig.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/run/frame_writer.h"
#include "app/run/heap.h"
#include "app/run/interrupt.h"
#include "app/run/progress.h"
#include "app/run/recorder.h"
#include "app/run/run_folder.h"
#include "app/run/run_options.h"
#include "app/run/summary.h"
#include "app/view/frame_viewer.h"
#include "config/backends.h"
#include "config/parameters_yaml.h"
#include "datasets/atomic_file.h"
#include "datasets/source.h"
#include "pipeline/error.h"
#include "pipeline/frames/frame_road.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// Throws what main is to print when not all went well.
void ThrowOnFailures(const RunSummary& summary, const fs::path& summary_path) {
  const std::size_t num_failed = summary.Count(FrameOutcome::kFailed);
  const auto& frames = summary.frames();
  if (num_failed > 0) {
    const auto first = std::find_if(frames.begin(), frames.end(), [](const FrameReport& frame) {
      return frame.outcome == FrameOutcome::kFailed;
    });
    const std::string which = fmt::format("frame {}: {}", first->name, first->error);
    if (frames.size() == 1) throw Error(which);
    if (num_failed == 1) throw Error(fmt::format("1 of {} frames failed: {}", frames.size(), which));
    throw Error(fmt::format("{} of {} frames failed (all named in {}), first {}", num_failed, frames.size(),
                            summary_path.string(), which));
  }
  if (summary.num_incomplete() > 0) {
    const auto first = std::find_if(frames.begin(), frames.end(),
                                    [](const FrameReport& frame) { return !frame.missing.empty(); });
    throw Error(
        fmt::format("{} of {} frames lack what was asked for, first {}: {}; the rest is written: name the "
                    "calibration with --rig, or leave that out of --write",
                    summary.num_incomplete(), frames.size(), first->name, fmt::join(first->missing, ", ")));
  }
}

// What is done with clouds; null where nothing is.
std::unique_ptr<RunClouds> CloudsOf(const RunOptions& options, const std::vector<Output>& outputs) {
  RunCloudOptions clouds = options.clouds;
  clouds.density =
      clouds.density || std::find(outputs.begin(), outputs.end(), Output::kDensity) != outputs.end();
  if (clouds.IsEmpty()) return nullptr;
  return std::make_unique<RunClouds>(
      clouds, MakeCloudMeasures(CloudBackendBeside(options.matching.backend), options.matching.device,
                                options.matching.num_threads));
}

class RunCommand {
 public:
  // viewer: shows the frames as they are matched; may be null. Throws on wrong usage, before anything is
  // written.
  RunCommand(const RunOptions& options, FrameViewer* viewer)
      : options_(options),
        viewer_(viewer),
        chosen_(options.matching.Load()),
        backend_(ResolveBackend(options.matching.backend, chosen_.parameters.method)) {
    if (options.num_in_flight > 1) RequireMatcherQueue(backend_, chosen_.parameters.method);
    memory_limit_bytes_ = options.matching.MemoryLimitBytes(backend_);
    const std::vector<Output> outputs = OutputsOf(options.outputs);
    clouds_ = CloudsOf(options, outputs);
    source_ =
        WithDecimation(WithRowCheck(WithRig(OpenSource(options.source, {.kind = options.kind}), options.rig)),
                       chosen_.parameters);
    chosen_.uncertainty = UncertaintyOf(source_->kind(), chosen_);
    writer_.emplace(options.output, outputs, chosen_.uncertainty, clouds_.get());
    if (options.used_folder.resume && source_->kind() == SourceKind::kCamera) {
      throw InvalidArgument(options.source.front() +
                            ": a camera's frames do not come again: leave out --resume, and name another "
                            "--output");
    }
    if (options.used_folder.resume && chosen_.parameters.live.temporal) {
      throw InvalidArgument(
          "--resume cannot give what an undisturbed run would: with live.temporal a frame depends on those "
          "before it; use --overwrite, or set live.temporal=false");
    }
    Recorder::Check(options.record, options.used_folder.overwrite);
    total_ = source_->num_frames();
    if (total_ && options.max_frames) total_ = std::min(*total_, *options.max_frames);
    CheckInputsStay();
    options.matching.LogWhatIsMatched(options.source, *source_, chosen_, backend_);
  }

  void Run() {
    folder_.emplace(options_, chosen_, *writer_);
    folder_->Begin();
    if (!options_.record.file.empty()) recorder_.emplace(options_.record);
    summary_ = RunSummary(Description());
    start_ = std::chrono::steady_clock::now();
    progress_.emplace(total_, isatty(STDERR_FILENO) == 1 ? stderr : stdout);
    const InterruptGuard interrupt([this] { TellInterrupt(); }, [this] { EndAtOnce(); });
    if (clouds_) clouds_->StopWhen([&] { return interrupt.requested().load(); });
    if (viewer_ != nullptr) viewer_->Begin(backend_, total_);
    std::exception_ptr lost;  // what ended the source: the frames before it have their summary
    try {
      KeepFreedMemory();  // the buffers of a frame are those of one before it
      const RoadTotals totals = RunFrames(source_, Steps(interrupt),
                                          {.max_frames = options_.max_frames,
                                           .num_threads = options_.matching.num_threads,
                                           .device = options_.matching.device,
                                           .memory_limit_bytes = memory_limit_bytes_,
                                           .stop_requested = [&] {
                                             if (viewer_ != nullptr && viewer_->closed())
                                               window_closed_ = true;
                                             return window_closed_ || interrupt.requested();
                                           }});
      summary_.AddDropped(totals.num_dropped);
      LogDropped(totals.num_dropped);
    } catch (...) {
      lost = std::current_exception();
    }
    const std::scoped_lock lock(end_mutex_);
    has_ended_ = true;  // EndAtOnce came before this, or has nothing to do
    if (recorder_) recorder_->Finish();
    if (viewer_ != nullptr && interrupt.requested()) viewer_->window().Close();
    const bool cut_short = (interrupt.requested() || window_closed_ || lost) && IsCutShort();
    Finish(cut_short);
    if (lost) std::rethrow_exception(lost);
    ThrowOnFailures(summary_, SummaryPath());
    if (recorder_) recorder_->ThrowOnLoss();
    if (cut_short) {
      if (interrupt.requested()) throw Error("interrupted " + WhereItEnded());
      progress_->Print("the window was closed " + WhereItEnded());
    }
    if (summary_.frames().empty()) throw Error(options_.source.front() + ": holds no frames");
  }

 private:
  fs::path SummaryPath() const { return options_.output / "summary.json"; }

  // A camera runs until it is interrupted; anything else was cut short.
  bool IsCutShort() const { return total_ && summary_.frames().size() < *total_; }
  std::string WhereItEnded() const {
    return fmt::format("after {} of {} frames: go on with --resume", summary_.frames().size(),
                       total_.value_or(0));
  }

  void Finish(bool cut_short) {
    summary_.Finish(std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
                    cut_short);
    folder_->End();
    WriteTextFile(SummaryPath(), summary_.Json());
    progress_->Print(summary_.Text() + "results in " + options_.output.string());
    if (recorder_) progress_->Print(recorder_->Text());
  }

  // The next two are called in the thread that watches for signals.
  void TellInterrupt() {
    const int num_writing = num_writing_;
    if (num_writing == 0) return progress_->Print("interrupted: no frame is being written");
    progress_->Print(
        fmt::format("interrupted: {} frame{} being written {} finished within 2 s; again to end at once",
                    num_writing, num_writing == 1 ? "" : "s", num_writing == 1 ? "is" : "are"));
  }

  // What is on its way takes too long. The journal knows what is whole; the rest is done again by --resume.
  void EndAtOnce() {
    const std::scoped_lock lock(end_mutex_, report_mutex_);
    if (has_ended_) return;
    std::string error = "interrupted";
    try {
      if (recorder_) recorder_->Finish();
      Finish(IsCutShort());
      folder_->RemoveTemporaryFiles();
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
            .cloud_clean = options_.clouds.clean,
            .density = clouds_ && clouds_->measures_density()};
  }

  // They refer to this object and to the argument.
  FrameSteps Steps(const InterruptGuard& interrupt) {
    FrameSteps steps;
    if (options_.used_folder.resume) {
      steps.is_done = [this](const std::string& name, const StereoFrame* frame) {
        return folder_->IsDone(name, frame == nullptr ? source_->NextOrigin() : frame->origin, frame);
      };
    }
    steps.parameters_for = [this](const StereoFrame& frame) { return ParametersFor(frame, chosen_); };
    AddLiveFilters(chosen_.parameters, options_.matching.num_threads, steps);
    AddMatching(steps);
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
      const std::scoped_lock lock(report_mutex_);
      report.error = ErrorText(report.error);
      if (report.outcome == FrameOutcome::kFailed) {
        progress_->Print("failed " + report.name + ": " + report.error);
        Log(report.name + " failed: " + report.error);
      }
      progress_->Advance(report.outcome != FrameOutcome::kSkipped);
      summary_.Add(std::move(report));
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
  }

  void AddMatching(FrameSteps& steps) const {
    // A camera's frames, or those that are watched, had better be matched soon than many at a time.
    const bool usual_in_flight =
        options_.num_in_flight == 0 && backend_ == "cpu" && total_ && viewer_ == nullptr;
    steps.make_matcher = [this, usual_in_flight](const Parameters& parameters,
                                                 const MatcherOptions& matcher_options) {
      const int num_in_flight = usual_in_flight ? UsualFramesInFlight(backend_, parameters, matcher_options)
                                                : std::max(1, options_.num_in_flight);
      return MakeQueueInMemory(backend_, parameters, matcher_options, num_in_flight);
    };
  }

  const RunOptions& options_;
  FrameViewer* const viewer_;
  ChosenParameters chosen_;
  const std::string_view backend_;
  std::size_t memory_limit_bytes_ = 0;
  std::unique_ptr<RunClouds> clouds_;
  std::optional<FrameWriter> writer_;  // made once its parts are
  std::shared_ptr<FrameSource> source_;
  std::optional<RunFolder> folder_;              // from Run on
  std::optional<Recorder> recorder_;             // the same, where frames are recorded
  std::optional<std::size_t> total_;             // frames, where that is known
  std::chrono::steady_clock::time_point start_;  // of the first frame
  RunSummary summary_;
  std::optional<Progress> progress_;  // from Run on
  std::atomic<int> num_writing_ = 0;  // frames
  std::mutex end_mutex_;              // held by who ends the run
  bool has_ended_ = false;
  std::mutex report_mutex_;  // of the summary while frames are reported
  std::atomic<bool> window_closed_ = false;
};

}  // namespace

void AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Match frames; write disparity, depth, clouds");
  const auto options = std::make_shared<RunOptions>();
  AddRunOptions(*command, *options);
  command->callback([options] {
    if (!options->view) return RunCommand(*options, nullptr).Run();
    FrameViewer viewer({.title = "parallax run " + fmt::format("{}", fmt::join(options->source, " "))});
    viewer.RunBeside([&] { RunCommand(*options, &viewer).Run(); });
  });
}

}  // namespace parallax::app
