// parallax rig check, rig refine: whether a calibration still fits, and a small mend without a board.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/calibrate/rig_commands.h"
#include "app/options/live_source_options.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "calibrate/row_check.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {
namespace {

constexpr std::size_t kUsualFrames = 10;
constexpr double kFits_px = 0.5, kFitsInPlaces_px = 1;  // rows by which matching loses little
constexpr double kWorthMending_px = 0.1;  // rows that are off by that on the whole cost a little accuracy

struct CheckOptions {
  std::vector<std::string> source;
  std::string kind, output;
  RigOptions rig;
  LiveOptions live;
  std::optional<std::size_t> max_frames;
  bool overwrite = false;
};

// Matches of the first frames of a source, rectified by its rig.
struct Checked {
  std::size_t num_frames = 0;
  int width = 0, height = 0;
  StereoRig rig;
  std::shared_ptr<const RawRig> raw;  // null where the images were rectified before
  std::vector<PointMatch> matches;
};

Checked Match(const CheckOptions& options) {
  const auto source =
      WithRig(OpenSource(options.source, {.kind = options.kind, .live = ReportingToStderr(options.live)}),
              options.rig);
  Checked checked;
  const std::size_t most = options.max_frames.value_or(kUsualFrames);
  while (checked.num_frames < most && source->NextName()) {
    const StereoFrame frame = source->Read();
    if (!frame.rectified || !frame.rig) {
      throw Error(frame.name + ": " + (frame.rig_note.empty() ? "no calibration" : frame.rig_note) +
                  ": name it with --rig FILE");
    }
    const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
    if (checked.num_frames > 0 && (width != checked.width || height != checked.height))
      throw Error(frame.name + ": its images differ in size from earlier ones: check one camera at a time");
    checked.width = width;
    checked.height = height;
    checked.rig = *frame.rig;
    checked.raw = frame.raw_rig;
    const auto matches = MatchPoints(ViewOf(frame.left), ViewOf(frame.right)).matches;
    checked.matches.insert(checked.matches.end(), matches.begin(), matches.end());
    ++checked.num_frames;
  }
  if (checked.num_frames == 0) throw Error(options.source.front() + ": contains no frames");
  return checked;
}

std::string TurnText(const Checked& checked, const RightTurn& turn) {
  constexpr double kExplains = 0.9;  // of the rows' differences, what may be left
  std::string text =
      turn.after_px <= kExplains * turn.before_px
          ? fmt::format(
                "a rotation of the right camera by {:.4f} degrees about x and {:.4f} about z explains this: "
                "rows then differ by {:.2f} px instead of {:.2f} px (median)\n",
                turn.turn.x * kDegreesPerRadian, turn.turn.z * kDegreesPerRadian, turn.after_px,
                turn.before_px)
          : fmt::format(
                "rows differ by {:.2f} px (median), which no rotation of the right camera explains; the best "
                "one is {:.4f} degrees about x and {:.4f} about z\n",
                turn.before_px, turn.turn.x * kDegreesPerRadian, turn.turn.z * kDegreesPerRadian);
  const double shift_px = Length(turn.turn) * checked.rig.fx_px;
  text += fmt::format(
      "the same rotation about y, which rows do not show, shifts disparities by {:.2f} px and depths by",
      shift_px);
  for (const double z_m : {1.0, 2.0, 5.0, 10.0}) {
    text += fmt::format(" {:.3f} m at {} m{}",
                        shift_px * z_m * z_m / (checked.rig.fx_px * checked.rig.baseline_m), z_m,
                        z_m < 10 ? "," : "\n");
  }
  return text;
}

void RunCheck(const CheckOptions& options) {
  const Checked checked = Match(options);
  const RowOffsets rows = RowOffsetsOf(checked.matches, checked.width, checked.height);
  const RightTurn turn = TurnOf(checked.matches, checked.rig);
  fmt::print("{} matches in {} frame{}\n", rows.num_matches, checked.num_frames,
             checked.num_frames == 1 ? "" : "s");
  fmt::print("vertical offset, right less left: median {:+.3f} px; of single matches {:.3f} px\n",
             rows.median_px, rows.median_absolute_px);
  fmt::print("over the image (medians of 4 x 3 parts, px; - = few matches):\n");
  for (std::size_t i = 0; i < rows.grid_px.size(); ++i) {
    fmt::print("{}{}", std::isnan(rows.grid_px[i]) ? "       -" : fmt::format("{:+8.2f}", rows.grid_px[i]),
               i % 4 == 3 ? "\n" : "");
  }
  fmt::print("{}", TurnText(checked, turn));
  const double worst = std::max(std::abs(rows.median_px), rows.largest_px);
  if (std::abs(rows.median_px) <= kFits_px && rows.largest_px <= kFitsInPlaces_px) {
    fmt::print("the rig fits\n");
    if (checked.raw && std::abs(rows.median_px) > kWorthMending_px) {
      fmt::print("its rows are off by {:+.2f} px (median): parallax rig refine corrects that\n",
                 rows.median_px);
    }
    return;
  }
  throw Error(
      fmt::format("the rig does not fit: rows differ by up to {:.2f} px; matching tolerates {} px (median) "
                  "and {} px locally; calibrate again with a board, or try parallax rig refine",
                  worst, kFits_px, kFitsInPlaces_px));
}

void RunRefine(const CheckOptions& options) {
  if (!options.overwrite && std::filesystem::exists(options.output))
    throw InvalidArgument(options.output + " already exists: name another file, or use --overwrite");
  const Checked checked = Match(options);
  if (!checked.raw) {
    throw Error(
        "the source's images are rectified already: only the rig of raw cameras can be refined; name it with "
        "--rig FILE");
  }
  const RightTurn turn = TurnOf(checked.matches, checked.rig);
  RawRig raw = *checked.raw;
  for (CameraModel* camera : {&raw.left, &raw.right}) {
    if (camera->width_px > 0) continue;
    throw Error(
        "the rig lacks the size of its images: convert it with parallax rig convert, and add image_size_px");
  }
  fmt::print("{} matches in {} frame{}\n{}", checked.matches.size(), checked.num_frames,
             checked.num_frames == 1 ? "" : "s", TurnText(checked, turn));
  Calibration calibration;
  calibration.raw = WithTurn(raw, turn);
  WriteCalibration(calibration, "parallax", options.output);
  fmt::print(
      "wrote {}: the right camera's rotation is new, lenses and baseline are unchanged; a "
      "calibration with a board is better\n",
      Printable(options.output));
}

void AddSource(CLI::App& command, CheckOptions& options) {
  command.add_option("source", options.source, "Pairs with texture, as for run")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(command, options.kind);
  AddRigOptions(command, options.rig);
  AddLiveOptions(command, options.live);
  AddMaxFramesOption(command, options.max_frames);
}

}  // namespace

void AddRigCheckCommand(CLI::App& rig) {
  CLI::App* command =
      rig.add_subcommand("check", "Check with image pairs whether a rig still fits its cameras");
  const auto options = std::make_shared<CheckOptions>();
  AddSource(*command, *options);
  command->callback([options] { RunCheck(*options); });
}

void AddRigRefineCommand(CLI::App& rig) {
  CLI::App* command =
      rig.add_subcommand("refine", "Estimate the right camera's rotation anew from pairs, without a board");
  const auto options = std::make_shared<CheckOptions>();
  AddSource(*command, *options);
  command->add_option("-o,--output", options->output, "The rig.yaml to write")->type_name("FILE")->required();
  command->add_flag("--overwrite", options->overwrite, "Replace an existing file");
  command->callback([options] { RunRefine(*options); });
}

}  // namespace parallax::app
