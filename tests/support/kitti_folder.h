// A small data set in KITTI 2012's layout, made for a test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

#include "datasets/formats/image_file.h"
#include "parallax/image.h"
#include "tests/support/run_program.h"

namespace parallax::test {

inline constexpr double kKittiFx_px = 100, kKittiBaseline_m = 0.5;

inline std::string KittiName(int index) {
  const std::string digits = std::to_string(index);
  return std::string(6 - digits.size(), '0') + digits + "_10";
}

// Writes frames 0 .. num_frames-1 below folder: noise, the right image shifted by 5 px and frame's number.
inline void MakeKittiFolder(const std::filesystem::path& folder, int num_frames, int width = 64,
                            int height = 32, bool calibrated = true) {
  namespace fs = std::filesystem;
  fs::create_directories(folder / "image_0");
  fs::create_directories(folder / "image_1");
  for (int i = 0; i < num_frames; ++i) {
    std::mt19937 random(static_cast<unsigned>(i + 1));
    HostImage<std::uint8_t> left(width, height), right(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) left(x, y) = static_cast<std::uint8_t>(random() & 255U);
      for (int x = 0; x < width; ++x) {
        const int shifted = x + 5 + i;
        right(x, y) = shifted < width ? left(shifted, y) : static_cast<std::uint8_t>(random() & 255U);
      }
    }
    WritePng(folder / "image_0" / (KittiName(i) + ".png"), left.ConstView());
    WritePng(folder / "image_1" / (KittiName(i) + ".png"), right.ConstView());
    if (!calibrated) continue;
    // P1[3] = -fx * baseline.
    WriteText(folder / "calib" / (KittiName(i).substr(0, 6) + ".txt"),
              "P0: 100 0 31.5 0 0 100 15.5 0 0 0 1 0\nP1: 100 0 31.5 -50 0 100 15.5 0 0 0 1 0\n"
              "P2: 100 0 31.5 0 0 100 15.5 0 0 0 1 0\nP3: 100 0 31.5 -50 0 100 15.5 0 0 0 1 0\n");
  }
}

}  // namespace parallax::test
