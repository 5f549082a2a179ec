#include "app/report/picture_store.h"

#include <algorithm>
#include <cstdint>

#include "app/output/output_files.h"
#include "app/report/html.h"
#include "datasets/formats/image_decoders.h"
#include "datasets/formats/image_file.h"
#include "parallax/error.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPictureFolder = "frames";
constexpr int kWidthInPage_px = 640;

// Encodes a file name for a URL: "%" and reserved characters become %XX.
std::string AddressOf(const std::string& file_name) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string address;
  for (const char c : file_name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                          (byte >= 'A' && byte <= 'Z') || c == '_' || c == '-' || c == '.';
    if (is_plain) {
      address += c;
    } else {
      address.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return address;
}

// A picture without colours as gray, which takes less than half the bytes; empty if there are colours.
HostImage<std::uint8_t> GrayOf(HostImageView<const Rgb8> picture) {
  HostImage<std::uint8_t> gray(picture.width, picture.height);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const Rgb8 c = picture(x, y);
      if (c.r != c.g || c.g != c.b) return {};
      gray(x, y) = c.r;
    }
  }
  return gray;
}

// A tenth of the bytes of a PNG file.
std::string InPageAddress(HostImageView<const Rgb8> picture) {
  constexpr int kQuality = 60;
  return DataUri("image/webp", LoadedImageDecoders().encode_webp(picture, kQuality));
}

}  // namespace

PictureStore::PictureStore(const fs::path& place) {
  if (IsSingleFile(place)) {
    try {
      LoadedImageDecoders();  // so that it is not every picture that fails
    } catch (const Error& error) {
      throw Error(std::string("a report in one file holds WebP pictures, and ") + error.what() +
                  "; or name a folder for the report");
    }
    CheckFolder(place.string());
    return;
  }
  folder_ = place / kPictureFolder;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed)
    throw Error(place.string() + ": cannot be made (" + failed.message() + "): choose another folder");
}

PagePicture PictureStore::Add(const std::string& label, const std::string& name,
                              HostImageView<const Rgb8> picture) const {
  PagePicture added{label, "", picture.width, picture.height};
  if (folder_.empty()) {
    const int factor = (picture.width + kWidthInPage_px - 1) / kWidthInPage_px;
    added.address = InPageAddress(factor <= 1 ? picture : Shrunk(picture, factor).ConstView());
    return added;
  }
  const fs::path file = folder_ / (name + ".png");
  if (const HostImage<std::uint8_t> gray = GrayOf(picture); !gray.Empty()) {
    WritePng(file, gray.ConstView());
  } else {
    WritePng(file, picture);
  }
  added.address = std::string(kPictureFolder) + "/" + AddressOf(name + ".png");
  return added;
}

HostImage<Rgb8> Shrunk(HostImageView<const Rgb8> picture, int factor) {
  HostImage<Rgb8> small(std::max(picture.width / factor, 1), std::max(picture.height / factor, 1));
  for (int y = 0; y < small.height(); ++y) {
    for (int x = 0; x < small.width(); ++x) {
      unsigned r = 0, g = 0, b = 0, num = 0;
      for (int v = y * factor; v < std::min((y + 1) * factor, picture.height); ++v) {
        for (int u = x * factor; u < std::min((x + 1) * factor, picture.width); ++u) {
          const Rgb8 c = picture(u, v);
          r += c.r, g += c.g, b += c.b;
          ++num;
        }
      }
      const auto mean = [&](unsigned sum) { return static_cast<std::uint8_t>((sum + num / 2) / num); };
      small(x, y) = {mean(r), mean(g), mean(b)};
    }
  }
  return small;
}

}  // namespace parallax::app
