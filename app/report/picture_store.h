// Stores the pictures of a page: in files next to it, or in the page itself.
#pragma once

#include <filesystem>
#include <string>

#include "app/report/report_page.h"
#include "parallax/image.h"

namespace parallax::app {

class PictureStore {
 public:
  // place: of the page. In a folder: files in its folder "frames", which is made. In one file: inside the page,
  // as WebP; pictures wider than 640 px are reduced by a whole factor. Throws Error if a folder cannot be
  // made or is missing.
  explicit PictureStore(const std::filesystem::path& place);

  // name: of a file, without extension.
  PagePicture Add(const std::string& label, const std::string& name, HostImageView<const Rgb8> picture) const;

 private:
  std::filesystem::path folder_;  // empty: in the page
};

// The means of blocks of factor x factor pixels. Incomplete blocks at the right and bottom are
// cut off, except where there would be no pixel left.
HostImage<Rgb8> Shrunk(HostImageView<const Rgb8> picture, int factor);

}  // namespace parallax::app
