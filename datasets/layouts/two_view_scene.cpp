#include "datasets/layouts/two_view_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

constexpr const char* kTruthNames[] = {"disp0GT.pfm", "disp0.pfm"};
constexpr const char* kMaskName = "mask0nocc.png";

constexpr double kMetresPerMillimetre = 1e-3;

bool IsTwoViewScene(const fs::path& folder) {
  return fs::is_regular_file(folder / "calib.txt") && FindImage(folder, "im0") && FindImage(folder, "im1");
}

// "key=value" lines as a table.
std::map<std::string, std::string, std::less<>> ReadKeys(const fs::path& file) {
  const std::string text = ReadCalibrationText(file);
  std::map<std::string, std::string, std::less<>> keys;
  for (const std::string_view line : SplitLines(text)) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) keys.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return keys;
}

// "[f 0 cx; 0 f cy; 0 0 1]"
std::optional<std::array<double, 9>> ParseMatrix(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '[' || c == ']' || c == ';'; }, ' ');
  WordReader words(text);
  std::array<double, 9> matrix{};
  for (double& element : matrix) {
    const auto number = ParseNumber(words.Next());
    if (!number || !std::isfinite(*number)) return std::nullopt;
    element = *number;
  }
  return matrix;
}

bool HasVmin(const fs::path& scene) { return ReadKeys(scene / "calib.txt").contains("vmin"); }

}  // namespace

MiddleburyCalibration ReadMiddleburyCalibration(const fs::path& file) {
  const auto keys = ReadKeys(file);
  const auto number = [&](const char* key) -> double {
    const auto found = keys.find(key);
    if (found == keys.end()) throw Error(file.string() + ": line " + key + "= is missing");
    const auto value = ParseNumber(WordReader(found->second).Next());
    if (!value || !std::isfinite(*value)) {
      throw Error(file.string() + ": " + key + "=" + Printable(found->second) + " is not a number");
    }
    return *value;
  };
  const auto cam0 = keys.find("cam0");
  if (cam0 == keys.end()) throw Error(file.string() + ": line cam0= is missing");
  const auto matrix = ParseMatrix(cam0->second);
  if (!matrix)
    throw Error(file.string() + ": cam0=" + Printable(cam0->second) + " is not [f 0 cx; 0 f cy; 0 0 1]");

  MiddleburyCalibration calibration;
  calibration.rig = {(*matrix)[0], (*matrix)[2], (*matrix)[5], number("baseline") * kMetresPerMillimetre,
                     number("doffs")};
  if (!(calibration.rig.fx_px > 0) || !(calibration.rig.baseline_m > 0)) {
    throw Error(file.string() + ": focal length and baseline must be positive");
  }
  if (keys.contains("ndisp"))
    calibration.num_disparities = static_cast<int>(std::clamp(number("ndisp"), 1.0, 1e6));
  calibration.has_vmin = keys.contains("vmin");
  return calibration;
}

void CheckNamesDiffer(const std::vector<FrameRecipe>& frames) {
  std::map<std::string_view, const FrameRecipe*> seen;
  for (const FrameRecipe& frame : frames) {
    const auto [other, is_new] = seen.emplace(frame.name, &frame);
    if (is_new) continue;
    throw Error("two scenes have the name " + frame.name + ": " + other->second->left.string() + " and " +
                frame.left.string() + "; name a folder that contains only one of them");
  }
}

std::vector<FrameRecipe> ListTwoViewScenes(const fs::path& folder, int depth, std::optional<bool> want_vmin) {
  std::vector<FrameRecipe> frames;
  for (const fs::path& scene : FindFolders(folder, depth, IsTwoViewScene)) {
    if (want_vmin && HasVmin(scene) != *want_vmin) continue;
    FrameRecipe recipe;
    recipe.name = FileNameSafe(NameOfFolder(scene));
    recipe.left = *FindImage(scene, "im0");
    recipe.right = *FindImage(scene, "im1");
    frames.push_back(std::move(recipe));
  }
  CheckNamesDiffer(frames);
  return frames;
}

void AddMiddleburyRig(const fs::path& file, bool with_num_disparities, StereoFrame& frame) {
  const MiddleburyCalibration calibration = ReadMiddleburyCalibration(file);
  frame.rig = calibration.rig;
  if (with_num_disparities) frame.num_disparities_hint = calibration.num_disparities;
}

std::vector<fs::path> MiddleburyTruthFiles(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const char* name : {kTruthNames[0], kTruthNames[1], kMaskName}) files.push_back(folder / name);
  }
  return files;
}

void AddMiddleburyTruth(const std::vector<fs::path>& folders, StereoFrame& frame) {
  for (const fs::path& folder : folders) {
    for (const char* name : kTruthNames) {
      if (!fs::exists(folder / name)) continue;
      GroundTruth truth;
      truth.disparity = ReadPfm(folder / name);
      const fs::path mask = folder / kMaskName;
      if (fs::exists(mask)) truth.nonoccluded = ReadGray8(mask);
      frame.truth = std::move(truth);
      return;
    }
  }
  frame.truth_note = "no ground truth: no disp0GT.pfm or disp0.pfm in " + folders.front().string();
}

}  // namespace parallax
