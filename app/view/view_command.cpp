// parallax view: files or matched frames in a window.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/calibrate/chosen_range.h"
#include "app/calibrate/pair_check.h"
#include "app/commands.h"
#include "app/options/available_memory.h"
#include "app/options/live_source_options.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/options/resolved_parameters.h"
#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/scores/evaluator.h"
#include "app/session/heap.h"
#include "app/session/schedule.h"
#include "app/view/controls/parameter_session.h"
#include "app/view/frame_viewer.h"
#include "app/view/output_pages.h"
#include "app/view/play/played_source.h"
#include "app/view/viewed_file.h"
#include "app/view/viewer.h"
#include "config/backends.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/live/live_filters.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::vector<std::string> source;
  std::string kind, as;
  MatchingOptions matching;
  RigOptions rig;
  LiveOptions live;
  std::optional<std::size_t> max_frames;
  fs::path screenshot, state_file;
  bool paused = false, check = true, show_filled = false;
  std::vector<int> size_px = {1440, 900};
  fs::path save_folder = ".";

  ViewerOptions Window() const {
    std::string title = "parallax";
    for (const std::string& part : source) title += " " + part;
    return {.title = title,
            .width_px = size_px[0],
            .height_px = size_px[1],
            .state_file = state_file,
            .save_folder = save_folder,
            .timeline = std::make_shared<Timeline>(Timeline::kEndless, paused),
            .show_filled = show_filled};
  }
};

// The picture that --screenshot asks for: taken when the latest frame is on screen, then the window closes.
class Screenshot {
 public:
  explicit Screenshot(fs::path path) : path_(std::move(path)) {}

  // May be called from any thread, after the frame was shown. Does nothing without a path.
  void Request(Viewer& viewer) {
    if (path_.empty()) return;
    viewer.RequestScreenshot([this, &viewer](HostImage<Rgb8> pixels) {
      try {
        WritePng(path_, pixels.ConstView());
        written_ = true;
      } catch (const std::exception& failed) {
        error_ = failed.what();
      }
      viewer.Close();
    });
  }

  // Called on the main thread, after the window is closed. Throws if the picture was not written.
  void Finish() const {
    if (path_.empty()) return;
    if (!error_.empty()) throw Error(error_);
    if (!written_)
      throw Error(path_.string() + ": not written, the window was closed before a frame was shown");
    std::printf("wrote %s\n", path_.c_str());
  }

 private:
  fs::path path_;
  bool written_ = false;
  std::string error_;
};

// kind: of a single file; of two, which are clouds, it does not matter.
void ViewFile(const ViewOptions& options, FileKind kind) {
  CheckFilesApart(options.source, {options.screenshot.string(), options.state_file.string()});
  ViewerFrame shown = options.source.size() == 2 ? ReadTwoClouds(options.source[0], options.source[1])
                                                 : ReadViewedFile(options.source.front(), kind);
  ViewerOptions window = options.Window();
  window.sequence = false;
  const std::unique_ptr<Viewer> viewer = OpenViewer(window);
  Screenshot screenshot(options.screenshot);
  viewer->Show(std::move(shown));
  screenshot.Request(*viewer);
  viewer->Run();
  screenshot.Finish();
}

// The frames of a folder that `parallax run` has written.
void ViewOutput(const ViewOptions& options) {
  OutputPages pages(options.source.front());
  std::size_t num_frames = pages.size();
  if (options.max_frames) num_frames = std::min(num_frames, *options.max_frames);
  ViewerOptions window = options.Window();
  const auto timeline = std::make_shared<Timeline>(num_frames, true);
  if (options.screenshot.empty()) {
    window.play = std::make_shared<PlayControls>();
    window.timeline = timeline;
  } else {
    timeline->Seek(num_frames - 1);
  }
  const std::unique_ptr<Viewer> viewer = OpenViewer(window);
  Screenshot screenshot(options.screenshot);
  {
    const std::jthread reader([&] {
      while (const std::optional<PlayOrder> order = timeline->Next()) {
        try {
          ViewerFrame page = pages.Read(order->number);
          timeline->AwaitDue(*order, std::nullopt);
          if (!timeline->IsWanted(*order)) continue;
          viewer->Show(std::move(page));
        } catch (const std::exception& error) {
          viewer->ShowEnd(ErrorText(error.what()));
        }
        timeline->SetShown(*order);
        screenshot.Request(*viewer);
      }
    });
    viewer->Run();
    timeline->Stop();
  }
  screenshot.Finish();
}

// The filters over space and time, as the parameters of every frame ask for them while these change.
class ChangingFilters {
 public:
  explicit ChangingFilters(int num_threads) : filters_(num_threads) {}

  // The parameters for the matcher of one frame.
  Parameters ForFrame(const Parameters& parameters) {
    if (!HasLiveFilters(parameters)) return parameters;
    const Parameters matched = ForMatcher(parameters);
    const std::scoped_lock lock(mutex_);
    std::erase_if(asked_, [&](const auto& pair) { return pair.first == matched; });
    constexpr std::size_t kMostKept = 16;  // more than there are frames in the frame pipeline
    if (asked_.size() == kMostKept) asked_.erase(asked_.begin());
    asked_.emplace_back(matched, parameters);
    return matched;
  }
  void Apply(MatchedFrame& matched) {
    std::optional<Parameters> parameters;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [of_matcher, asked] : asked_) {
        if (of_matcher == matched.parameters) parameters = asked;
      }
    }
    if (parameters)
      filters_.Apply(*parameters, ViewOf(matched.frame.left), matched.frame.rig, matched.map.Own());
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Parameters, Parameters>> asked_;
  LiveFilters filters_;
};

// A frame's main figure by its data set's own metric.
std::pair<std::string, double> ScoreOf(SourceKind kind, const StereoFrame& frame,
                                       HostImageView<const float> disparity) {
  const std::vector<Metric> metrics = MetricsFor(kind);
  const auto evaluator = MakeEvaluator(std::span(metrics).first(1));
  const Scores scores = evaluator->AddFrame({.estimate = disparity,
                                             .truth = &*frame.truth,
                                             .max_disparity_px = MaxDisparityOf(kind, frame, disparity)});
  for (const NamedScore& score : scores) {
    if (std::isfinite(score.value)) return {score.key, score.value};
  }
  return {};
}

// Where the frames come from, and what the window does with them besides showing them.
struct ViewedFrames {
  std::shared_ptr<FrameSource> source;
  std::shared_ptr<PlayedSource> played;  // the source, where it is one of files; else null, as is timeline
  std::shared_ptr<Timeline> timeline;
  std::shared_ptr<std::atomic<double>> latency_ms;  // of the frame shown last, of a live source; else null
};

// Reads, matches and shows one frame after another. Returns the number shown; prints bad frames and
// continues.
std::size_t ShowFrames(const ViewOptions& options, const ParameterSession& session,
                       const ViewedFrames& frames, FrameViewer& viewer) {
  std::size_t num_shown = 0, num_failed = 0;
  FrameErrors failures;
  std::atomic<bool> is_last_shown = false;
  ChangingFilters filters(options.matching.num_threads);
  FrameSteps steps;
  steps.parameters_for = [&](const StereoFrame& frame) {
    return filters.ForFrame(ParametersFor(frame, session.Get(false)));
  };
  steps.refine_in_order = [&](MatchedFrame& matched) { filters.Apply(matched); };
  // While somebody watches, low latency matters more than throughput.
  steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
    const std::string_view backend = ResolveBackend(options.matching.backend, parameters.method);
    return MakeQueueInMemory(backend, parameters, matcher_options, 1);
  };
  steps.observe = [&](const std::shared_ptr<const MatchedFrame>& frame) {
    if (is_last_shown) return;
    if (frames.played) {
      const PlayOrder order = frames.played->OrderOf(frame->index);
      if (!frames.timeline->IsWanted(order)) return;
      if (viewer.Observe(frame, nullptr, order.number)) ++num_shown;
      frames.timeline->SetShown(order);
      is_last_shown = viewer.closed().load();
      return;
    }
    if (frames.latency_ms && frame->frame.timestamp_s) {
      const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
      *frames.latency_ms = 1000 * (now.count() - *frame->frame.timestamp_s);
    }
    if (viewer.Observe(frame)) ++num_shown;
    is_last_shown = viewer.closed() || num_shown == options.max_frames;
  };
  steps.report = [&](const FrameReport& report) {
    if (report.outcome != FrameOutcome::kFailed || is_last_shown) return;
    if (failures.IsNew(report.name, report.error))
      std::fprintf(stderr, "parallax: frame %s: %s\n", report.name.c_str(), report.error.c_str());
    // If no frame can be shown, there is nobody to wait for.
    if (frames.timeline && num_shown == 0 && ++num_failed == frames.timeline->num_frames())
      is_last_shown = true;
  };
  KeepFreedMemory();
  const PipelineTotals totals =
      RunFrames(frames.source, steps,
                {.num_threads = options.matching.num_threads,
                 .device = options.matching.device,
                 .memory_limit_bytes = options.matching.MemoryLimitBytes(
                     ResolveBackend(options.matching.backend, session.Get(false).parameters.method)),
                 .num_writers = 1,
                 .stop_requested = [&] { return is_last_shown || viewer.closed(); },
                 .finish_read_frames = false});
  LogDropped(totals.num_dropped);
  return num_shown;
}

void ViewSource(const ViewOptions& options) {
  // Errors are thrown before a window opens.
  ChosenParameters chosen = options.matching.Load(AutoRange::kTaken);
  const std::string_view backend = ResolveBackend(options.matching.backend, chosen.parameters.method);
  const LiveOptions live = ReportingToStderr(options.live);
  const auto open = [options, chosen, live] {
    return WithDecimation(
        WithRig(OpenSource(options.source, {.kind = options.kind, .with_truth = true, .live = live}),
                options.rig),
        chosen.parameters);
  };
  std::unique_ptr<FrameSource> source = WithChosenRange(
      open(), chosen, [](const std::string& line) { std::printf("%s\n", Printable(line).c_str()); });
  PairCheck check(chosen, PairCheck::LayoutOf(options.source, live), PrintToStderr);
  if (options.check) source = check.Watch(std::move(source));
  const SourceKind kind = source->kind();
  chosen.uncertainty = UncertaintyOf(TraitsOf(kind).rig_px, chosen);
  CheckFilesApart(source->InputFiles(),
                  {options.screenshot.string(), options.state_file.string(), LogFile()});
  options.matching.LogMatching(options.source, *source, chosen, backend);
  std::optional<std::size_t> total = source->num_frames();
  if (total && options.max_frames) total = std::min(*total, *options.max_frames);
  const auto session = std::make_shared<ParameterSession>(chosen, options.matching.config);
  ViewerOptions window = options.Window();
  window.parameters = session;
  window.play = std::make_shared<PlayControls>();
  ViewedFrames frames;
  if (!source->is_live() && total && *total > 1 && options.screenshot.empty()) {
    frames.timeline = window.timeline = std::make_shared<Timeline>(*total, options.paused);
    frames.played = std::make_shared<PlayedSource>(std::move(source), open, frames.timeline);
    frames.source = frames.played;
  } else {
    if (source->is_live()) {
      frames.latency_ms = std::make_shared<std::atomic<double>>(std::numeric_limits<double>::quiet_NaN());
      window.play->live = [monitor = live.monitor, latency_ms = frames.latency_ms] {
        const LiveCounts counts = monitor->counts();
        return LiveStatus{.num_taken = counts.num_pairs,
                          .num_left_out = counts.num_replaced,
                          .latency_ms = *latency_ms,
                          .num_losses = counts.num_losses,
                          .num_reopened = counts.num_reopened};
      };
    }
    frames.source = std::move(source);
  }
  FrameViewer viewer(window);
  viewer.Begin(backend, total);
  viewer.Share(session, options.matching,
               [kind](const StereoFrame& frame, auto disparity) { return ScoreOf(kind, frame, disparity); });
  Screenshot screenshot(options.screenshot);
  viewer.RunAlongside([&] {
    if (ShowFrames(options, *session, frames, viewer) == 0 && !viewer.closed()) {
      throw Error(options.source.front() + ": no frame could be shown");
    }
    viewer.Flush();
    screenshot.Request(viewer.window());
  });
  screenshot.Finish();
}

void View(const ViewOptions& options) {
  const bool one_file = options.source.size() == 1 && !fs::is_directory(options.source.front());
  const FileKind kind = one_file || !options.as.empty() ? KindOfViewedFile(options.source.front(), options.as)
                                                        : FileKind::kNone;
  const auto is_cloud = [](const std::string& file) {
    const std::string ending = EndingOf(file);
    return ending == ".ply" || ending == ".pcd";
  };
  const bool two_clouds =
      options.source.size() == 2 && is_cloud(options.source[0]) && is_cloud(options.source[1]);
  const bool is_output =
      options.source.size() == 1 && options.kind.empty() && OutputPages::IsThere(options.source.front());
  if (is_output) {
    OpenLogFile(options.source);
    ViewOutput(options);
  } else if (kind != FileKind::kNone || two_clouds) {
    OpenLogFile(options.source);
    ViewFile(options, kind);
  } else {
    ViewSource(options);
  }
}

}  // namespace

void AddViewCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "Show files, or frames as they are matched, in a window");
  const auto options = std::make_shared<ViewOptions>();
  command
      ->add_option(
          "source", options->source,
          "A cloud (PLY, PCD) or two, a disparity (PFM, 16-bit PNG), an image, a folder that run has "
          "written; or a source of frames as for run")
      ->type_name("FILE|SOURCE")
      ->required();
  command->add_option("--as", options->as, "What a file contains, if its name does not say")
      ->check(CLI::IsMember({"image", "disparity", "depth", "cloud"}));
  AddKindOption(*command, options->kind);
  AddMatchingOptions(*command, options->matching);
  AddRigOptions(*command, options->rig);
  AddLiveOptions(*command, options->live);
  AddMaxFramesOption(*command, options->max_frames);
  AddCheckOption(*command, options->check);
  AddShowFilledOption(*command, options->show_filled);
  command->add_flag("--paused", options->paused,
                    "Show the first frame and wait for Step (N) or Resume (space)");
  command
      ->add_option("--screenshot", options->screenshot,
                   "Save a picture of the window when the last frame (of --max-frames, 1 if not given) is "
                   "shown, and exit")
      ->type_name("FILE.png");
  command
      ->add_option("--state-file", options->state_file,
                   "Write the state of the window to this file, for programs that control it")
      ->type_name("FILE.json");
  command->add_option("--save-to", options->save_folder, "Folder for files saved from the window")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  command->add_option("--size", options->size_px, "Width and height of the window, px")
      ->expected(2)
      ->check(CLI::Range(200, 16384))
      ->capture_default_str();
  command->callback([options] {
    CheckOutputName(options->screenshot, "pictures", ".png");
    CheckOutputName(options->state_file, "states", ".json");
    if (!options->screenshot.empty()) {
      options->paused = false;
      if (!options->max_frames) options->max_frames = 1;
    }
    RunOpenCvInCallersThread();
    View(*options);
  });
  command->footer(
      "keys: space pause or resume, N next frame, R reset the view, + and - point size, Q or Esc "
      "close\nmouse: drag to rotate, right button to pan, wheel to zoom");
}

}  // namespace parallax::app
