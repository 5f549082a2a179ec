#include "app/view/play/frame_export.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/frames/frame_writer.h"
#include "app/frames/recorder.h"
#include "app/frames/run_folder.h"
#include "app/frames/summary.h"
#include "app/options/available_memory.h"
#include "app/options/live_steps.h"
#include "app/options/resolved_parameters.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/output_files.h"
#include "config/backends.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
FrameExport::FrameExport(RunOptions options, OpenFrames open)
    : options_(std::move(options)), open_(std::move(open)) {}

FrameExport::~FrameExport() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void FrameExport::Tell(std::string message) {
  const std::scoped_lock lock(mutex_);
  message_ = std::move(message);
}

std::string FrameExport::TakeMessage() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(message_, {});
}

void FrameExport::Begin(Timeline::Range range, const ChosenParameters& chosen) {
  if (working_) return Tell("an export is on its way: wait until it is done");
  if (thread_.joinable()) thread_.join();
  working_ = true;
  thread_ = std::thread([this, range, chosen] {
    try {
      Run(range, chosen);
    } catch (const std::exception& error) {
      Tell("not exported: " + ErrorText(error.what()));
    }
    working_ = false;
  });
}

void FrameExport::Run(Timeline::Range range, ChosenParameters chosen) {
  const std::string_view backend = ResolveBackend(options_.matching.backend, chosen.parameters.method);
  RunOptions options = options_;
  options.output = options_.output / fmt::format("frames-{}-{}", range.first + 1, range.last + 1);
  const std::size_t num_frames = range.last - range.first + 1;
  Tell(fmt::format("exporting {} to {}", CountOf(num_frames, "frame"), options.output.string()));

  const std::shared_ptr<FrameSource> source = open_();
  std::vector<std::filesystem::path> folders;
  for (const ResultPlace& place : FrameWriter::Places()) folders.push_back(options.output / place.folder);
  CheckFoldersApart(source->InputFiles(), folders);
  for (std::size_t i = 0; i < range.first && source->NextName(); ++i) source->Skip();

  chosen.uncertainty = UncertaintyOf(TraitsOf(source->kind()).rig_px, chosen);
  const FrameWriter writer(options.output, {}, chosen.uncertainty);
  RunFolder folder(options, chosen, writer);
  folder.Begin();
  options.record.file = (options.output / "frames.mcap").string();
  Recorder recorder(options.record);
  RunSummary summary({.source = options.source,
                      .kind = std::string(NameOf(source->kind())),
                      .backend = std::string(backend),
                      .config = options.matching.config,
                      .assignments = options.matching.assignments,
                      .outputs = {}},
                     options.output);
  FrameSteps steps;
  steps.parameters_for = [&](const StereoFrame& frame) { return ParametersFor(frame, chosen); };
  AddLiveFilters(chosen.parameters, options.matching.num_threads, steps);
  steps.make_matcher = [&](const Parameters& parameters, const MatcherOptions& matcher_options) {
    return MakeQueueInMemory(backend, parameters, matcher_options, 1);
  };
  steps.observe = [&](const std::shared_ptr<const MatchedFrame>& frame) { recorder.Record(frame); };
  steps.write = [&](const MatchedFrame& matched, FrameReport& report) {
    folder.Start(matched.frame);
    writer.Write(matched, report);
    folder.Finish(matched.frame, matched.parameters);
  };
  steps.report = [&](const FrameReport& report) { summary.Add(report); };
  const Stopwatch watch;
  RunFrames(source, steps,
            {.max_frames = num_frames,
             .num_threads = options.matching.num_threads,
             .device = options.matching.device,
             .memory_limit_bytes = options.matching.MemoryLimitBytes(backend),
             .num_writers = 1,
             .stop_requested = [this] { return stop_.load(); }});
  recorder.Finish();
  summary.Finish(watch.s(), stop_);
  folder.End();
  summary.WriteJson(options.output / "summary.json");
  recorder.ThrowOnLoss();
  const std::size_t num_failed = summary.Count(FrameOutcome::kFailed);
  Tell(fmt::format("exported {} to {}{}", CountOf(summary.Count(FrameOutcome::kDone), "frame"),
                   options.output.string(),
                   num_failed > 0 ? fmt::format(", {} failed (summary.json says why)", num_failed) : ""));
}

}  // namespace parallax::app
