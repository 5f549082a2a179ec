// parallax calibrate: pairs of images of a board to a rig, a report and a verdict.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/calibrate/calibration_report.h"
#include "app/commands.h"
#include "app/options/live_source_options.h"
#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/session/interrupt.h"
#include "app/session/progress.h"
#include "calibrate/stereo_calibration.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept_bytes = 400 << 20;  // of images, for the report's pictures
constexpr std::size_t kWorstShown = 3;

struct CalibrateOptions {
  std::vector<std::string> source;
  std::string kind, board, lens = "auto";
  double square_m = 0;
  std::optional<double> baseline_m;
  fs::path output;
  bool overwrite = false;
  std::optional<std::size_t> max_frames;
  LiveOptions live;
  std::size_t num_boards = 40;  // of a stream
};

std::optional<LensChoice> LensOf(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "fisheye") return LensChoice{LensModel::kFisheye, 4};
  return LensChoice{LensModel::kPlumbBob, name == "rational" ? 8 : 5};
}

std::size_t BytesOf(const CameraImage& image) {
  return std::visit(
      [](const auto& i) {
        return static_cast<std::size_t>(i.height()) * static_cast<std::size_t>(i.width()) * sizeof(i(0, 0));
      },
      image);
}

// Whether a board stands elsewhere than in those kept so far: of a stream, most frames show nothing new.
bool IsNew(const BoardView& view, const std::vector<BoardView>& kept, int width) {
  for (const BoardView& other : kept) {
    double sum = 0;
    std::size_t count = 0;
    for (const SeenCorner& a : view.left) {
      const auto b = std::find_if(other.left.begin(), other.left.end(),
                                  [&](const SeenCorner& seen) { return seen.corner == a.corner; });
      if (b == other.left.end()) continue;
      sum += std::hypot(a.pixel.x - b->pixel.x, a.pixel.y - b->pixel.y);
      ++count;
    }
    if (count > 0 && sum / static_cast<double>(count) < 0.03 * width) return false;
  }
  return true;
}

class CalibrationRun {
 public:
  explicit CalibrationRun(const CalibrateOptions& options) : options_(options) {
    input_.board = ParseBoard(options.board, options.square_m);
    input_.lens = LensOf(options.lens);
    input_.expected_baseline_m = options.baseline_m;
  }

  void Run() {
    source_ = OpenSource(options_.source, {.kind = options_.kind, .live = ReportingToStderr(options_.live)});
    CheckPlaces();
    ReadBoards();
    const StereoCalibration result = CalibrateStereo(input_);
    Write(result);
    fmt::print("{}", ReportText(result, input_));
    fmt::print("report in {}\n", Printable((options_.output / "index.html").string()));
    if (result.IsRefused()) throw Error("no rig is written: " + result.causes.front());
    fmt::print("rig in {}: use it with --rig\n", Printable((options_.output / "rig.yaml").string()));
  }

 private:
  void CheckPlaces() const {
    std::vector<std::string> written;
    for (const char* name : {"rig.yaml", "report.json", "corners.vnl", "index.html"})
      written.push_back((options_.output / name).string());
    CheckFilesApart(source_->InputFiles(), written);
    CheckFoldersApart(source_->InputFiles(), {options_.output / "pictures"});
    for (const std::string& file : written) {
      if (!options_.overwrite && fs::exists(file))
        throw InvalidArgument(file + " already exists: name another --output, or use --overwrite");
    }
  }

  void ReadBoards() {
    const CornerFinder finder(input_.board);
    const SourceKind kind = source_->kind();
    const bool is_stream =
        kind == SourceKind::kVideo || kind == SourceKind::kCamera || kind == SourceKind::kRecording;
    const InterruptGuard interrupt([this] {
      if (source_->is_live()) source_->Cancel();  // it may be waiting for a picture
    });
    Progress progress(source_->num_frames(), isatty(STDERR_FILENO) == 1 ? stderr : stdout);
    std::size_t num_read = 0;
    for (; !interrupt.requested() && (!options_.max_frames || num_read < *options_.max_frames); ++num_read) {
      std::optional<std::string> name;
      StereoFrame frame;
      try {
        name = source_->NextName();
        if (!name) break;
        frame = source_->Read();
      } catch (const Cancelled&) {
        break;
      }
      const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
      if (input_.width_px == 0) {
        input_.width_px = width;
        input_.height_px = height;
      }
      if (width != input_.width_px || height != input_.height_px) {
        throw Error(fmt::format(
            "{}: its images are {}x{}, but earlier ones are {}x{}: calibrate one image size at a time",
            frame.name, width, height, input_.width_px, input_.height_px));
      }
      BoardView view;
      view.name = frame.name;
      view.left = finder.Find(ViewOf(frame.left));
      if (!is_stream || !view.left.empty()) view.right = finder.Find(ViewOf(frame.right));
      progress.Advance(true);
      if (is_stream && (view.left.empty() || view.right.empty() || !IsNew(view, input_.views, width)))
        continue;
      input_.views.push_back(std::move(view));
      Keep(std::move(frame));
      if (is_stream && input_.views.size() >= options_.num_boards) {
        ++num_read;
        break;
      }
    }
    if (is_stream) {
      progress.Print(
          fmt::format("{} boards in new positions taken from {} frames", input_.views.size(), num_read));
    }
    if (input_.views.empty()) {
      throw Error(options_.source.front() +
                  (is_stream ? ": no frame shows the board: check --board" : ": contains no frames"));
    }
  }

  void Keep(StereoFrame frame) {
    kept_bytes_ += BytesOf(frame.left) + BytesOf(frame.right);
    if (kept_bytes_ > kMostKept_bytes) return;
    std::string name = frame.name;
    frames_.emplace(std::move(name), std::move(frame));
  }

  void Write(const StereoCalibration& result) {
    fs::create_directories(options_.output / "pictures");
    fs::remove(options_.output / "rig.yaml");  // of a run that is overwritten
    std::vector<ReportPicture> pictures;
    const auto add = [&](const HostImage<Rgb8>& picture, const std::string& name, std::string caption) {
      WritePng(options_.output / "pictures" / name, picture.ConstView());
      pictures.push_back({"pictures/" + name, std::move(caption)});
    };
    add(CoveragePicture(result), "coverage.png",
        "Where boards were seen, left and right: darker cells hold more corners, red dots were left out.");
    std::vector<std::size_t> order(result.bundle.views.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return result.board_rms_px[a] > result.board_rms_px[b];
    });
    for (std::size_t i = 0; i < std::min(kWorstShown, order.size()); ++i) {
      const auto found = frames_.find(result.bundle.views[order[i]].name);
      if (found == frames_.end()) continue;
      add(ResidualPicture(result, input_, order[i], found->second), fmt::format("worst_{}.png", i + 1),
          fmt::format("{}, rms {:.2f} px: from each corner to where the rig expects it, 40 times as long; "
                      "red corners "
                      "were left out.",
                      found->first, result.board_rms_px[order[i]]));
    }
    if (!result.IsRefused()) AddRectified(result, order, add);
    std::vector<std::string> left, right;
    NameFiles(left, right);
    WriteTextFile(options_.output / "corners.vnl", CornersVnl(input_, left, right));
    WriteTextFile(options_.output / "index.html", ReportPage(result, input_, pictures));
    WriteTextFile(options_.output / "report.json", ReportJson(result));
    if (result.IsRefused()) return;
    Calibration calibration;
    calibration.raw = result.bundle.rig;
    calibration.quality = QualityOf(result);
    WriteCalibration(calibration, "parallax", options_.output / "rig.yaml");
  }

  template <typename Add>
  void AddRectified(const StereoCalibration& result, const std::vector<std::size_t>& order, const Add& add) {
    const auto found = frames_.find(result.bundle.views[order[order.size() / 2]].name);
    if (found == frames_.end()) return;
    StereoFrame& frame = found->second;
    frame.rectified = false;
    frame.raw_rig = std::make_shared<const RawRig>(result.bundle.rig);
    FrameRectifier().Rectify(frame);
    add(RectifiedPicture(frame), "rectified.png",
        fmt::format("{}, rectified: along the lines left and right show the same.", found->first));
  }

  // Names of the images, as far as the source tells them.
  void NameFiles(std::vector<std::string>& left, std::vector<std::string>& right) const {
    const std::vector<std::string> files = source_->InputFiles();
    const bool known = source_->kind() == SourceKind::kPair && files.size() >= 2 * input_.views.size();
    for (std::size_t i = 0; i < input_.views.size(); ++i) {
      left.push_back(known ? files[2 * i] : "left/" + input_.views[i].name);
      right.push_back(known ? files[2 * i + 1] : "right/" + input_.views[i].name);
    }
  }

  const CalibrateOptions& options_;
  CalibrationInput input_;
  std::unique_ptr<FrameSource> source_;
  std::map<std::string, StereoFrame> frames_;  // by name
  std::size_t kept_bytes_ = 0;
};

}  // namespace

void AddCalibrateCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Calibrate a stereo rig from image pairs of a board, with a report and a verdict");
  const auto options = std::make_shared<CalibrateOptions>();
  command
      ->add_option("source", options->source,
                   "Left and right images (folders, or globs in quotes), a video, a recording, a camera, a "
                   "folder of raw "
                   "pairs")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(*command, options->kind);
  AddLiveOptions(*command, options->live);
  command
      ->add_option(
          "--board", options->board,
          "chessboard:9x6 (inner corners), charuco:5x7[:4X4_50[:0.75]] (squares, dictionary, marker by "
          "square), aprilgrid:6x6[:0.3] (tags, gap by tag)")
      ->type_name("BOARD")
      ->required();
  command
      ->add_option(
          "--square", options->square_m,
          "Side of a square of the board, in m or with its unit (24.23mm); for an AprilGrid, of a tag")
      ->type_name("METRES")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"m", 1}, {"cm", 0.01}, {"mm", 0.001}},
                                        CLI::AsNumberWithUnit::CASE_SENSITIVE, "METRES"))
      ->required();
  command
      ->add_option("--lens", options->lens,
                   "plumb_bob (5 coefficients), rational (8), fisheye (4), or auto: the one that fits "
                   "held-out pairs best")
      ->check(CLI::IsMember({"auto", "plumb_bob", "rational", "fisheye"}))
      ->capture_default_str();
  command
      ->add_option("--baseline", options->baseline_m,
                   "Distance between the lenses, measured with a ruler, m; detects a wrong --square")
      ->type_name("METRES")
      ->check(CLI::Range(1e-4, 1e3));
  command
      ->add_option("-o,--output", options->output,
                   "Folder for rig.yaml, report.json, index.html, corners.vnl")
      ->type_name("DIR")
      ->required();
  command->add_flag("--overwrite", options->overwrite, "Replace an existing calibration");
  AddMaxFramesOption(*command, options->max_frames);
  command
      ->add_option("--boards", options->num_boards,
                   "Stop a video, a recording or a camera after this many boards, each in a new position")
      ->type_name("N")
      ->check(CLI::Range(kFewestBoards, 1000))
      ->capture_default_str();
  command->callback([options] { CalibrationRun(*options).Run(); });
  command->footer(
      "example:\n"
      "  parallax calibrate 'left/*.png' 'right/*.png' --board chessboard:9x6 --square 0.025 --output "
      "calibration");
}

}  // namespace parallax::app
