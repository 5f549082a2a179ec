// Left and right images from two file names, globs or folders.
#pragma once

#include <string>
#include <vector>

#include "datasets/layouts/frame_list.h"

namespace parallax {

// Each of the two is a file, a glob (*, ?, [...]) or a folder of images; both must give as many files, which
// are paired in natural order. Throws Error otherwise. Frames are called after the left files; where these
// are equal, after their folders too.
std::vector<FrameRecipe> ListImagePairs(const std::string& left, const std::string& right);

// The same of pictures that hold both images.
std::vector<FrameRecipe> ListStackedPictures(const std::string& pictures, PictureLayout layout);

}  // namespace parallax
