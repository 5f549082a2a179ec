// The CPU's cloud measures as files, for cloud_test.py to compare with scipy.
//
//   cloud_answers neighbours POINTS K SELF OUT     int32 indices, then float32 distances
//   cloud_answers queries POINTS QUERIES K OUT     the same
//   cloud_answers distances A B DIMS METHOD OUT    float32; METHOD: 0 direct, 1 product, 2 TF32
//   cloud_answers emd A B GAP OUT                  float64 lower, upper, then int32 matches of A
//   cloud_answers geodesics POINTS K SOURCES OUT   int64 edges of the graph, its int64 rows, int32 targets,
//                                                  float32 lengths; float32 distances, int32 predecessors
//
// GAP 0 solves exactly; SOURCES are 0,17,...
// Inputs are rows of float32.
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace {

using parallax::Point3f;

template <typename T>
std::vector<T> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw parallax::Error(path + ": cannot be read");
  std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

class Output {
 public:
  explicit Output(const std::string& path) : file_(path, std::ios::binary) {}
  template <typename T>
  void Write(const std::vector<T>& values) {
    file_.write(reinterpret_cast<const char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(T)));
  }

 private:
  std::ofstream file_;
};

std::vector<std::int32_t> ParseList(const std::string& text) {
  std::vector<std::int32_t> numbers;
  std::istringstream stream(text);
  for (std::string number; std::getline(stream, number, ',');) numbers.push_back(std::stoi(number));
  return numbers;
}

void Write(const parallax::Neighbours& neighbours, const std::string& path) {
  Output out(path);
  out.Write(neighbours.indices);
  out.Write(neighbours.distances_m);
}

void WriteDistances(parallax::CloudMeasures& measures, const std::vector<std::string>& args) {
  const auto a = ReadAll<float>(args[1]), b = ReadAll<float>(args[2]);
  const int dims = std::stoi(args[3]), method = std::stoi(args[4]);
  const auto view = [&](const std::vector<float>& values) {
    return parallax::MatrixView{values.data(), static_cast<std::int64_t>(values.size()) / dims, dims, dims};
  };
  Output out(args[5]);
  const parallax::DistanceOptions options = {.method = method == 0 ? parallax::DistanceMethod::kDirect
                                                       : method == 1
                                                           ? parallax::DistanceMethod::kProduct
                                                           : parallax::DistanceMethod::kProductTf32};
  measures.Distances(view(a), view(b), options, [&](const parallax::DistanceBlock& block) {
    for (std::int64_t i = 0; i < block.num_rows; ++i) {
      const float* row = block.distances + i * block.stride;
      out.Write(std::vector<float>(row, row + block.num_columns));
    }
  });
}

void WriteEmd(parallax::CloudMeasures& measures, const std::vector<std::string>& args) {
  const auto a = ReadAll<Point3f>(args[1]), b = ReadAll<Point3f>(args[2]);
  const std::vector<parallax::EmdPair> pairs = {{a, b}};
  const double gap = std::stod(args[3]);
  const parallax::EmdResult result =
      gap == 0 ? parallax::ExactEmd(pairs[0]) : measures.EarthMoversDistances(pairs, {.gap = gap})[0];
  Output out(args[4]);
  out.Write(std::vector<double>{result.lower_m, result.upper_m});
  out.Write(result.match_of_a);
}

void WriteGeodesics(parallax::CloudMeasures& measures, const std::vector<std::string>& args) {
  const auto points = ReadAll<Point3f>(args[1]);
  const parallax::CloudGraph graph =
      parallax::NeighbourGraph(measures.NearestNeighbours(points, {.k = std::stoi(args[2])}));
  parallax::GeodesicOptions options;
  options.predecessors = true;
  const parallax::Geodesics found = measures.ShortestPaths(graph, ParseList(args[3]), options);
  Output out(args[4]);
  out.Write(std::vector<std::int64_t>{graph.num_edges()});
  out.Write(graph.first_edge);
  out.Write(graph.targets);
  out.Write(graph.lengths_m);
  out.Write(found.distances_m);
  out.Write(found.predecessors);
}

int Run(const std::vector<std::string>& args) {
  const std::string job = args.empty() ? "" : args[0];
  const auto measures = parallax::MakeCpuCloudMeasures(2);
  if (job == "neighbours" && args.size() == 5) {
    const parallax::NeighbourOptions options = {.k = std::stoi(args[2]), .include_self = args[3] == "1"};
    Write(measures->NearestNeighbours(ReadAll<Point3f>(args[1]), options), args[4]);
  } else if (job == "queries" && args.size() == 5) {
    Write(
        measures->NearestNeighbours(ReadAll<Point3f>(args[1]), ReadAll<Point3f>(args[2]), std::stoi(args[3])),
        args[4]);
  } else if (job == "distances" && args.size() == 6) {
    WriteDistances(*measures, args);
  } else if (job == "emd" && args.size() == 5) {
    WriteEmd(*measures, args);
  } else if (job == "geodesics" && args.size() == 5) {
    WriteGeodesics(*measures, args);
  } else {
    std::fprintf(stderr, "cloud_answers: see the head of cloud_answers.cpp\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cloud_answers: %s\n", error.what());
    return 1;
  }
}
