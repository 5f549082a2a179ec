// parallax view: files or matched frames in a window.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/options/frame_parameters.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/output/output_files.h"
#include "app/view/frame_viewer.h"
#include "app/view/viewed_file.h"
#include "app/view/viewer.h"
#include "config/backends.h"
#include "config/parameter_text.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::vector<std::string> source;
  std::string kind, as;
  MatchingOptions matching;
  std::string rig;  // as ParseRig takes it; empty = the source's
  std::optional<std::size_t> max_frames;
  fs::path screenshot;
  bool paused = false;
  std::vector<int> size_px = {1440, 900};

  ViewerOptions Window() const {
    std::string title = "parallax";
    for (const std::string& part : source) title += " " + part;
    return {.title = title, .width_px = size_px[0], .height_px = size_px[1], .paused = paused};
  }
};

// The picture that --screenshot asks for: taken when the latest frame is on screen, then the window closes.
class Screenshot {
 public:
  explicit Screenshot(fs::path path) : path_(std::move(path)) {}

  // From any thread, after the frame was shown. Does nothing without a path.
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

  // On the main thread, after the window is closed: throws when it was not written.
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

void ViewFile(const ViewOptions& options, FileKind kind) {
  ViewerFrame shown = ReadViewedFile(options.source.front(), kind);
  ViewerOptions window = options.Window();
  window.sequence = false;
  const std::unique_ptr<Viewer> viewer = OpenViewer(window);
  Screenshot screenshot(options.screenshot);
  viewer->Show(std::move(shown));
  screenshot.Request(*viewer);
  viewer->Run();
  screenshot.Finish();
}

// Makes a new matcher only where size or parameters change.
class MatcherCache {
 public:
  explicit MatcherCache(const MatchingOptions& options)
      : options_(options), backend_(ResolveBackend(options.backend)) {}
  std::string_view backend() const { return backend_; }

  void Match(MatchedFrame& matched) {
    const CameraImageView left = ViewOf(matched.frame.left), right = ViewOf(matched.frame.right);
    if (!matcher_ || WidthOf(left) != size_.width || HeightOf(left) != size_.height ||
        matched.parameters != parameters_) {
      matcher_.reset();
      size_ = {.width = WidthOf(left),
               .height = HeightOf(left),
               .num_threads = options_.num_threads,
               .device = options_.device,
               .memory_limit_bytes = options_.MemoryLimitBytes(backend_)};
      parameters_ = matched.parameters;
      matcher_ = MakeMatcher(backend_, parameters_, size_);
    }
    const auto start = std::chrono::steady_clock::now();
    matcher_->Compute(left, right, matched.disparity, &matched.times);
    matched.match_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  const MatchingOptions& options_;
  std::string_view backend_;
  std::unique_ptr<StereoMatcher> matcher_;
  MatcherOptions size_;
  Parameters parameters_;
};

// Reads, matches and shows frame after frame. Returns the number shown; prints bad frames and goes on.
std::size_t ShowFrames(const ViewOptions& options, FrameSource& source, FrameViewer& viewer) {
  const ChosenParameters chosen = options.matching.Load();
  MatcherCache matcher(options.matching);
  std::size_t num_shown = 0;
  while (!viewer.closed() && (!options.max_frames || num_shown < *options.max_frames)) {
    const std::optional<std::string> name = source.NextName();
    if (!name) break;
    auto matched = std::make_shared<MatchedFrame>();
    try {
      matched->frame = source.Read();
      CheckRectified(matched->frame);
      matched->parameters = ParametersFor(matched->frame, chosen);
      matcher.Match(*matched);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "parallax: frame %s: %s\n", name->c_str(), error.what());
      continue;
    }
    if (!viewer.Observe(std::move(matched))) break;
    ++num_shown;
  }
  return num_shown;
}

void ViewSource(const ViewOptions& options) {
  options.matching.Load();  // faults are told before a window opens
  const std::string_view backend = ResolveBackend(options.matching.backend);
  const std::unique_ptr<FrameSource> source =
      WithNamedRig(OpenSource(options.source, {.kind = options.kind}), options.rig);
  std::optional<std::size_t> total = source->num_frames();
  if (total && options.max_frames) total = std::min(*total, *options.max_frames);
  FrameViewer viewer(options.Window());
  viewer.Begin(backend, total);
  Screenshot screenshot(options.screenshot);
  viewer.RunBeside([&] {
    if (ShowFrames(options, *source, viewer) == 0 && !viewer.closed()) {
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
  if (kind != FileKind::kNone) {
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
          "A cloud (PLY, PCD), a disparity (PFM, 16-bit PNG), an image; or a source of frames as for run")
      ->type_name("FILE|SOURCE")
      ->required();
  command->add_option("--as", options->as, "What a file holds, where its name does not tell")
      ->check(CLI::IsMember({"image", "disparity", "depth", "cloud"}));
  command->add_option("--kind", options->kind,
                      "Layout of the folder, where it is not recognised (kitti2012, ...)");
  AddMatchingOptions(*command, options->matching);
  AddRigOption(*command, options->rig);
  command->add_option("--max-frames", options->max_frames, "Stop after this many frames")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()))
      ->type_name("N");
  command->add_flag("--paused", options->paused,
                    "Show the first frame and wait for Step (N) or Resume (space)");
  command
      ->add_option(
          "--screenshot", options->screenshot,
          "Save the window's picture when the last frame (of --max-frames, 1 if not given) is shown, and end")
      ->type_name("FILE.png");
  command->add_option("--size", options->size_px, "Width and height of the window, px")
      ->expected(2)
      ->check(CLI::Range(200, 16384))
      ->capture_default_str();
  command->callback([options] {
    CheckOutputName(options->screenshot, "pictures", ".png");
    if (!options->screenshot.empty()) {
      options->paused = false;
      if (!options->max_frames) options->max_frames = 1;
    }
    View(*options);
  });
  command->footer(
      "keys: space pause or resume, N next frame, R reset the view, + and - point size, Q or Esc close\n"
      "mouse: drag to turn, with the right button to shift; wheel to come nearer");
}

}  // namespace parallax::app
