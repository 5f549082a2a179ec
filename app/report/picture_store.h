// Stores the pictures of a page: in files next to it, or in the page itself.
#pragma once

#include <filesystem>
#include <string>

#include "parallax/image.h"

namespace parallax::app {

class PictureStore {
 public:
  // Files in `folder`/frames, which is made. Throws Error if that fails.
  static PictureStore InFolder(const std::filesystem::path& folder);
  // Inside the page, as WebP; pictures wider than max_width_px are reduced by a whole factor.
  static PictureStore InPage(int max_width_px);

  // Stores the picture and returns its address for <img src>. name: of a file, without extension.
  std::string Add(const std::string& name, HostImageView<const Rgb8> picture) const;

 private:
  PictureStore(std::filesystem::path folder, int max_width_px)
      : folder_(std::move(folder)), max_width_px_(max_width_px) {}

  std::filesystem::path folder_;  // empty: in the page
  int max_width_px_;              // 0: any
};

// The means of blocks of factor x factor pixels. Incomplete blocks at the right and bottom are
// cut off, except where there would be no pixel left.
HostImage<Rgb8> Shrunk(HostImageView<const Rgb8> picture, int factor);

}  // namespace parallax::app
