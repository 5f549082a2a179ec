#include "datasets/layouts/kitti_files.h"

#include <array>
#include <chrono>
#include <cmath>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_file.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

using Projection = std::array<double, 12>;

Projection FindProjection(const std::string& text, std::string_view name, const std::string& file) {
  for (const std::string_view line : SplitLines(text)) {
    WordReader words(line);
    const std::string_view key = words.Next();
    if (key != std::string(name) + ":") continue;
    Projection projection{};
    for (double& element : projection) {
      const auto number = ParseNumber(words.Next());
      if (!number || !std::isfinite(*number)) {
        throw Error(file + ": line " + std::string(name) + " must hold 12 numbers (a 3x4 projection matrix)");
      }
      element = *number;
    }
    return projection;
  }
  throw Error(file + ": line " + std::string(name) + ": is missing; it has the baseline");
}

HostImage<std::uint8_t> MaskOfKnown(const HostImage<float>& disparity) {
  HostImage<std::uint8_t> mask(disparity.width(), disparity.height());
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) mask(x, y) = std::isnan(disparity(x, y)) ? 0 : 255;
  }
  return mask;
}

// "2011-09-26 14:05:35.500923136"
std::optional<double> ParseDateAndTime(std::string_view line) {
  if (line.size() < 19) return std::nullopt;
  const auto number = [&](std::size_t begin, std::size_t length) {
    return ParseNumber(line.substr(begin, length));
  };
  const auto year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2),
             minute = number(14, 2), second = number(17, std::string_view::npos);
  for (const auto& part : {year, month, day, hour, minute, second}) {
    if (!part || !(*part >= 0 && *part < 10000)) return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400.0 + *hour * 3600.0 + *minute * 60.0 + *second;
}

}  // namespace

StereoRig ReadKittiRig(const fs::path& file, std::string_view left_line, std::string_view right_line) {
  const std::string text = ReadCalibrationText(file);
  const Projection left = FindProjection(text, left_line, file.string());
  const Projection right = FindProjection(text, right_line, file.string());
  StereoRig rig;
  rig.fx_px = left[0];
  rig.cx_px = left[2];
  rig.cy_px = left[6];
  // P = K [I | -b]: each camera has its own offset to the reference camera, only the difference is the
  // baseline.
  rig.baseline_m = (left[3] - right[3]) / left[0];
  rig.doffs_px = right[2] - left[2];
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw Error(file.string() + ": focal length " + std::to_string(rig.fx_px) + " px and baseline " +
                std::to_string(rig.baseline_m) + " m must be positive; are left and right exchanged?");
  }
  return rig;
}

void AddKittiRig(const fs::path& file, const KittiCameras& cameras, StereoFrame& frame) {
  if (fs::exists(file)) {
    frame.rig = ReadKittiRig(file, cameras.left_line, cameras.right_line);
  } else {
    frame.rig_note = "no calibration: " + file.string() + " does not exist";
  }
}

void AddKittiTruth(const fs::path& occ, const fs::path& noc, const fs::path& objects, StereoFrame& frame) {
  const bool has_occ = fs::exists(occ);
  const bool has_noc = fs::exists(noc);
  if (!has_occ && !has_noc) {
    frame.truth_note = "no ground truth: neither " + occ.string() + " nor " + noc.string() + " exists";
    return;
  }
  GroundTruth truth;
  truth.only_nonoccluded = !has_occ;
  truth.disparity = ReadDisparityPng(has_occ ? occ : noc);
  if (has_noc && has_occ) truth.nonoccluded = MaskOfKnown(ReadDisparityPng(noc));
  if (has_noc && !has_occ) truth.nonoccluded = MaskOfKnown(truth.disparity);
  if (!objects.empty() && fs::exists(objects)) truth.objects = ReadGray8(objects);
  frame.truth = std::move(truth);
}

FrameRecipes ListKittiStereo(const fs::path& folder, const std::vector<KittiCameras>& pairs,
                             KittiStereoFiles (*files)(const fs::path& root, const std::string& number,
                                                       const fs::path& truth)) {
  for (const fs::path& root : {folder, folder / "training"}) {
    for (const KittiCameras& cameras : pairs) {
      ImageNames images = ListImageNames(root / cameras.left_folder);
      // *_11: the next in time, no truth.
      std::erase_if(images.names,
                    [](const std::string& name) { return !fs::path(name).stem().string().ends_with("_10"); });
      if (images.names.empty() || !fs::is_directory(root / cameras.right_folder)) continue;
      const std::size_t num_frames = images.names.size();
      return {
          num_frames, [root, cameras, files, images = std::move(images)](std::size_t i) {
            const fs::path image = images.names[i];
            FrameRecipe recipe;
            recipe.name = image.stem().string();
            recipe.left = images.folder / image;
            recipe.right = root / cameras.right_folder / image;
            const std::string number = recipe.name.substr(0, recipe.name.size() - 3);  // without "_10"
            const KittiStereoFiles of_frame = files(root, number, fs::path(image).replace_extension(".png"));
            recipe.calibration = {of_frame.calibration};
            recipe.truth = {of_frame.occ, of_frame.noc};
            if (!of_frame.objects.empty()) recipe.truth.push_back(of_frame.objects);
            recipe.add_rig = [=](StereoFrame& frame) { AddKittiRig(of_frame.calibration, cameras, frame); };
            recipe.add_truth = [=](StereoFrame& frame) {
              AddKittiTruth(of_frame.occ, of_frame.noc, of_frame.objects, frame);
            };
            return recipe;
          }};
    }
  }
  return {};
}

ImageNames ListImageNames(const fs::path& folder) {
  ImageNames images{folder, {}};
  for (const fs::path& image : ListImages(folder)) images.names.push_back(image.filename().string());
  images.names.shrink_to_fit();
  return images;
}

std::vector<double> ReadKittiTimes(const fs::path& file) {
  std::vector<double> times_s;
  if (!fs::exists(file)) return times_s;
  const std::string text = ReadFileText(file);
  for (const std::string_view line : SplitLines(text)) {
    const auto seconds =
        line.find('-', 1) == 4 ? ParseDateAndTime(line) : ParseNumber(WordReader(line).Next());
    if (!seconds || !std::isfinite(*seconds)) break;
    times_s.push_back(*seconds);
  }
  return times_s;
}

std::optional<double> TimeOfFrame(const std::vector<double>& times_s, const fs::path& image) {
  const auto number = FrameNumber(image.stem().string());
  return number && *number < times_s.size() ? std::optional(times_s[*number]) : std::nullopt;
}

FrameRecipes FramesOfFolders(const std::string& name, const fs::path& left, const fs::path& right,
                             std::vector<double> times_s, std::function<void(FrameRecipe&)> finish) {
  ImageNames images = ListImageNames(left);
  const std::size_t num_frames = images.names.size();
  return {num_frames, [=, images = std::move(images), times_s = std::move(times_s),
                       finish = std::move(finish)](std::size_t i) {
            const fs::path image = images.names[i];
            FrameRecipe recipe;
            recipe.name = name + "_" + FileNameSafe(image.stem().string());
            recipe.left = images.folder / image;
            recipe.right = right / image;
            recipe.timestamp_s = TimeOfFrame(times_s, image);
            finish(recipe);
            return recipe;
          }};
}

}  // namespace parallax
