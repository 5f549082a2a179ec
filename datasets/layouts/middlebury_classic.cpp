// Middlebury 2001, 2003, 2005, 2006: 8-bit truth, disparity = value / scale, 0 = unknown. The scale follows
// from the size of the images, as vision.middlebury.edu/stereo/data says for each set.
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_file.h"
#include "datasets/layouts/layouts.h"
#include "datasets/layouts/two_view_scene.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

enum class Year { k2001, k2003, k2005 };  // k2005: and 2006

// Stems of the files of a scene.
struct ClassicFiles {
  const char* left;
  const char* right;
  const char* truth;
};
constexpr ClassicFiles kFiles[] = {
    {"im2", "im6", "disp2"},                                         // 2001 and 2003
    {"view1", "view5", "disp1"},                                     // 2005 and 2006
    {"scene1.row3.col3", "scene1.row3.col4", "truedisp.row3.col3"},  // Tsukuba
    {"aloeL", "aloeR", "aloeGT"},                                    // 2006's Aloe as OpenCV ships it
};

// Set and size of a scene. truth_scale: value of one pixel of disparity in the truth. size_divisor: full size
// over this size (2005 and 2006), in which calibration is stated.
struct ClassicSet {
  Year year = Year::k2001;
  int truth_scale = 8;
  int size_divisor = 1;
};

std::optional<ClassicSet> SetOf(const std::string& left_stem, int width, int height) {
  if (left_stem == "scene1.row3.col3") return ClassicSet{Year::k2001, 16, 1};
  if (left_stem == "im2") {
    if (width == 450 && height == 375) return ClassicSet{Year::k2003, 4, 1};  // quarter size
    if (width == 900 && height == 750) return ClassicSet{Year::k2003, 2, 1};
    if (width == 1800 && height == 1500) return ClassicSet{Year::k2003, 1, 1};
    return ClassicSet{Year::k2001, 8, 1};
  }
  if (height == 370) return ClassicSet{Year::k2005, 3, 3};  // third size
  if (height == 555) return ClassicSet{Year::k2005, 2, 2};
  if (height == 1110) return ClassicSet{Year::k2005, 1, 1};
  return std::nullopt;
}

ClassicSet SetOf(const FrameRecipe& recipe, const StereoFrame& frame) {
  const int width = WidthOf(ViewOf(frame.left)), height = HeightOf(ViewOf(frame.left));
  if (const auto set = SetOf(recipe.left.stem().string(), width, height)) return *set;
  throw Error(recipe.left.string() + ": " + std::to_string(width) + "x" + std::to_string(height) +
              " is not a size of Middlebury 2005 or 2006 (height 1110, 555 or 370), so the scale of its "
              "truth is unknown");
}

// 2005 and 2006: f = 3740 px and baseline 160 mm at full size; the images are cropped by dmin (full-size px).
// The principal point is not stated: the image's centre is taken.
void AddClassicRig(const FrameRecipe& recipe, StereoFrame& frame) {
  const ClassicSet set = SetOf(recipe, frame);
  frame.num_disparities_hint = 255 / set.truth_scale + 1;  // the most that the truth can encode
  if (set.year != Year::k2005) {
    frame.rig_note = "no calibration: Middlebury's 2001 and 2003 sets have none";
    return;
  }
  const fs::path file = recipe.left.parent_path() / "dmin.txt";
  if (!fs::exists(file)) {
    frame.rig_note = "no calibration: " + file.string() + " does not exist, without which depth is unknown";
    return;
  }
  const std::string text = ReadCalibrationText(file);
  const auto dmin_px = ParseNumber(WordReader(text).Next());
  if (!dmin_px || !std::isfinite(*dmin_px))
    throw Error(file.string() + ": must contain one number, in full-size pixels");
  constexpr double kFullFocalLength_px = 3740, kBaseline_m = 0.160;
  const auto divisor = static_cast<double>(set.size_divisor);
  frame.rig = StereoRig{kFullFocalLength_px / divisor, (WidthOf(ViewOf(frame.left)) - 1) / 2.0,
                        (HeightOf(ViewOf(frame.left)) - 1) / 2.0, kBaseline_m, *dmin_px / divisor};
}

void AddClassicTruth(const FrameRecipe& recipe, const std::string& truth_stem, StereoFrame& frame) {
  const fs::path folder = recipe.left.parent_path();
  const auto file = FindImage(folder, truth_stem);
  if (!file) {
    frame.truth_note = "no ground truth: no " + truth_stem + ".png or .pgm in " + folder.string();
    return;
  }
  GroundTruth truth;
  truth.disparity = ReadScaledDisparity(*file, SetOf(recipe, frame).truth_scale);
  if (const auto mask = FindImage(folder, "occl"))
    truth.nonoccluded = ReadGray8(*mask);  // 255 = visible in both
  frame.truth = std::move(truth);
}

const ClassicFiles* FilesOf(const fs::path& scene) {
  for (const ClassicFiles& files : kFiles) {
    if (FindImage(scene, files.left) && FindImage(scene, files.right)) return &files;
  }
  return nullptr;
}

}  // namespace

FrameRecipes FindMiddleburyClassic(const fs::path& folder, bool /*forced*/) {
  std::vector<FrameRecipe> frames;
  for (const fs::path& scene :
       FindFolders(folder, 2, [](const fs::path& f) { return FilesOf(f) != nullptr; })) {
    const ClassicFiles& files = *FilesOf(scene);
    FrameRecipe recipe;
    recipe.name = std::string(files.left) == "aloeL" ? "Aloe" : FileNameSafe(NameOfFolder(scene));
    recipe.left = *FindImage(scene, files.left);
    recipe.right = *FindImage(scene, files.right);
    recipe.calibration = {recipe.left.parent_path() / "dmin.txt"};
    const FrameRecipe place = recipe;
    recipe.add_rig = [place](StereoFrame& frame) { AddClassicRig(place, frame); };
    for (const char* stem : {files.truth, "occl"}) {
      if (const auto file = FindImage(scene, stem)) recipe.truth.push_back(*file);
    }
    recipe.add_truth = [place, stem = std::string(files.truth)](StereoFrame& frame) {
      AddClassicTruth(place, stem, frame);
    };
    frames.push_back(std::move(recipe));
  }
  CheckNamesDiffer(frames);
  return frames;
}

}  // namespace parallax
