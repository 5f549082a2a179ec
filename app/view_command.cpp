// parallax view: files or matched frames in a window.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/backends.h"
#include "app/commands.h"
#include "app/display.h"
#include "app/frame_parameters.h"
#include "app/frame_viewer.h"
#include "app/matching_options.h"
#include "app/output_files.h"
#include "app/viewer.h"
#include "config/parameter_text.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "datasets/source.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::vector<std::string> source;
  std::string kind, as;
  MatchingOptions matching;
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

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

enum class FileKind { kNone, kCloud, kDisparity, kDepth, kImage };

// What a single file holds; kNone for what is a source of frames.
FileKind KindOfFile(const fs::path& path, const std::string& as) {
  if (as == "cloud") return FileKind::kCloud;
  if (as == "disparity") return FileKind::kDisparity;
  if (as == "depth") return FileKind::kDepth;
  if (as == "image") return FileKind::kImage;
  const std::string ending = LowerCase(path.extension().string());
  if (ending == ".ply" || ending == ".pcd") return FileKind::kCloud;
  if (ending == ".pfm") return FileKind::kDisparity;
  for (const char* image : {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".tif", ".tiff"}) {
    if (ending == image) {
      // The 16-bit PNG files that run and KITTI write are disparities.
      const bool is_16_bit = std::holds_alternative<HostImage<std::uint16_t>>(ReadImage(path));
      return is_16_bit && ending == ".png" ? FileKind::kDisparity : FileKind::kImage;
    }
  }
  return FileKind::kNone;
}

HostImage<float> ReadDisparity(const fs::path& path) {
  return LowerCase(path.extension().string()) == ".pfm" ? ReadPfm(path) : ReadDisparityPng(path);
}

// Near is large in both, so that colours and the nominal camera mean the same: fx * baseline / depth.
HostImage<float> DisparityFromDepth(const HostImage<float>& depth_m, const StereoRig& rig) {
  HostImage<float> disparity(depth_m.width(), depth_m.height());
  const float fb = static_cast<float>(rig.fx_px * rig.baseline_m);
  for (int y = 0; y < depth_m.height(); ++y) {
    for (int x = 0; x < depth_m.width(); ++x) disparity(x, y) = fb / depth_m(x, y);
  }
  return disparity;
}

ViewerFrame ReadFile(const fs::path& path, FileKind kind) {
  ViewerFrame shown;
  shown.name = path.filename().string();
  switch (kind) {
    case FileKind::kCloud:
      AddCloud(ReadCloud(path), shown);
      break;
    case FileKind::kDisparity: {
      const HostImage<float> disparity = ReadDisparity(path);
      AddDisparity(disparity.ConstView(), RobustRange(disparity.ConstView()), shown);
      AddCloud(disparity.ConstView(), shown.disparity.ConstView(), std::nullopt, {}, shown);
      break;
    }
    case FileKind::kDepth: {
      const HostImage<float> depth_m = ReadDepthPng(path);
      const StereoRig rig = NominalRig(depth_m.width(), depth_m.height());
      const HostImage<float> disparity = DisparityFromDepth(depth_m, rig);
      const DisparityRange range = RobustRange(disparity.ConstView());
      AddDisparity(disparity.ConstView(), range, shown);
      AddCloud(disparity.ConstView(), shown.disparity.ConstView(), rig, {}, shown);
      const double fb = rig.fx_px * rig.baseline_m;
      shown.disparity_caption = "depth";
      shown.scale_low = fmt::format("{:.2f} m", fb / range.low);
      shown.scale_high = fmt::format("{:.2f} m", fb / range.high);
      shown.cloud_caption += ", true depths, width and height from a nominal camera";
      break;
    }
    case FileKind::kImage:
    case FileKind::kNone:
      shown.image = DisplayImage(ViewOf(ReadImage(path)));
      break;
  }
  const HostImage<Rgb8>& picture = shown.image.Empty() ? shown.disparity : shown.image;
  if (!picture.Empty()) {
    (shown.image.Empty() ? shown.disparity_caption : shown.image_caption) +=
        fmt::format("{}{} x {}", shown.image.Empty() ? ", " : "", picture.width(), picture.height());
  }
  return shown;
}

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
  ViewerFrame shown = ReadFile(options.source.front(), kind);
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
        !(SameParameters(matched.parameters, parameters_))) {
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
      if (!matched->frame.rectified)
        throw Error("raw camera images, whose rows do not correspond: rectify them first");
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
  const std::unique_ptr<FrameSource> source = OpenSource(options.source, {.kind = options.kind});
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
  const FileKind kind =
      one_file || !options.as.empty() ? KindOfFile(options.source.front(), options.as) : FileKind::kNone;
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
