// parallax calibrate: pairs of images of a board to a rig, a report and a verdict.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
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
#include "app/view/board_window.h"
#include "calibrate/board_session.h"
#include "calibrate/calibration_figures.h"
#include "calibrate/stereo_calibration.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/types/clone_image.h"

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
  bool overwrite = false, show = false;
  std::optional<std::size_t> max_frames;
  LiveOptions live;
  std::size_t num_boards = 40;  // of a stream
};

std::size_t BytesOf(const CameraImage& image) {
  return std::visit(
      [](const auto& i) {
        return static_cast<std::size_t>(i.height()) * static_cast<std::size_t>(i.width()) * sizeof(i(0, 0));
      },
      image);
}

class CalibrationRun {
 public:
  explicit CalibrationRun(const CalibrateOptions& options)
      : options_(options),
        board_(ParseBoard(options.board, options.square_m)),
        source_(OpenSource(options.source, {.kind = options.kind, .live = ReportingToStderr(options.live)})),
        is_stream_(source_->kind() == SourceKind::kVideo || source_->kind() == SourceKind::kCamera ||
                   source_->kind() == SourceKind::kRecording),
        session_(board_, is_stream_ ? BoardSession::Takes::kNewPlaces : BoardSession::Takes::kEveryPair),
        seen_(session_) {
    CheckPlaces();
  }

  void Run() {
    if (!options_.show) {
      ReadBoards();
      Calibrate();
    } else {
      std::string title = "parallax calibrate";
      for (const std::string& part : options_.source) title += " " + part;
      window_ = std::make_unique<BoardWindow>(title);
      searches_in_thread_ = source_->is_live();
      window_->RunAlongside([this] { FillWindow(); }, [this] { CancelReading(); });
    }
    if (result_.IsRefused()) throw Error("no rig is written: " + result_.causes.front());
    fmt::print("rig in {}: use it with --rig\n", Printable(RigFile()));
  }

  // Whether the user asked to see depths with the new rig.
  bool wants_view() const { return window_ != nullptr && window_->wants_run(); }
  std::string RigFile() const { return (options_.output / "rig.yaml").string(); }

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

  void FillWindow() {
    try {
      ReadBoards();
      window_->Show(*last_, session_, "calibrating");
      Calibrate();
      if (!result_.IsRefused()) window_->OfferRun();
      window_->Show(*last_, session_,
                    result_.IsRefused() ? "refused: no rig is written"
                                        : result_.verdict + ": the rig is saved in " + RigFile(),
                    CalibrationText(result_, input_));
    } catch (const std::exception& error) {
      window_->Show(*last_, seen(), "no rig was made",
                    ErrorText(error));  // a search may still change session_
      if (is_interrupted_) window_->Close();
      throw;
    }
    if (is_interrupted_) window_->Close();
  }

  void CancelReading() {
    if (source_->is_live() && !is_cancelled_.exchange(true)) source_->Cancel();  // it may wait for a picture
  }

  void ReadBoards() {
    const InterruptGuard interrupt([this] { CancelReading(); });
    std::optional<std::size_t> total = source_->num_frames();
    if (total && options_.max_frames) total = std::min(*total, *options_.max_frames);
    Progress progress(total, isatty(STDERR_FILENO) == 1 ? stderr : stdout);
    std::size_t num_read = 0;
    const auto is_done = [&] {
      return interrupt.requested() || num_read == options_.max_frames || (window_ && window_->wants_end()) ||
             (is_stream_ && seen().taken().size() >= options_.num_boards) ||
             (window_ && is_stream_ && seen().IsEnough());
    };
    for (; !is_done(); ++num_read) {
      try {
        if (!source_->NextName()) break;
        last_ = std::make_shared<StereoFrame>(source_->Read());
      } catch (const Cancelled&) {
        break;
      }
      Search(last_);
      if (window_) window_->Show(*last_, seen());
      progress.Advance(true);
    }
    is_interrupted_ = interrupt.requested();
    EndSearch();
    input_.board = board_;
    input_.lens = ParseLens(options_.lens);
    input_.expected_baseline_m = options_.baseline_m;
    input_.width_px = session_.width_px();
    input_.height_px = session_.height_px();
    input_.views = session_.taken();
    if (is_stream_) {
      const std::size_t num_moving = session_.num_moving();
      progress.Print(fmt::format("{} boards in new positions taken from {} frames{}", input_.views.size(),
                                 num_read,
                                 num_moving == 0 ? "" : fmt::format("; in {} it moved", num_moving)));
    }
    if (input_.views.empty()) {
      throw Error(options_.source.front() +
                  (!is_stream_ ? ": contains no frames"
                   : session_.num_moving() == 0
                       ? ": no frame shows the board: check --board"
                       : ": the board moves in every frame: hold it still for a moment "
                         "in each place"));
    }
  }

  // Searches a pair for the board. With a window on a live source this runs in a thread: pairs that arrive during a
  // long search are shown without being searched.
  void Search(const std::shared_ptr<StereoFrame>& frame) {
    const auto look = [this, frame] {
      const BoardSight& sight =
          session_.Look(frame->name, ViewOf(frame->left), ViewOf(frame->right), frame->timestamp_s);
      if (sight.is_taken) Keep(frame);
    };
    if (!searches_in_thread_) return look();
    if (search_.valid() && search_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    EndSearch();
    search_ = std::async(std::launch::async, look);
    constexpr std::chrono::milliseconds kUnnoticed(80);  // so late a picture may be, for marks that fit it
    if (search_.wait_for(kUnnoticed) == std::future_status::ready) EndSearch();
  }

  void EndSearch() {
    if (!search_.valid()) return;
    search_.get();
    seen_ = session_;
  }

  // The session as it was before the search that may be running.
  const BoardSession& seen() const { return searches_in_thread_ ? seen_ : session_; }

  void Keep(const std::shared_ptr<StereoFrame>& frame) {
    kept_bytes_ += BytesOf(frame->left) + BytesOf(frame->right);
    if (kept_bytes_ <= kMostKept_bytes) frames_.emplace(frame->name, frame);
  }

  void Calibrate() {
    result_ = CalibrateStereo(input_);
    Write(result_);
    fmt::print("{}", CalibrationText(result_, input_));
    fmt::print("report in {}\n", Printable((options_.output / "index.html").string()));
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
      add(ResidualPicture(result, input_, order[i], *found->second), fmt::format("worst_{}.png", i + 1),
          fmt::format("{}, rms {:.2f} px: from each corner to where the rig expects it, 40 times as long; "
                      "red corners "
                      "were left out.",
                      found->first, result.board_rms_px[order[i]]));
    }
    if (!result.IsRefused()) AddRectified(result, order, add);
    std::vector<std::string> left, right;
    NameFiles(left, right);
    WriteTextFile(options_.output / "corners.vnl", CornersVnl(input_, left, right));
    WriteTextFile(options_.output / "index.html", CalibrationPage(result, input_, pictures));
    WriteTextFile(options_.output / "report.json", ReportJson(result));
    if (result.IsRefused()) return;
    Calibration calibration;
    calibration.raw = result.bundle.rig;
    calibration.quality = QualityOf(result);
    WriteCalibration(calibration, "parallax", RigFile());
  }

  template <typename Add>
  void AddRectified(const StereoCalibration& result, const std::vector<std::size_t>& order, const Add& add) {
    const auto found = frames_.find(result.bundle.views[order[order.size() / 2]].name);
    if (found == frames_.end()) return;
    StereoFrame frame;
    frame.left = CloneImage(ViewOf(found->second->left));
    frame.right = CloneImage(ViewOf(found->second->right));
    frame.rectified = false;
    frame.raw_rig = std::make_shared<const RawRig>(result.bundle.rig);
    FrameRectifier().Rectify(frame);
    add(RectifiedPicture(frame), "rectified.png",
        fmt::format("{}, rectified: along the lines left and right show the same.", found->first));
  }

  // Lists the names of the images, as far as the source knows them.
  void NameFiles(std::vector<std::string>& left, std::vector<std::string>& right) const {
    const std::vector<std::string> files = source_->InputFiles();
    const bool known = source_->kind() == SourceKind::kPair && files.size() >= 2 * input_.views.size();
    for (std::size_t i = 0; i < input_.views.size(); ++i) {
      left.push_back(known ? files[2 * i] : "left/" + input_.views[i].name);
      right.push_back(known ? files[2 * i + 1] : "right/" + input_.views[i].name);
    }
  }

  const CalibrateOptions& options_;
  const BoardSpec board_;
  const std::unique_ptr<FrameSource> source_;
  const bool is_stream_;
  bool searches_in_thread_ = false;  // in a thread of its own
  BoardSession session_, seen_;
  CalibrationInput input_;
  StereoCalibration result_;
  std::map<std::string, std::shared_ptr<StereoFrame>> frames_;  // by name
  std::size_t kept_bytes_ = 0;
  std::shared_ptr<StereoFrame> last_ = std::make_shared<StereoFrame>();
  bool is_interrupted_ = false;
  std::atomic<bool> is_cancelled_ = false;
  std::unique_ptr<BoardWindow> window_;
  std::future<void> search_;
};

// Replaces this process by `parallax view` of the same source: a process can open one window only.
[[noreturn]] void BecomeView(const CLI::App& command, const CalibrateOptions& options,
                             const std::string& rig_file) {
  std::vector<std::string> words = {"parallax", "view"};
  words.insert(words.end(), options.source.begin(), options.source.end());
  words.insert(words.end(), {"--rig", rig_file});
  for (const char* name : {"--kind", "--layout", "--pair-tolerance"}) {
    const CLI::Option* option = command.get_option(name);
    if (option->count() > 0) words.insert(words.end(), {name, option->results().front()});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv("/proc/self/exe", arguments.data());
  throw Error(fmt::format("parallax view cannot be started: use parallax view SOURCE --rig {}", rig_file));
}

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
          "chessboard:9x6 (inner corners), charuco:5x7[:4X4_50[:0.75]] (squares, dictionary, marker / "
          "square side), aprilgrid:6x6[:0.3] (tags, gap / tag side)")
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
  command->add_flag(
      "--show", options->show,
      "Show the images, the board and what is still missing in a window; with a video, a recording or "
      "a camera, calibrate as soon as nothing is missing");
  command->callback([options, command] {
    std::optional<std::string> viewed;
    {
      CalibrationRun run(*options);
      run.Run();
      if (run.wants_view()) viewed = run.RigFile();
    }  // closes the camera
    if (viewed) BecomeView(*command, *options, *viewed);
  });
  command->footer(
      "example:\n"
      "  parallax calibrate 'left/*.png' 'right/*.png' --board chessboard:9x6 --square 0.025 --output "
      "calibration");
}

}  // namespace parallax::app
