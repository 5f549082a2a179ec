// Writes frames as a data set in the layout of KITTI stereo 2012 or 2015, so that they can be read and scored
// like the original.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/source.h"

namespace parallax {

// Files of frame NAME (NNNNNN_10) under the folder, all 16-bit disparities d * 256:
//   kKitti2015: training/{image_2,image_3,disp_noc_0,disp_occ_0,obj_map}/NAME.png,
//               training/calib_cam_to_cam/NNNNNN.txt
//   kKitti2012: training/{image_0,image_1,disp_noc,disp_occ}/NAME.png, training/calib/NNNNNN.txt
class KittiLayoutWriter {
 public:
  // Makes the folders. Throws Error when it cannot, InvalidArgument for another kind.
  KittiLayoutWriter(std::filesystem::path folder, SourceKind layout);

  // The folders that a layout has, "training/image_2", ...
  static std::vector<std::string> Folders(SourceKind layout);

  // The files that Write makes of a frame, below the folder.
  std::vector<std::string> FilesOf(const StereoFrame& frame) const;

  // Writes one frame; truth and calibration as far as the frame has them. Throws InvalidArgument for what the
  // layout cannot hold: a true disparity below 0 or of 256 px and more. Throws Error when a file cannot be
  // written.
  void Write(const StereoFrame& frame);

 private:
  std::filesystem::path training_;
  bool is_2015_;
};

}  // namespace parallax
