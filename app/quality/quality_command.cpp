// parallax quality: the figures of a depth camera, of a flat target that stands still.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/calibrate/chosen_range.h"
#include "app/commands.h"
#include "app/options/available_memory.h"
#include "app/options/live_steps.h"
#include "app/options/logging.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/options/resolved_parameters.h"
#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/quality/flat_target.h"
#include "app/session/heap.h"
#include "app/session/interrupt.h"
#include "config/backends.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {
namespace {

constexpr std::size_t kUsualTargetFrames = 40;

struct QualityOptions {
  std::vector<std::string> source;
  std::string kind, region, json;
  RigOptions rig;
  MatchingOptions matching;
  std::optional<double> distance_m;
  std::optional<std::size_t> max_frames;
};

// One writer calls it: frames come in their order.
class QualityMeasurement {
 public:
  explicit QualityMeasurement(const QualityOptions& options) : options_(options) {
    if (!options.region.empty()) report_.region = ParseRegion(options.region);
    report_.distance_m = options.distance_m;
  }

  void Add(const MatchedFrame& matched) {
    const StereoFrame& frame = matched.frame;
    if (!frame.rig) {
      throw Error("depth needs a calibration: " + (frame.rig_note.empty() ? "" : frame.rig_note + ": ") +
                  "name it with --rig");
    }
    if (!target_) {
      report_.width = matched.map.disparity().width;
      report_.height = matched.map.disparity().height;
      if (options_.region.empty()) report_.region = MiddleOf(report_.width, report_.height);
      target_.emplace(*frame.rig, report_.width, report_.height, report_.region);
    }
    target_->Add(matched.map.View());
  }

  void Fail(const FrameReport& frame) {
    ++num_failed_;
    if (first_failure_.empty())
      first_failure_ = fmt::format("frame {}: {}", frame.name, ErrorText(frame.error));
  }

  void Finish() {
    if (target_) report_.figures = target_->Figures();
    if (report_.figures.num_frames == 0)
      throw Error(first_failure_.empty() ? options_.source.front() + ": contains no frames" : first_failure_);
    fmt::print("{}", QualityText(report_));
    if (!options_.json.empty()) WriteTextFile(options_.json, QualityJson(report_));
    if (num_failed_ > 0)
      throw Error(fmt::format("{} of {} frames could not be measured, first {}", num_failed_,
                              num_failed_ + report_.figures.num_frames, first_failure_));
  }

 private:
  const QualityOptions& options_;
  QualityReport report_;
  std::optional<FlatTarget> target_;
  int num_failed_ = 0;
  std::string first_failure_;
};

void RunQuality(const QualityOptions& options) {
  ChosenParameters chosen = options.matching.Load(AutoRange::kTaken);
  const std::string_view backend = ResolveBackend(options.matching.backend, chosen.parameters.method);
  const std::shared_ptr<FrameSource> source =
      WithChosenRange(WithDecimation(WithRig(OpenSource(options.source, {.kind = options.kind}), options.rig),
                                     chosen.parameters),
                      chosen, [](const std::string& line) { fmt::print("{}\n", Printable(line)); });
  CheckFolder(options.json);
  CheckFilesApart(source->InputFiles(), {options.json, LogFile()});
  options.matching.LogMatching(options.source, *source, chosen, backend);
  QualityMeasurement measurement(options);
  FrameSteps steps;
  steps.parameters_for = [&](const StereoFrame& frame) { return ParametersFor(frame, chosen); };
  AddLiveFilters(chosen.parameters, options.matching.num_threads, steps);
  steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
    return MakeQueueInMemory(backend, parameters, matcher_options, 1);
  };
  steps.write = [&](const MatchedFrame& matched, FrameReport&) { measurement.Add(matched); };
  steps.report = [&](const FrameReport& report) {
    if (report.outcome == FrameOutcome::kFailed) measurement.Fail(report);
  };
  KeepFreedMemory();
  const InterruptGuard interrupt;
  RunFrames(source, steps,
            {.max_frames = options.max_frames.value_or(kUsualTargetFrames),
             .num_threads = options.matching.num_threads,
             .device = options.matching.device,
             .memory_limit_bytes = options.matching.MemoryLimitBytes(backend),
             .num_writers = 1,
             .stop_requested = [&] { return interrupt.requested().load(); }});
  measurement.Finish();
}

}  // namespace

void AddQualityCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "quality", "Measure depth quality on a flat target: fill rate, plane fit, accuracy, noise");
  const auto options = std::make_shared<QualityOptions>();
  command
      ->add_option(
          "source", options->source,
          "As for run: pairs, a video or a camera that show one flat, textured target; nothing may move")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(*command, options->kind);
  AddRigOptions(*command, options->rig);
  AddMatchingOptions(*command, options->matching);
  command
      ->add_option("--region", options->region,
                   "Position of the target in the rectified image, px [the middle 40 % of width and height]")
      ->type_name("X,Y,WIDTH,HEIGHT");
  command
      ->add_option("--distance", options->distance_m,
                   "Distance from the left lens to the middle of the region along the optical axis, measured "
                   "with a ruler; gives the Z accuracy")
      ->type_name("METRES")
      ->check(CLI::Range(1e-3, 1e4));
  command
      ->add_option("--max-frames", options->max_frames,
                   fmt::format("Stop after this many frames [{}]", kUsualTargetFrames))
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  AddJsonOption(*command, options->json, "the figures");
  command->callback([options] { RunQuality(*options); });
  command->footer(
      "examples:\n"
      "  parallax quality camera:0 --rig rig.yaml --distance 1.5\n"
      "  parallax quality 'left/*.png' 'right/*.png' --rig rig.yaml --region 200,150,240,180 --json "
      "wall.json");
}

}  // namespace parallax::app
