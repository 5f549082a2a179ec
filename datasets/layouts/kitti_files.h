// Shared by the KITTI data sets: calibration lines, truth files, times.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/layouts/frame_list.h"
#include "pipeline/types/frame.h"

namespace parallax {

// A pair of the car's cameras: their image folders and the lines of their projection matrices.
struct KittiCameras {
  const char* left_folder;
  const char* right_folder;
  const char* left_line;  // "P0", "P_rect_02"
  const char* right_line;
};

// The rig of two rectified cameras from lines "NAME: 12 numbers" (3x4 projection matrices in row order):
// baseline = (P_left[0,3] - P_right[0,3]) / f, doffs = cx_right - cx_left. Throws Error naming the file and
// the line that is missing or damaged.
StereoRig ReadKittiRig(const std::filesystem::path& file, std::string_view left_line,
                       std::string_view right_line);

// Adds the rig to a frame. Sets frame.rig_note instead if the file does not exist.
void AddKittiRig(const std::filesystem::path& file, const KittiCameras& cameras, StereoFrame& frame);

// Adds the truth from KITTI's folders: occ (all pixels), noc (non-occluded ones), objects (may be empty).
// Missing files are left out; if both occ and noc are missing, frame.truth_note is set instead.
void AddKittiTruth(const std::filesystem::path& occ, const std::filesystem::path& noc,
                   const std::filesystem::path& objects, StereoFrame& frame);

// The calibration and truth files of a frame in the stereo layouts.
struct KittiStereoFiles {
  std::filesystem::path calibration, occ, noc, objects;  // the last one may be empty
};
// The *_10 frames of the stereo 2012 or 2015 layout in the first of `folder`, `folder`/training that has them
// for one of the camera pairs. files: gives a frame's files from that folder, its number ("000003") and its
// truth's name.
FrameRecipes ListKittiStereo(const std::filesystem::path& folder, const std::vector<KittiCameras>& pairs,
                             KittiStereoFiles (*files)(const std::filesystem::path& root,
                                                       const std::string& number,
                                                       const std::filesystem::path& truth));

// Names of image files in natural order, with their common folder.
struct ImageNames {
  std::filesystem::path folder;
  std::vector<std::string> names;
};
ImageNames ListImageNames(const std::filesystem::path& folder);

// One time in each line, in seconds or "YYYY-mm-dd HH:MM:SS.fraction" (seconds since 1970). Empty without the
// file; the list ends at a line that is not a time. May be longer than the list of images.
std::vector<double> ReadKittiTimes(const std::filesystem::path& file);

// The time of an image by the number in its name.
std::optional<double> TimeOfFrame(const std::vector<double>& times_s, const std::filesystem::path& image);

// Frames NAME_IMAGE of the images in a left folder and those of the same names in a right one, with their
// times; empty if the left one has none. finish adds a frame's other parts, for several at once.
FrameRecipes FramesOfFolders(const std::string& name, const std::filesystem::path& left,
                             const std::filesystem::path& right, std::vector<double> times_s,
                             std::function<void(FrameRecipe&)> finish);

}  // namespace parallax
