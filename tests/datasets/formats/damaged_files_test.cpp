// Files damaged at random: read, or refused with one line of parallax::Error; nothing else may happen. Under
// the sanitizers this finds what reads beyond its bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/matrix_file.h"
#include "datasets/formats/pfm.h"
#include "tests/datasets/test_files.h"
#include "tests/support/npy.h"

namespace parallax {
namespace {

using test::TemporaryFolder;

// Cuts, changes, doubles or removes some bytes.
std::string Damage(std::string bytes, std::mt19937& random) {
  const int num_changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < num_changes && !bytes.empty(); ++i) {
    // Headers are short: half of the damage goes there.
    const std::size_t end = random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size();
    const std::size_t at = random() % end;
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = "0123456789 \n-.#"[random() % 15];
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, random() % 16));
        break;
      default:
        bytes.erase(at, random() % 16);
        break;
    }
  }
  return bytes;
}

void ExpectReadOrRefused(const std::filesystem::path& whole,
                         const std::function<void(const std::filesystem::path&)>& read) {
  const std::string bytes = test::ReadText(whole);
  const std::filesystem::path damaged = whole.parent_path() / ("damaged" + whole.extension().string());
  std::mt19937 random(1);
  int num_refused = 0;
  for (int i = 0; i < 200; ++i) {
    test::WriteText(damaged, Damage(bytes, random));
    try {
      read(damaged);
    } catch (const Error& error) {
      ++num_refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(num_refused, 40) << whole;
}

TEST(DamagedFiles, ImagesAndMaps) {
  const TemporaryFolder dir;
  WritePng(dir / "gray.png", HostImage<std::uint8_t>(9, 7, 3).ConstView());
  ExpectReadOrRefused(dir / "gray.png", [](const auto& path) { ReadImage(path); });
  WriteDisparityPng(dir / "d.png", HostImage<float>(9, 7, 3.5F).ConstView());
  ExpectReadOrRefused(dir / "d.png", [](const auto& path) { ReadDisparityPng(path); });
  test::WriteText(dir / "a.ppm", "P6\n5 4\n255\n" + std::string(60, 'x'));
  ExpectReadOrRefused(dir / "a.ppm", [](const auto& path) { ReadImage(path); });
  WritePfm(dir / "a.pfm", HostImage<float>(9, 7, 3.5F).ConstView());
  ExpectReadOrRefused(dir / "a.pfm", [](const auto& path) { ReadPfm(path); });
}

TEST(DamagedFiles, Clouds) {
  const TemporaryFolder dir;
  PointCloud cloud;
  for (int i = 0; i < 20; ++i) {
    cloud.points.push_back({static_cast<float>(i), 2.5F, -3});
    cloud.colors.push_back({1, 2, static_cast<std::uint8_t>(i)});
  }
  for (const char* name : {"a.ply", "a.pcd"}) {
    for (const auto encoding : {CloudEncoding::kBinary, CloudEncoding::kAscii}) {
      WriteCloud(dir / name, cloud, encoding);
      ExpectReadOrRefused(dir / name, [](const auto& path) { ReadCloud(path); });
    }
  }
}

TEST(DamagedFiles, Matrices) {
  const TemporaryFolder dir;
  test::WriteText(dir / "a.npy",
                  test::Npy(test::NpyDictionary("<f4", "(5, 4)"), std::vector<float>(20, 0.5F)));
  ASSERT_EQ(ReadMatrix(dir / "a.npy").values.size(), 20U);
  ExpectReadOrRefused(dir / "a.npy", [](const auto& path) { ReadMatrix(path); });
  test::WriteText(dir / "a.csv", "# x,y\n1,2.5\n-3,4e1\n5,6\n7,8\n");
  ExpectReadOrRefused(dir / "a.csv", [](const auto& path) { ReadMatrix(path); });
}

}  // namespace
}  // namespace parallax
