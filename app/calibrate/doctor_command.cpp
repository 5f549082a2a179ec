// parallax doctor: why depth is bad, on one page, and a rig mended without a board.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/calibrate/chosen_range.h"
#include "app/calibrate/pair_check.h"
#include "app/commands.h"
#include "app/options/live_source_options.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"
#include "app/output/command_line.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/report/report_page.h"
#include "calibrate/pair_examination.h"
#include "calibrate/row_check.h"
#include "config/frame_parameters.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {
namespace {

using State = Finding::State;

constexpr std::size_t kUsualFrames = 10;

struct DoctorOptions {
  std::vector<std::string> source;
  std::string kind, report, mended;
  RigOptions rig;
  LiveOptions live;
  MatchingOptions matching;  // only its parameters are used
  std::optional<std::size_t> max_frames;
  bool overwrite = false;
};

// Reads the frames of a source and examines them.
class Visit {
 public:
  explicit Visit(const DoctorOptions& options) : options_(options) {
    ChosenParameters chosen = options.matching.Load(AutoRange::kTaken);
    const auto source = WithChosenRange(
        WithRig(OpenSource(options.source, {.kind = options.kind, .live = ReportingToStderr(options.live)}),
                options.rig),
        chosen, [](const std::string& line) { fmt::print("{}\n", Printable(line)); });
    CheckFilesApart(source->InputFiles(), {options.report, options.mended});
    is_live_ = source->is_live();
    int num_passed_over = is_live_ ? kLiveFramesPassedOver : 0;
    const auto most = static_cast<int>(options.max_frames.value_or(kUsualFrames));
    while (examined_.num_frames() < most && source->NextName()) {
      const StereoFrame frame = source->Read();
      if (num_passed_over-- > 0) continue;
      const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
      if (std::min(WidthOf(left), HeightOf(left)) < kSmallestSide_px) {
        throw Error(fmt::format("{}: {}x{} px are too few to judge: each side needs {}", frame.name,
                                WidthOf(left), HeightOf(left), kSmallestSide_px));
      }
      if (examined_.num_frames() > 0 &&
          (WidthOf(left) != examined_.width() || HeightOf(left) != examined_.height()))
        continue;
      const Parameters parameters = ParametersOfFrame(frame, chosen);
      raw_ = frame.raw_rig;
      examined_.Add(left, right,
                    {.rig = frame.rig,
                     .is_rectified_here = frame.seen != nullptr,
                     .layout = PairCheck::LayoutOf(options.source, options.live),
                     .min_disparity = parameters.matching_cost.min_disparity,
                     .num_disparities = parameters.matching_cost.num_disparities},
                    raw_.get());
    }
    if (examined_.num_frames() == 0) throw Error(options.source.front() + ": contains no frames");
    findings_ = examined_.Findings();
  }

  const std::vector<Finding>& findings() const { return findings_; }

  std::string Heading() const {
    std::string text =
        fmt::format("{} frame{} of {}x{} px", examined_.num_frames(), examined_.num_frames() == 1 ? "" : "s",
                    examined_.width(), examined_.height());
    if (const auto& rig = examined_.rig()) {
      text += fmt::format(", {}focal length {:.1f} px, baseline {:.4f} m", raw_ ? "rectified here: " : "",
                          rig->fx_px, rig->baseline_m);
    } else {
      text += ", no calibration: distances in metres need --rig FILE";
    }
    return text;
  }

  // A command, or what to do by hand; empty if there is nothing to do.
  std::string Remedy(const Finding& finding) const {
    const std::string cameras = "both cameras by hand, as in v4l2-ctl --device 0 --set-ctrl auto_exposure=1";
    const SearchRange range = RangeFor(examined_.Disparities());
    switch (finding.fault) {
      case Fault::kNone:
        return "";
      case Fault::kTwoScenes:
        return "look at both: parallax run" + Source() + " --max-frames 3 --write left,right --output look";
      case Fault::kOtherLayout:
        return "parallax run" + Images() +
               (IsSideBySide(options_.live.layout.value_or(PictureLayout::kSideBySide))
                    ? " --layout top-bottom"
                    : " --layout side-by-side") +
               Rig();
      case Fault::kTurnedOver:
        return "turn the camera or its images; in a pipeline: videoflip method=rotate-180";
      case Fault::kExchanged:
        return Exchanged();
      case Fault::kRows:
        if (!raw_ && finding.state == State::kNote) return "";
        return raw_ ? "parallax doctor" + SourceAndRig() + " --mend mended.yaml; or calibrate again"
                    : "parallax calibrate" + Source() +
                          " --board chessboard:9x6 --square METRES --output rig; then --rig rig/rig.yaml";
      case Fault::kOtherSize:
        return OtherSize();
      case Fault::kNotTogether:
        return is_live_ ? "one trigger for both cameras, or parallax run" + Source() + " --pair-tolerance 5"
                        : "record again with one trigger for both cameras, or when nothing moves";
      case Fault::kRollingShutter:
        return "move more slowly, shorten the readout (a smaller size or more frames a second), or use a "
               "global shutter";
      case Fault::kBelowRange:
        return fmt::format(
            "parallax run{} --set matching_cost.min_disparity={} --set matching_cost.num_disparities={}",
            SourceAndRig(), range.min_disparity, range.num_disparities);
      case Fault::kTooFewDisparities:
      case Fault::kTooManyDisparities:
        return fmt::format("parallax run{} --set matching_cost.num_disparities={}", SourceAndRig(),
                           range.num_disparities);
      case Fault::kExposure:
        return "one exposure for " + cameras;
      case Fault::kFocus:
        return "focus the lens, fix it, and calibrate again: parallax calibrate" + Source() +
               " --board chessboard:9x6 --square METRES --output rig";
      case Fault::kSaturation:
        return "a shorter exposure for " + cameras;
      case Fault::kTexture:
        return "more light, or a light that projects a pattern; surer points: parallax run" + SourceAndRig() +
               " --config sparse-for-clouds";
      case Fault::kNoise:
        return "more light and less gain; smoothed over time: parallax run" + SourceAndRig() +
               " --set live.temporal=true";
    }
    return "";
  }

  // Writes the rig whose right camera is turned so that rows agree.
  std::string Mend() const {
    if (!raw_) {
      throw Error(
          "the source's images are rectified already: only the rig of raw cameras can be mended; name it "
          "with --rig FILE");
    }
    if (raw_->left.width_px == 0 || raw_->right.width_px == 0) {
      throw Error(
          "the rig lacks the size of its images: convert it with parallax rig convert, and add "
          "image_size_px");
    }
    const RightTurn turn = TurnOf(examined_.Matches(), *examined_.rig());
    Calibration calibration;
    calibration.raw = WithTurn(*raw_, turn);
    WriteCalibration(calibration, "parallax", options_.mended);
    return fmt::format(
        "wrote {}: the right camera is turned by {:.4f} degrees about x and {:.4f} about z; rows then differ "
        "by {:.2f} px instead of {:.2f} (median); lenses and baseline are unchanged; a calibration "
        "with a board is better\n",
        Printable(options_.mended), turn.turn.x * kDegreesPerRadian, turn.turn.z * kDegreesPerRadian,
        turn.after_px, turn.before_px);
  }

 private:
  std::string Images() const {
    std::string text;
    for (const std::string& name : options_.source) text += ' ' + Quoted(name);
    return text;
  }
  std::string Source() const {
    const auto& layout = options_.live.layout;
    return Images() +
           (layout ? std::string(" --layout ") + kPictureLayoutNames[static_cast<std::size_t>(*layout)] : "");
  }
  std::string Rig() const { return options_.rig.rig.empty() ? "" : " --rig " + Quoted(options_.rig.rig); }
  std::string SourceAndRig() const { return Source() + Rig(); }

  std::string Exchanged() const {
    if (options_.source.size() == 2)
      return "parallax run " + Quoted(options_.source[1]) + " " + Quoted(options_.source[0]) + Rig();
    const PictureLayout layout = options_.live.layout.value_or(PictureLayout::kSideBySide);
    return "parallax run" + Images() + " --layout " +
           (layout == PictureLayout::kSideBySide  ? "right-left"
            : layout == PictureLayout::kTopBottom ? "bottom-top"
            : layout == PictureLayout::kRightLeft ? "side-by-side"
                                                  : "top-bottom") +
           Rig() + "; of two cameras: camera:RIGHT,LEFT";
  }

  std::string OtherSize() const {
    if (raw_)
      return "calibrate with images of this size, or name a calibration for this size with --rig FILE";
    const StereoRig& rig = *examined_.rig();
    const double scale = (examined_.width() / rig.cx_px + examined_.height() / rig.cy_px) / 4;
    return fmt::format(
        "a calibration for this size, or a scaled one: parallax run{} --rig {:.2f},{:.2f},{:.2f},{}",
        Source(), rig.fx_px * scale, rig.cx_px * scale, rig.cy_px * scale, rig.baseline_m);
  }

  const DoctorOptions& options_;
  PairExamination examined_;
  std::vector<Finding> findings_;
  std::shared_ptr<const RawRig> raw_;  // null if the images were rectified before
  bool is_live_ = false;
};

const char* StateText(State state) {
  switch (state) {
    case State::kGood:
      return "good";
    case State::kNote:
      return "note";
    case State::kFault:
      return "FAULT";
    case State::kUnknown:
      return "?";
  }
  return "";
}

// Each finding on one line, followed by its effect and its remedy.
std::string FindingText(const Visit& visit, const Finding& finding, const std::string& indent = "") {
  std::string text = finding.figure.empty() ? "too few points to tell" : finding.figure;
  if (!finding.effect.empty()) text += "\n" + indent + "effect: " + finding.effect;
  if (const std::string remedy = visit.Remedy(finding); !remedy.empty())
    text += "\n" + indent + "remedy: " + remedy;
  return text;
}

std::string Text(const Visit& visit) {
  std::string text = visit.Heading() + "\n";
  for (const Finding& finding : visit.findings()) {
    text += fmt::format("{:<6} {:<12} {}\n", StateText(finding.state), finding.check,
                        FindingText(visit, finding, std::string(20, ' ')));
  }
  return text;
}

// Names the faults, e.g. "2 faults: rows, range"; empty if no fault was found.
std::string FaultsText(const Visit& visit) {
  std::vector<std::string> faults;
  for (const Finding& finding : visit.findings()) {
    if (finding.state == State::kFault) faults.emplace_back(finding.check);
  }
  if (faults.empty()) return "";
  return fmt::format("{} fault{}: {}", faults.size(), faults.size() == 1 ? "" : "s", fmt::join(faults, ", "));
}
constexpr const char* kNoFault =
    "no fault; images do not show whether distances are true: measure one with parallax quality --distance "
    "METRES";

std::string Page(const Visit& visit, const std::vector<std::string>& source) {
  ReportPage page(fmt::format("parallax doctor: {}", fmt::join(source, " ")));
  page.AddParagraph(visit.Heading());
  const std::string faults = FaultsText(visit);
  page.AddParagraph(faults.empty() ? kNoFault : faults);
  PageTable table{.headers = {"check", "", "what was found, its effect on depth, and the remedy"},
                  .rows = {}};
  for (const Finding& finding : visit.findings()) {
    table.rows.push_back({.cells = {{.text = finding.check},
                                    {.text = StateText(finding.state)},
                                    {.text = FindingText(visit, finding), .is_text = true}},
                          .is_marked = finding.state == State::kFault});
  }
  page.AddTable(table);
  return page.Html();
}

void RunDoctor(const DoctorOptions& options) {
  CheckFolder(options.report);
  CheckFolder(options.mended);
  for (const std::string& file : {options.report, options.mended}) {
    if (!file.empty() && !options.overwrite && std::filesystem::exists(file))
      throw InvalidArgument(file + " already exists: name another file, or use --overwrite");
  }
  const Visit visit(options);
  fmt::print("{}", Printable(Text(visit), true));
  if (!options.report.empty()) WriteTextFile(options.report, Page(visit, options.source));
  if (!options.mended.empty()) return fmt::print("{}", visit.Mend());
  if (const std::string faults = FaultsText(visit); !faults.empty()) throw Error(faults);
  fmt::print("{}\n", kNoFault);
}

}  // namespace

void AddDoctorCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("doctor", "Find out why depth is bad: cameras, calibration, parameters, scene");
  const auto options = std::make_shared<DoctorOptions>();
  command->add_option("source", options->source, "Pairs, a video or a camera, as for run")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(*command, options->kind);
  AddRigOptions(*command, options->rig);
  AddLiveOptions(*command, options->live);
  AddParameterOptions(*command, options->matching);
  command
      ->add_option("--max-frames", options->max_frames,
                   fmt::format("Look at this many frames [{}]", kUsualFrames))
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  command->add_option("--report", options->report, "Write the page as HTML, too")->type_name("FILE");
  command
      ->add_option("--mend", options->mended,
                   "Write a rig.yaml whose right camera is turned so that rows agree, without a board")
      ->type_name("FILE");
  command->add_flag("--overwrite", options->overwrite, "Replace existing files");
  command->callback([options] { RunDoctor(*options); });
  command->footer(
      "The exit code is 1 if there is a fault. Examples:\n"
      "  parallax doctor camera:0,1 --rig rig/rig.yaml\n"
      "  parallax doctor left.png right.png --report doctor.html\n"
      "  parallax doctor 'left/*.png' 'right/*.png' --rig rig.yaml --mend mended.yaml");
}

}  // namespace parallax::app
