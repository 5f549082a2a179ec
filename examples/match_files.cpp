// Matches two rectified images in files and writes the disparities, and a cloud where the camera is known:
//   match_files left.pgm right.pgm RESULT [FX CX CY BASELINE]        px and metres -> RESULT.pfm, RESULT.ply
// The files are PGM of 8 bits (P5), so that the example needs no other library.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include <parallax/parallax.h>

namespace {

parallax::HostImage<std::uint8_t> ReadPgm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, largest = 0;
  file >> magic >> width >> height >> largest;
  file.get();
  if (!file || magic != "P5" || largest != 255) throw parallax::Error(path + ": is no 8-bit PGM file (P5)");
  parallax::HostImage<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y) file.read(reinterpret_cast<char*>(image.Row(y)), width);
  if (!file) throw parallax::Error(path + ": ends too early");
  return image;
}

// Portable float map: the last row first; infinite where there is no disparity.
void WritePfm(const std::string& path, const parallax::HostImage<float>& image) {
  std::ofstream file(path, std::ios::binary);
  file << "Pf\n" << image.width() << ' ' << image.height() << "\n-1\n";
  for (int y = image.height() - 1; y >= 0; --y) {
    for (int x = 0; x < image.width(); ++x) {
      const float value = std::isnan(image(x, y)) ? INFINITY : image(x, y);
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
}

void WritePly(const std::string& path, const parallax::PointCloud& cloud) {
  std::ofstream file(path);
  file << "ply\nformat ascii 1.0\nelement vertex " << cloud.size()
       << "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  for (const parallax::Point3f& p : cloud.points) file << p.x << ' ' << p.y << ' ' << p.z << '\n';
}

void Match(int argc, char** argv) {
  const parallax::HostImage<std::uint8_t> left = ReadPgm(argv[1]), right = ReadPgm(argv[2]);
  parallax::Matcher matcher("default");
  const parallax::MatchResult result = matcher.Compute(left, right);
  WritePfm(argv[3] + std::string(".pfm"), result.disparity);
  std::cout << left.width() << 'x' << left.height() << " matched by " << matcher.backend() << '\n';
  if (argc < 8) return;
  const parallax::StereoRig rig{.fx_px = std::atof(argv[4]),
                                .cx_px = std::atof(argv[5]),
                                .cy_px = std::atof(argv[6]),
                                .baseline_m = std::atof(argv[7])};
  const parallax::PointCloud cloud = result.Cloud(rig, left);
  WritePly(argv[3] + std::string(".ply"), cloud);
  std::cout << cloud.size() << " points\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 8) {
    std::cerr << "usage: match_files left.pgm right.pgm RESULT [FX CX CY BASELINE]\n";
    return 2;
  }
  try {
    Match(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "match_files: " << error.what() << '\n';
    return 1;
  }
}
