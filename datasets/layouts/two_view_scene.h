// Scene folders with im0, im1 and a calib.txt in Middlebury's style: Middlebury 2014 and v3, ETH3D two-view.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/layouts/frame_list.h"
#include "parallax/rig.h"

namespace parallax {

struct MiddleburyCalibration {
  StereoRig rig;
  std::optional<int> num_disparities;  // ndisp, if stated
  bool has_vmin = false;               // states vmin: Middlebury's own files do, ETH3D's do not
};

// Reads cam0, doffs (px) and baseline (mm). Throws Error naming the file and the missing or damaged line.
MiddleburyCalibration ReadMiddleburyCalibration(const std::filesystem::path& file);

// Scenes at most `depth` levels below `folder`, with names and images only. Throws Error when two have one
// name. want_vmin: keep only scenes whose calib.txt has (true) or lacks (false) a line vmin; nullopt keeps
// all.
std::vector<FrameRecipe> ListTwoViewScenes(const std::filesystem::path& folder, int depth,
                                           std::optional<bool> want_vmin);

// Throws Error when two frames have the same name, naming both files.
void CheckNamesDiffer(const std::vector<FrameRecipe>& frames);

// Adds the rig of a scene's calib.txt and, if it is usable, its number of disparities.
void AddMiddleburyRig(const std::filesystem::path& file, bool with_num_disparities, StereoFrame& frame);

// Adds the truth of a scene from the first of the folders that has disp0GT.pfm or disp0.pfm, with the
// adjacent mask0nocc.png (255 = non-occluded). Sets frame.truth_note instead if no folder has one.
void AddMiddleburyTruth(const std::vector<std::filesystem::path>& folders, StereoFrame& frame);
// All files that it may read.
std::vector<std::filesystem::path> MiddleburyTruthFiles(const std::vector<std::filesystem::path>& folders);

}  // namespace parallax
