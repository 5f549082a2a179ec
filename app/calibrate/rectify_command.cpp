// parallax rectify: raw pairs to rectified pairs, with their calibration.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/options/live_source_options.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/output/result_folder.h"
#include "app/session/interrupt.h"
#include "datasets/formats/image_file.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

struct RectifyOptions {
  std::vector<std::string> source;
  std::string kind;
  RigOptions rig;
  LiveOptions live;
  fs::path output = "out";
  UsedFolder used_folder{.has_resume = false};
  std::optional<std::size_t> max_frames;
};

void WriteImage(const fs::path& path, const CameraImage& image) {
  std::visit([&](const auto& pixels) { WritePng(path, pixels.ConstView()); }, image);
}

bool SameRig(const StereoRig& a, const StereoRig& b) {
  return a.fx_px == b.fx_px && a.cx_px == b.cx_px && a.cy_px == b.cy_px && a.baseline_m == b.baseline_m &&
         a.doffs_px == b.doffs_px;
}

// The calibration of the rectified images; all frames have to share it.
class RectifiedRig {
 public:
  explicit RectifiedRig(fs::path file) : file_(std::move(file)) {}

  void Add(const StereoFrame& frame) {
    if (calibration_.rectified) {
      if (SameRig(calibration_.rectified->rig, *frame.rig)) return;
      throw Error("its calibration differs from the first frame's: rectify the sequences one by one");
    }
    calibration_.rectified =
        RectifiedCalibration{*frame.rig, WidthOf(ViewOf(frame.left)), HeightOf(ViewOf(frame.left))};
    WriteCalibration(calibration_, "parallax", file_);
  }

 private:
  fs::path file_;
  Calibration calibration_;
};

void RunRectify(const RectifyOptions& options) {
  const auto source =
      WithRig(OpenSource(options.source, {.kind = options.kind, .live = ReportingToStderr(options.live)}),
              options.rig);
  const fs::path rig_file = options.output / "rig.yaml";
  CheckFoldersApart(source->InputFiles(), {options.output / "left", options.output / "right"});
  CheckFilesApart(source->InputFiles(), {rig_file.string()});
  ResultFolder folder(options.output, {{"left", ".png"}, {"right", ".png"}}, options.used_folder);
  folder.Begin(JournalRecord{}
                   .Add("parallax", ThisBuild().version)
                   .Add("rectified", options.rig.rig + options.rig.RectificationText()));
  fs::create_directories(options.output / "left");
  fs::create_directories(options.output / "right");
  RectifiedRig rig(rig_file);
  const InterruptGuard interrupt;
  std::size_t num_done = 0, num_failed = 0;
  std::string first_failure;
  for (std::size_t i = 0; !interrupt.requested() && (!options.max_frames || i < *options.max_frames); ++i) {
    const std::optional<std::string> name = source->NextName();
    if (!name) break;
    try {
      const StereoFrame frame = source->Read();
      if (!frame.rectified) {
        throw Error((frame.rig_note.empty() ? "no calibration" : frame.rig_note) +
                    ": give the calibration of the raw cameras with --rig FILE");
      }
      if (!frame.seen) {
        throw Error(
            "the source's images count as rectified: if they are raw, give the calibration of the raw "
            "cameras with --rig FILE");
      }
      rig.Add(frame);
      const std::string file = frame.name + ".png";
      const WithoutWaitingForDisk journal_has_checksums;
      folder.Start(frame.name, {"left/" + file, "right/" + file});
      WriteImage(options.output / "left" / file, frame.left);
      WriteImage(options.output / "right" / file, frame.right);
      folder.Finish(frame.name, frame.origin, {}, {"left/" + file, "right/" + file});
      ++num_done;
    } catch (const Error& error) {
      ++num_failed;
      const std::string text = "frame " + *name + ": " + error.what();
      if (first_failure.empty()) first_failure = text;
      if (num_failed > 1 || num_done > 0) fmt::print("failed {}\n", Printable(text));
      if (num_done == 0) break;  // what ails the first ails all
    }
  }
  if (num_done == 0)
    throw Error(first_failure.empty() ? options.source.front() + ": contains no frames" : first_failure);
  fmt::print(
      "{} pair{} rectified into {}: left/, right/, rig.yaml; match them with parallax run '{}' '{}' --rig "
      "{}\n",
      num_done, num_done == 1 ? "" : "s", Printable(options.output.string()),
      Printable((options.output / "left").string()), Printable((options.output / "right").string()),
      Printable(rig_file.string()));
  if (num_failed > 0) throw Error(fmt::format("{} frames failed, first {}", num_failed, first_failure));
  if (interrupt.requested()) throw Error(fmt::format("interrupted after {} frames", num_done));
}

}  // namespace

void AddRectifyCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("rectify", "Rectify raw pairs and write their calibration");
  const auto options = std::make_shared<RectifyOptions>();
  command
      ->add_option("source", options->source,
                   "As for run: a folder, left and right images or globs, a video, a camera")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(*command, options->kind);
  AddRigOptions(*command, options->rig);
  AddLiveOptions(*command, options->live);
  command->add_option("-o,--output", options->output, "Folder for left/, right/ and rig.yaml")
      ->type_name("DIR")
      ->capture_default_str();
  AddOverwriteOption(*command, options->used_folder);
  AddMaxFramesOption(*command, options->max_frames);
  command->callback([options] { RunRectify(*options); });
}

}  // namespace parallax::app
