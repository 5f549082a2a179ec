// Left and right images from two file names, globs or folders.
#pragma once

#include <string>
#include <vector>

#include "datasets/layouts/frame_list.h"

namespace parallax {

// Each of the two is a file, a glob (*, ?, [...]) or a folder of images; both must give the same number of
// files, which are paired in natural order. Throws Error otherwise. Frames are named after the left files,
// and also after their folders if the names repeat.
std::vector<FrameRecipe> ListImagePairs(const std::string& left, const std::string& right);

// The same for pictures that each contain both images.
std::vector<FrameRecipe> ListStackedPictures(const std::string& pictures, PictureLayout layout);

}  // namespace parallax
