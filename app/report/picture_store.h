// Stores the pictures of a page: in files next to it, or in the page itself.
#pragma once

#include <filesystem>
#include <string>

#include "parallax/image.h"

namespace parallax::app {

class PictureStore {
 public:
  // Files in `folder`/frames, which is made. Throws Error when it cannot be.
  static PictureStore InFolder(const std::filesystem::path& folder);
  // Inside the page; pictures wider than max_width_px are made smaller by a whole factor.
  static PictureStore InPage(int max_width_px);

  // Keeps the picture. Returns its address for <img src>. name: of a file, without ending.
  std::string Add(const std::string& name, HostImageView<const Rgb8> picture) const;

 private:
  PictureStore(std::filesystem::path folder, int max_width_px)
      : folder_(std::move(folder)), max_width_px_(max_width_px) {}

  std::filesystem::path folder_;  // empty: in the page
  int max_width_px_;              // 0: any
};

// The means of squares of factor x factor pixels; what is left over at the right and below is cut off, but
// for one pixel at least.
HostImage<Rgb8> Shrunk(HostImageView<const Rgb8> picture, int factor);

}  // namespace parallax::app
