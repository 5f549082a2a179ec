// PNG files read and written by the program's own code, beside OpenCV's (libpng).
//
//   parallax_png_bench FILE.png... [--repeats N]
//
// For every file: medians in milliseconds of decoding it (already in memory) and of encoding what it holds,
// and the bytes that encoding gives; OpenCV first. Results are compared: both decode the same pixels.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <variant>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/png_writer.h"
#include "parallax/error.h"
#include "tools/bench/bench_program.h"

namespace {

using parallax::HostImage;
using parallax::Rgb8;
using parallax::bench::MedianMilliseconds;

// OpenCV keeps colours as blue, green, red; the bytes of gray are the same on this machine.
template <typename T>
bool SamePixels(const HostImage<T>& image, const cv::Mat& other) {
  if (other.cols != image.width() || other.rows != image.height() || other.elemSize() != sizeof(T))
    return false;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      T pixel;
      std::memcpy(&pixel, other.ptr(y) + static_cast<std::size_t>(x) * sizeof(T), sizeof(T));
      if constexpr (std::is_same_v<T, Rgb8>) std::swap(pixel.r, pixel.b);
      if (!(pixel == image(x, y))) return false;
    }
  }
  return true;
}

template <typename T>
void Bench(const std::string& file, const HostImage<T>& image, int repeats) {
  cv::Mat decoded;
  const double opencv_read_ms =
      MedianMilliseconds(repeats, [&] { decoded = cv::imread(file, cv::IMREAD_UNCHANGED); });
  if (!SamePixels(image, decoded)) throw parallax::Error(file + ": OpenCV reads other pixels");
  const double read_ms = MedianMilliseconds(repeats, [&] { parallax::ReadImage(file); });
  std::vector<std::uint8_t> opencv_bytes;
  const double opencv_write_ms =
      MedianMilliseconds(repeats, [&] { cv::imencode(".png", decoded, opencv_bytes); });
  parallax::FileBytes own_bytes;
  const double write_ms =
      MedianMilliseconds(repeats, [&] { own_bytes = parallax::EncodePng(image.ConstView()); });
  std::printf("%s: %dx%d, %zu bits\n", file.c_str(), image.width(), image.height(), 8 * sizeof(T));
  std::printf("  read     %8.2f ms  %8.2f ms\n", opencv_read_ms, read_ms);
  std::printf("  encoded  %8.2f ms  %8.2f ms  %zu  %zu bytes\n", opencv_write_ms, write_ms,
              opencv_bytes.size(), own_bytes.size());
}

int Run(std::vector<std::string> arguments) {
  int repeats = 50;
  if (arguments.size() > 2 && arguments[arguments.size() - 2] == "--repeats") {
    repeats = std::stoi(arguments.back());
    arguments.resize(arguments.size() - 2);
  }
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: parallax_png_bench FILE.png... [--repeats N]\n");
    return 2;
  }
  std::printf("             OpenCV         here\n");
  for (const std::string& file : arguments) {
    std::visit([&](const auto& image) { Bench(file, image, repeats); }, parallax::ReadImage(file));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return parallax::bench::RunProgram("parallax_png_bench", argc, argv, Run); }
