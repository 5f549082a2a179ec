#include "datasets/formats/rare_png_reader.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {
namespace {

// The state of libpng. Its errors leave by longjmp, so no object with a destructor may live in between; this
// holds the rows.
struct LibpngDecoder {
  std::span<const std::uint8_t> rest;  // of the file
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf damaged{};
  char message[128] = {};
  int width = 0, height = 0, channels = 0, bits = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<png_bytep> rows;
};

[[noreturn]] void Leave(png_structp png, png_const_charp message) {
  auto& decoder = *static_cast<LibpngDecoder*>(png_get_error_ptr(png));
  std::strncpy(decoder.message, message, sizeof(decoder.message) - 1);
  std::longjmp(decoder.damaged, 1);
}

// Ignores warnings about colour profiles and other chunks that are not used here.
void OnWarning(png_structp png, png_const_charp message) {
  for (const char* about :
       {"iCCP", "sRGB", "gAMA", "cHRM", "sBIT", "tEXt", "zTXt", "iTXt", "tIME", "eXIf", "pHYs"}) {
    if (std::strstr(message, about) != nullptr) return;
  }
  Leave(png, message);
}

void ReadBytes(png_structp png, png_bytep to, std::size_t count) {
  auto& decoder = *static_cast<LibpngDecoder*>(png_get_io_ptr(png));
  if (count > decoder.rest.size()) png_error(png, "cut short");
  std::memcpy(to, decoder.rest.data(), count);
  decoder.rest = decoder.rest.subspan(count);
}

// False, with the message, where the data are damaged.
bool Decode(LibpngDecoder& decoder) {
  if (setjmp(decoder.damaged) != 0) return false;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, Leave, OnWarning);
  if (decoder.png == nullptr) return false;
  decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) png_error(decoder.png, "no memory");
  png_set_read_fn(decoder.png, &decoder, ReadBytes);
  png_read_info(decoder.png, decoder.info);
  const int type = png_get_color_type(decoder.png, decoder.info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(decoder.png);
  if ((type & PNG_COLOR_MASK_COLOR) == 0 && png_get_bit_depth(decoder.png, decoder.info) < 8) {
    png_set_expand_gray_1_2_4_to_8(decoder.png);
  }
  png_set_strip_alpha(decoder.png);
  png_set_swap(decoder.png);  // 16 bits: the file has the high byte first
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  decoder.width = static_cast<int>(png_get_image_width(decoder.png, decoder.info));
  decoder.height = static_cast<int>(png_get_image_height(decoder.png, decoder.info));
  decoder.channels = png_get_channels(decoder.png, decoder.info);
  decoder.bits = png_get_bit_depth(decoder.png, decoder.info);
  const std::size_t row_bytes = png_get_rowbytes(decoder.png, decoder.info);
  decoder.pixels.resize(row_bytes * static_cast<std::size_t>(decoder.height));
  decoder.rows.resize(static_cast<std::size_t>(decoder.height));
  for (std::size_t y = 0; y < decoder.rows.size(); ++y)
    decoder.rows[y] = decoder.pixels.data() + y * row_bytes;
  png_read_image(decoder.png, decoder.rows.data());
  png_read_end(decoder.png, nullptr);
  return true;
}

template <typename T>
HostImage<T> Copied(const LibpngDecoder& decoder) {
  HostImage<T> image(decoder.width, decoder.height);
  for (int y = 0; y < decoder.height; ++y) {
    std::memcpy(image.Row(y), decoder.rows[static_cast<std::size_t>(y)],
                static_cast<std::size_t>(decoder.width) * sizeof(T));
  }
  return image;
}

// 65535 becomes 255, to the nearest.
HostImage<Rgb8> In8Bits(const LibpngDecoder& decoder) {
  HostImage<Rgb8> image(decoder.width, decoder.height);
  const auto rounded = [](const std::uint8_t* value) {
    return static_cast<std::uint8_t>((LoadAs<std::uint16_t>(value) + 128) / 257);
  };
  for (int y = 0; y < decoder.height; ++y) {
    const std::uint8_t* pixel = decoder.rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < decoder.width; ++x, pixel += 6) {
      image(x, y) = {rounded(pixel), rounded(pixel + 2), rounded(pixel + 4)};
    }
  }
  return image;
}

}  // namespace

std::optional<CameraImage> DecodeRarePng(const std::filesystem::path& path,
                                         std::span<const std::uint8_t> bytes) {
  if (!AsText(bytes).starts_with("\x89PNG\r\n\x1a\n")) return std::nullopt;
  LibpngDecoder decoder;
  decoder.rest = bytes;
  const bool is_whole = Decode(decoder);
  png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
  if (!is_whole) {
    throw Error(path.string() + ": the image is truncated or damaged (PNG: " +
                Printable(std::string_view(decoder.message), 100) + "); fetch or write it again");
  }
  if (decoder.channels == 1 && decoder.bits == 8) return Copied<std::uint8_t>(decoder);
  if (decoder.channels == 1) return Copied<std::uint16_t>(decoder);
  if (decoder.bits == 8) return Copied<Rgb8>(decoder);
  return In8Bits(decoder);
}

}  // namespace parallax
