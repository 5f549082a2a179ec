#include "app/options/named_rig.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/adjusted_source.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {
namespace {

constexpr const char* kEverything = "all";

// Numbers between commas; nullopt if there is anything else.
std::optional<std::vector<double>> NumbersOf(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<double> number = ParseNumber(std::string_view(text).substr(begin, end - begin));
    if (!number || !std::isfinite(*number)) return std::nullopt;
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

std::string SizeText(int width, int height) { return fmt::format("{}x{}", width, height); }

// Gives frames the named calibration.
class NamedCalibration {
 public:
  NamedCalibration(Calibration calibration, std::string name, bool rectified_source)
      : calibration_(std::move(calibration)), name_(std::move(name)), rectified_source_(rectified_source) {
    if (calibration_.raw) raw_ = std::make_shared<const RawRig>(*calibration_.raw);
  }

  void AddTo(StereoFrame& frame) const {
    const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
    if (!frame.rectified || IsRaw(width, height)) {
      if (!raw_) {
        throw Error("--rig " + name_ +
                    " is the calibration of a rectified pair, but these images are raw: name the "
                    "calibration of the raw cameras");
      }
      frame.raw_rig = raw_;
      frame.rectified = false;
      return;
    }
    if (!calibration_.rectified) {
      throw Error("--rig " + name_ +
                  " is the calibration of raw cameras, but this source's images are already rectified: "
                  "name the calibration of the rectified pair, or FX,CX,CY,BASELINE");
    }
    const RectifiedCalibration& pair = *calibration_.rectified;
    if (pair.width_px > 0 && (pair.width_px != width || pair.height_px != height)) {
      throw Error("the images are " + SizeText(width, height) + ", but --rig " + name_ + " is for " +
                  SizeText(pair.width_px, pair.height_px) + " images: use the calibration for this size");
    }
    frame.rig = pair.rig;
    frame.rig_note.clear();
  }

 private:
  // Whether the images are raw if the source does not say so: if the file describes both kinds, the size
  // decides.
  bool IsRaw(int width, int height) const {
    if (rectified_source_ || !calibration_.raw) return false;
    if (!calibration_.rectified) return true;
    const RectifiedCalibration& pair = *calibration_.rectified;
    const bool fits_raw =
        calibration_.raw->left.width_px == width && calibration_.raw->left.height_px == height;
    const bool fits_rectified = pair.width_px == width && pair.height_px == height;
    return fits_raw || !fits_rectified;
  }

  Calibration calibration_;
  std::string name_;
  bool rectified_source_;
  std::shared_ptr<const RawRig> raw_;
};

class RigSource final : public AdjustedSource {
 public:
  // origin: what of the options changes frames, added to their origin; files: of the calibration.
  RigSource(std::unique_ptr<FrameSource> source, std::function<void(StereoFrame&)> adjust, std::string origin,
            std::vector<std::string> files)
      : AdjustedSource(std::move(source),
                       [adjust = std::move(adjust), origin](StereoFrame& frame) {
                         adjust(frame);
                         if (!frame.origin.empty()) frame.origin += origin;
                       }),
        origin_(std::move(origin)),
        files_(std::move(files)) {}

  // If the calibration does not fit a camera's first picture, it fits none of its pictures: the source fails,
  // not the frame alone.
  std::optional<std::string> NextName() override {
    if (failure_) std::rethrow_exception(failure_);
    return AdjustedSource::NextName();
  }
  StereoFrame Read() override {
    try {
      StereoFrame frame = AdjustedSource::Read();
      has_given_ = true;
      return frame;
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      if (is_live() && !has_given_) failure_ = std::current_exception();
      throw;
    }
  }

  std::string NextOrigin() override {
    const std::string origin = AdjustedSource::NextOrigin();
    return origin.empty() ? origin : origin + origin_;
  }
  std::vector<std::string> InputFiles() const override {
    std::vector<std::string> files = AdjustedSource::InputFiles();
    files.insert(files.end(), files_.begin(), files_.end());
    return files;
  }

 private:
  std::string origin_;
  std::vector<std::string> files_;
  bool has_given_ = false;
  std::exception_ptr failure_;
};

}  // namespace

RectificationOptions RigOptions::Rectification() const {
  RectificationOptions options;
  if (!size.empty()) {
    const std::size_t x = size.find('x');
    const auto width = ParseCount(size.substr(0, x));
    const auto height = x == std::string::npos ? std::nullopt : ParseCount(size.substr(x + 1));
    constexpr std::uint64_t kMost_px = 16384;
    if (!width || !height || *width < 16 || *height < 16 || *width > kMost_px || *height > kMost_px) {
      throw InvalidArgument("--rectified-size '" + size +
                            "' is not a size: give WIDTHxHEIGHT, 16 to 16384 px each, e.g. 1280x720");
    }
    options.width_px = static_cast<int>(*width);
    options.height_px = static_cast<int>(*height);
  }
  if (zoom == kEverything) {
    options.zoom = 0;
  } else {
    const auto number = ParseNumber(zoom);
    if (!number || !(*number >= 0.1 && *number <= 10))
      throw InvalidArgument("--zoom '" + zoom + "' is neither a number from 0.1 to 10 nor all");
    options.zoom = *number;
  }
  return options;
}

std::string RigOptions::RectificationText() const {
  const RigOptions usual;
  std::string text;
  if (size != usual.size) text += " --rectified-size " + size;
  if (zoom != usual.zoom) text += " --zoom " + zoom;
  if (nearest_m > 0) text += fmt::format(" --nearest {}", nearest_m);
  return text;
}

void AddRectificationOptions(CLI::App& command, RigOptions& options) {
  command
      .add_option("--rectified-size", options.size,
                  "Size of the rectified images, for raw sources [the cameras' size]")
      ->type_name("WxH");
  command
      .add_option("--zoom", options.zoom,
                  "Zoom of the rectified images: 1 = largest view without borders, less shows more, all = "
                  "every pixel of the cameras")
      ->type_name("X|all")
      ->capture_default_str();
}

void AddRigOptions(CLI::App& command, RigOptions& options) {
  command
      .add_option("--rig", options.rig,
                  "Calibration to use instead of the source's: a file (rig.yaml, OpenCV, ROS, Kalibr, "
                  "mrcal, KITTI, EuRoC, Middlebury; two as LEFT,RIGHT) that rectifies raw images; or, "
                  "for a rectified pair, focal length and left principal point in px, baseline in m, "
                  "and doffs = cx_right - cx_left in px [0]")
      ->type_name("FILE|FX,CX,CY,BASELINE[,DOFFS]");
  AddRectificationOptions(command, options);
  command
      .add_option("--nearest", options.nearest_m,
                  "Nearest distance to measure, m; sets the number of disparities from the rig, unless --set "
                  "or --config does")
      ->type_name("METRES")
      ->check(CLI::Range(1e-3, 1e4));
}

Calibration ParseRig(const std::string& text) {
  const std::optional<std::vector<double>> numbers = NumbersOf(text);
  if (!numbers) {
    const std::string first = text.substr(0, text.find(','));
    if (!std::filesystem::exists(text) && !std::filesystem::exists(first)) {
      throw InvalidArgument("--rig '" + text +
                            "' is neither a file nor FX,CX,CY,BASELINE[,DOFFS], in px and metres, e.g. "
                            "721.5,609.6,172.9,0.537");
    }
    return ReadCalibration(text);
  }
  if (numbers->size() < 4 || numbers->size() > 5) {
    throw InvalidArgument(
        "--rig '" + text +
        "' is not FX,CX,CY,BASELINE[,DOFFS], in px and metres, e.g. 721.5,609.6,172.9,0.537");
  }
  const std::vector<double>& n = *numbers;
  if (!(n[0] > 0) || !(n[3] > 0)) {
    throw InvalidArgument("--rig '" + text + "': focal length and baseline must be above 0");
  }
  constexpr double kLongestUsualBaseline_m = 20;
  if (n[3] > kLongestUsualBaseline_m) {
    throw InvalidArgument(
        fmt::format("--rig '{}': a baseline of {:g} m is unlikely: give FX, CX and CY in px and BASELINE in "
                    "metres, or use a calibration file, where any baseline is allowed",
                    text, n[3]));
  }
  Calibration calibration;
  calibration.format = "numbers";
  calibration.rectified = RectifiedCalibration{.rig = {.fx_px = n[0],
                                                       .cx_px = n[1],
                                                       .cy_px = n[2],
                                                       .baseline_m = n[3],
                                                       .doffs_px = n.size() > 4 ? n[4] : 0}};
  return calibration;
}

int DisparitiesFor(const StereoRig& rig, double nearest_m) {
  const double largest_px = rig.fx_px * rig.baseline_m / nearest_m - rig.doffs_px;
  constexpr double kMost = 1024;
  return static_cast<int>(std::clamp(std::ceil(largest_px) + 1, 1.0, kMost));
}

std::unique_ptr<FrameSource> WithRig(std::unique_ptr<FrameSource> source, const RigOptions& options,
                                     const std::function<void(StereoFrame&)>& rectify) {
  std::shared_ptr<const NamedCalibration> named;
  std::string origin = options.RectificationText();
  std::vector<std::string> files;
  if (!options.rig.empty()) {
    Calibration calibration = ParseRig(options.rig);
    files = calibration.files;
    if (!files.empty()) {
      std::vector<std::filesystem::path> paths(files.begin(), files.end());
      origin += " --rig " + StampOf(paths);
    }
    const bool rectified_source = TraitsOf(source->kind()).is_rectified;
    named = std::make_shared<const NamedCalibration>(std::move(calibration), options.rig, rectified_source);
  }
  const RigOptions usual;
  const bool resizes = options.size != usual.size || options.zoom != usual.zoom;
  const auto adjust = [rectify, named, resizes, nearest_m = options.nearest_m](StereoFrame& frame) {
    if (named) named->AddTo(frame);
    if (resizes && frame.rectified) {
      throw Error(
          "--rectified-size and --zoom apply to raw images, but these are already rectified: leave "
          "them out");
    }
    rectify(frame);
    if (nearest_m > 0) {
      if (!frame.rig)
        throw Error("--nearest needs a calibration, and this pair has none: give one with --rig");
      frame.num_disparities_hint = DisparitiesFor(*frame.rig, nearest_m);
    }
  };
  return std::make_unique<RigSource>(std::move(source), adjust, std::move(origin), std::move(files));
}

std::unique_ptr<FrameSource> WithRig(std::unique_ptr<FrameSource> source, const RigOptions& options) {
  const auto rectifier = std::make_shared<FrameRectifier>(options.Rectification());
  return WithRig(std::move(source), options, [rectifier](StereoFrame& frame) { rectifier->Rectify(frame); });
}

}  // namespace parallax::app
