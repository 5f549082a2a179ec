#include "datasets/formats/jpeg_reader.h"

#include <csetjmp>
#include <cstdio>
// libjpeg's header needs <cstdio> before it.
#include <jpeglib.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {
namespace {

// The state of libjpeg. Its errors leave by longjmp, so no object with a destructor may live in between; this
// holds the rows.
struct Decoder {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf damaged{};
  char message[JMSG_LENGTH_MAX] = {};
  HostImage<std::uint8_t> gray;
  HostImage<Rgb8> colour;
  std::vector<std::uint8_t> inks;  // a row
};

[[noreturn]] void Leave(j_common_ptr jpeg) {
  auto& decoder = *static_cast<Decoder*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, decoder.message);
  std::longjmp(decoder.damaged, 1);
}

void OnMessage(j_common_ptr jpeg, int level) {
  constexpr int kWarning = -1;
  if (level == kWarning) Leave(jpeg);
}

// False, with the message, where the data are damaged.
bool Decode(Decoder& decoder, std::span<const std::uint8_t> bytes) {
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = Leave;
  decoder.errors.emit_message = OnMessage;
  jpeg.client_data = &decoder;
  if (setjmp(decoder.damaged) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg.client_data = &decoder;
  jpeg_mem_src(&jpeg, bytes.data(), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&jpeg, TRUE);
  const int width = static_cast<int>(jpeg.image_width), height = static_cast<int>(jpeg.image_height);
  if (jpeg.num_components == 1) {
    jpeg.out_color_space = JCS_GRAYSCALE;
    decoder.gray = HostImage<std::uint8_t>(width, height);
  } else if (jpeg.num_components == 3) {
    jpeg.out_color_space = JCS_RGB;
    decoder.colour = HostImage<Rgb8>(width, height);
  } else {
    jpeg.out_color_space = JCS_CMYK;
    decoder.inks.resize(static_cast<std::size_t>(width) * 4);
  }
  jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    const int y = static_cast<int>(jpeg.output_scanline);
    JSAMPROW row = decoder.inks.data();
    if (!decoder.gray.Empty()) row = decoder.gray.Row(y);
    if (!decoder.colour.Empty()) row = reinterpret_cast<JSAMPROW>(decoder.colour.Row(y));
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

}  // namespace

std::optional<CameraImage> DecodeJpeg(const std::filesystem::path& path,
                                      std::span<const std::uint8_t> bytes) {
  if (!AsText(bytes).starts_with("\xFF\xD8\xFF")) return std::nullopt;
  Decoder decoder;
  const bool is_whole = Decode(decoder, bytes);
  jpeg_destroy_decompress(&decoder.jpeg);
  if (!is_whole) {
    throw Error(path.string() + ": the image is truncated or damaged (JPEG: " +
                Printable(std::string_view(decoder.message), 100) + "); fetch or write it again");
  }
  if (!decoder.gray.Empty()) return std::move(decoder.gray);
  if (!decoder.colour.Empty()) return std::move(decoder.colour);
  return std::nullopt;
}

}  // namespace parallax
