// parallax run: frames in; disparity, depth and clouds out.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "app/backends.h"
#include "app/build_info.h"
#include "app/commands.h"
#include "app/frame_loop.h"
#include "app/frame_parameters.h"
#include "app/frame_viewer.h"
#include "app/frame_writer.h"
#include "app/interrupt.h"
#include "app/output_files.h"
#include "app/progress.h"
#include "app/run_options.h"
#include "app/summary.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#include "datasets/source.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCleanedWith = "# clouds cleaned with --cloud-clean ";

// disparities_open: the number of disparities differed from frame to frame, so the file leaves it open too.
void WriteParameters(const fs::path& path, const ChosenParameters& chosen, const std::string& cloud_clean,
                     bool disparities_open) {
  std::set<std::string, std::less<>> left_open;
  if (disparities_open) left_open.insert(kNumDisparitiesKey);
  WriteTextFile(path, "# Effective parameters of the results beside this file; parallax " +
                          std::string(ThisBuild().version) + "\n" +
                          (cloud_clean.empty() ? "" : std::string(kCleanedWith) + cloud_clean + "\n") +
                          ToYaml(chosen.parameters, left_open));
}

// As WriteParameters left it; empty where clouds were not cleaned.
std::string CleanedWith(const fs::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kCleanedWith)) return line.substr(kCleanedWith.size());
  }
  return "";
}

// Results of two sets of parameters must not be mixed in one folder.
void CheckParametersMatch(const fs::path& path, const ChosenParameters& chosen,
                          const std::string& cloud_clean) {
  if (const std::string before = CleanedWith(path); before != cloud_clean) {
    const auto text = [](const std::string& clean) {
      return clean.empty() ? "no --cloud-clean" : "--cloud-clean " + clean;
    };
    throw InvalidArgument(
        fmt::format("{}: the results there were made with {}, not {}: use the same, another --output, or no "
                    "--resume",
                    path.string(), text(before), text(cloud_clean)));
  }
  const ChosenParameters before = LoadChosenParameters(path.string());
  for (const std::string& key : ParameterKeys()) {
    const std::string now = ParameterText(chosen.parameters, key);
    const bool left_open = !before.IsChosen(key);  // see WriteParameters
    if (left_open ? !chosen.IsChosen(key) : ParameterText(before.parameters, key) == now) continue;
    throw InvalidArgument(fmt::format(
        "{0}: the results there were made with {1} {2}, not {3}: use --config {0}, another --output, or no "
        "--resume",
        path.string(), key, left_open ? "left to the data set" : ParameterText(before.parameters, key), now));
  }
}

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
        fmt::format("{} of {} frames lack what was asked for, first {}: {}; the rest is written: add the "
                    "calibration, or leave that out of --write",
                    summary.num_incomplete(), frames.size(), first->name, fmt::join(first->missing, ", ")));
  }
}

// What is done with clouds; null where nothing is.
std::unique_ptr<RunClouds> CloudsOf(const RunOptions& options, const std::vector<Output>& outputs) {
  RunCloudOptions clouds = options.clouds;
  clouds.density =
      clouds.density || std::find(outputs.begin(), outputs.end(), Output::kDensity) != outputs.end();
  if (clouds.IsEmpty()) return nullptr;
  // The measures of clouds have no reference back end.
  const std::string& backend = options.matching.backend;
  return std::make_unique<RunClouds>(
      clouds, MakeCloudMeasures(backend == "reference" ? "cpu" : backend, options.matching.device,
                                options.matching.num_threads));
}

// viewer: shows the frames as they are matched; may be null.
void Run(const RunOptions& options, FrameViewer* viewer) {
  const ChosenParameters chosen = options.matching.Load();
  const std::string_view backend = ResolveBackend(options.matching.backend);
  if (options.num_in_flight > 1) RequireMatcherQueue(backend);
  const std::size_t memory_limit_bytes = options.matching.MemoryLimitBytes(backend);
  const std::vector<Output> outputs = OutputsOf(options.outputs);
  const std::unique_ptr<RunClouds> clouds = CloudsOf(options, outputs);
  const FrameWriter writer(options.output, outputs, clouds.get());
  const std::unique_ptr<FrameSource> source = OpenSource(options.source, {.kind = options.kind});

  const fs::path parameters_path = options.output / "parameters.yaml";
  const bool goes_on = options.resume && fs::exists(parameters_path);
  if (goes_on) CheckParametersMatch(parameters_path, chosen, options.clouds.clean);
  writer.MakeFolders();
  if (!goes_on) WriteParameters(parameters_path, chosen, options.clouds.clean, false);

  RunSummary summary({.source = options.source,
                      .kind = std::string(NameOf(source->kind())),
                      .backend = std::string(backend),
                      .config = options.matching.config,
                      .assignments = options.matching.assignments,
                      .outputs = options.outputs,
                      .cloud_clean = options.clouds.clean,
                      .density = clouds && clouds->measures_density()});
  std::optional<std::size_t> total = source->num_frames();
  if (total && options.max_frames) total = std::min(*total, *options.max_frames);
  Progress progress(total, isatty(STDERR_FILENO) == 1 ? stderr : stdout);
  const InterruptGuard interrupt;
  const auto start = std::chrono::steady_clock::now();

  FrameLoopSteps steps;
  if (options.resume) {
    steps.is_done = [&](const std::string& name, const StereoFrame* frame) {
      return writer.IsComplete(name, frame == nullptr || frame->rig.has_value());
    };
  }
  steps.parameters_for = [&](const StereoFrame& frame) { return ParametersFor(frame, chosen); };
  steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
    return MakeMatcher(backend, parameters, matcher_options);
  };
  // A camera's frames, or those that are watched, had better be matched soon than many at a time.
  const bool usual_in_flight = options.num_in_flight == 0 && backend == "cpu" && total && viewer == nullptr;
  if (options.num_in_flight > 1 || usual_in_flight) {
    steps.make_queue = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
      const int num_in_flight =
          usual_in_flight ? UsualFramesInFlight(backend, parameters, matcher_options) : options.num_in_flight;
      return MakeMatcherQueue(backend, parameters, matcher_options, num_in_flight);
    };
  }
  steps.write = [&](const MatchedFrame& frame, FrameReport& report) { writer.Write(frame, report); };
  steps.report = [&](FrameReport report) {
    if (report.outcome == FrameOutcome::kFailed)
      progress.Print("failed " + report.name + ": " + report.error);
    progress.Advance(report.outcome != FrameOutcome::kSkipped);
    summary.Add(std::move(report));
  };
  std::atomic<bool> window_closed = false;
  if (viewer != nullptr) {
    viewer->Begin(backend, total);
    steps.observe = [&](const std::shared_ptr<const MatchedFrame>& frame) {
      if (!viewer->Observe(frame, &interrupt.requested())) window_closed = true;
    };
  }
  RunFrames(*source, steps,
            {.max_frames = options.max_frames,
             .num_threads = options.matching.num_threads,
             .device = options.matching.device,
             .memory_limit_bytes = memory_limit_bytes,
             .stop = viewer != nullptr ? &window_closed : &interrupt.requested()});
  if (viewer != nullptr && interrupt.requested()) viewer->window().Close();

  // A camera runs until it is interrupted; anything else was cut short.
  const bool cut_short =
      (interrupt.requested() || window_closed) && total && summary.frames().size() < *total;
  summary.Finish(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cut_short);
  const bool disparities_open =
      std::any_of(summary.frames().begin(), summary.frames().end(), [&](const FrameReport& frame) {
        return frame.outcome == FrameOutcome::kDone &&
               frame.num_disparities != chosen.parameters.matching_cost.num_disparities;
      });
  if (disparities_open) WriteParameters(parameters_path, chosen, options.clouds.clean, true);
  const fs::path summary_path = options.output / "summary.json";
  WriteTextFile(summary_path, summary.Json());
  progress.Print(summary.Text() + "results in " + options.output.string());

  ThrowOnFailures(summary, summary_path);
  if (cut_short) {
    const std::string where =
        fmt::format("after {} of {} frames: go on with --resume", summary.frames().size(), *total);
    if (interrupt.requested()) throw Error("interrupted " + where);
    progress.Print("the window was closed " + where);
  }
  if (summary.frames().empty()) throw Error(options.source.front() + ": holds no frames");
}

}  // namespace

void AddRunCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Match frames; write disparity, depth, clouds");
  const auto options = std::make_shared<RunOptions>();
  AddRunOptions(*command, *options);
  command->callback([options] {
    if (!options->view) return Run(*options, nullptr);
    FrameViewer viewer({.title = "parallax run " + fmt::format("{}", fmt::join(options->source, " "))});
    viewer.RunBeside([&] { Run(*options, &viewer); });
  });
}

}  // namespace parallax::app
