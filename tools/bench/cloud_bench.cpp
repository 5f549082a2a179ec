// Times of the cloud measures on the CPU.
//
//   parallax_cloud_bench neighbours POINTS K [THREADS [REPEATS]]
//   parallax_cloud_bench emd POINTS POINTS GAP|exact [REPEATS]
//
// POINTS: a file of float32 x y z, as numpy's tofile() writes it. Prints the median in milliseconds, the
// tree's building included. tools/bench/neighbours_vs_scipy.py runs it beside scipy.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tools/bench/bench_program.h"

namespace {

using parallax::Point3f;
using parallax::bench::MedianMilliseconds;

std::vector<Point3f> ReadPoints(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw parallax::Error(path + ": cannot be read");
  std::vector<Point3f> points(static_cast<std::size_t>(file.tellg()) / sizeof(Point3f));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(points.data()),
            static_cast<std::streamsize>(points.size() * sizeof(Point3f)));
  return points;
}

// Argument i as a number, where it was given.
int NumberOr(const std::vector<std::string>& arguments, std::size_t i, int otherwise) {
  return arguments.size() > i ? std::stoi(arguments[i]) : otherwise;
}

void BenchNeighbours(const std::vector<std::string>& arguments) {
  const std::vector<Point3f> points = ReadPoints(arguments[1]);
  const int k = std::stoi(arguments[2]);
  const auto measures = parallax::MakeCpuCloudMeasures(NumberOr(arguments, 3, 0));
  std::printf("%.1f\n", MedianMilliseconds(NumberOr(arguments, 4, 5),
                                           [&] { measures->NearestNeighbours(points, {.k = k}); }));
}

void BenchDistances(const std::vector<std::string>& arguments) {
  const std::int64_t rows = std::stoll(arguments[1]), columns = std::stoll(arguments[2]);
  const int dims = std::stoi(arguments[3]);
  std::mt19937 random(1);
  std::vector<float> values((rows + columns) * dims);
  for (float& v : values) v = static_cast<float>(random() >> 8) * 0x1p-24F;
  const parallax::MatrixView a = {values.data(), rows, dims, dims};
  const parallax::MatrixView b = {values.data() + rows * dims, columns, dims, dims};
  const parallax::DistanceOptions options = {
      .method = arguments[4] == "direct"    ? parallax::DistanceMethod::kDirect
                : arguments[4] == "product" ? parallax::DistanceMethod::kProduct
                                            : parallax::DistanceMethod::kProductTf32};
  const auto measures = parallax::MakeCpuCloudMeasures(NumberOr(arguments, 5, 0));
  const int repeats = NumberOr(arguments, 6, 5);
  const double stream = MedianMilliseconds(
      repeats, [&] { measures->Distances(a, b, options, [](const parallax::DistanceBlock&) {}); });
  const double nearest = MedianMilliseconds(repeats, [&] { measures->FindNearestRows(a, b, options); });
  std::printf("%.1f %.1f\n", stream, nearest);
}

void BenchEmd(const std::vector<std::string>& arguments) {
  const std::vector<Point3f> a = ReadPoints(arguments[1]), b = ReadPoints(arguments[2]);
  const int repeats = NumberOr(arguments, 4, 3);
  parallax::EmdOptions options;
  const bool exact = arguments[3] == "exact";
  if (!exact) options.gap = std::stod(arguments[3]);
  parallax::EmdResult result;
  const double milliseconds = MedianMilliseconds(repeats, [&] {
    result = exact ? parallax::ExactEmd({a, b}) : parallax::AuctionEmd({a, b}, options);
  });
  std::printf("%.1f %.12g %.12g\n", milliseconds, result.lower_m, result.upper_m);
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() >= 3 && arguments[0] == "neighbours") {
    BenchNeighbours(arguments);
  } else if (arguments.size() >= 5 && arguments[0] == "distances") {
    BenchDistances(arguments);
  } else if (arguments.size() >= 4 && arguments[0] == "emd") {
    BenchEmd(arguments);
  } else {
    std::fprintf(
        stderr,
        "usage: parallax_cloud_bench neighbours POINTS K [THREADS [REPEATS]]\n"
        "       parallax_cloud_bench distances ROWS COLUMNS DIMS direct|product|tf32 [THREADS [REPEATS]]\n"
        "       parallax_cloud_bench emd POINTS POINTS GAP|exact [REPEATS]\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return parallax::bench::RunProgram("parallax_cloud_bench", argc, argv, Run);
}
