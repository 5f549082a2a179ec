// Times of the cloud measures on the CPU.
//
//   parallax_cloud_bench neighbours POINTS K [THREADS [REPEATS]]
//
// POINTS: a file of float32 x y z, as numpy's tofile() writes it. Prints the median in milliseconds, the
// tree's building included. tools/bench/neighbours_vs_scipy.py runs it beside scipy.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "pipeline/cloud/cloud_measures.h"
#include "pipeline/error.h"

namespace {

using parallax::Point3f;

std::vector<Point3f> ReadPoints(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw parallax::Error(path + ": cannot be read");
  std::vector<Point3f> points(static_cast<std::size_t>(file.tellg()) / sizeof(Point3f));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(points.data()),
            static_cast<std::streamsize>(points.size() * sizeof(Point3f)));
  return points;
}

template <typename F>
double MedianMilliseconds(int repeats, const F& body) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {  // the first is left out
    const auto start = std::chrono::steady_clock::now();
    body();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin() + 1, times.end());
  return times[1 + repeats / 2];
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3 || arguments[0] != "neighbours") {
    std::fprintf(stderr, "usage: parallax_cloud_bench neighbours POINTS K [THREADS [REPEATS]]\n");
    return 2;
  }
  const std::vector<Point3f> points = ReadPoints(arguments[1]);
  const int k = std::stoi(arguments[2]);
  const int threads = arguments.size() > 3 ? std::stoi(arguments[3]) : 0;
  const int repeats = arguments.size() > 4 ? std::stoi(arguments[4]) : 5;
  const auto measures = parallax::MakeCpuCloudMeasures(threads);
  const double milliseconds =
      MedianMilliseconds(repeats, [&] { measures->NearestNeighbours(points, {.k = k}); });
  std::printf("%.1f\n", milliseconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax_cloud_bench: %s\n", error.what());
    return 1;
  }
}
