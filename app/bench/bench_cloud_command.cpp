// parallax bench cloud: this machine's speed at the measures of clouds, from host memory to host memory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "app/bench/bench_report.h"
#include "app/cloud/cloud_options.h"
#include "app/commands.h"
#include "app/options/shared_options.h"
#include "app/output/number_text.h"
#include "app/output/output_files.h"
#include "config/backends.h"
#include "parallax/cloud_measures.h"
#include "parallax/error.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

constexpr const char* kJobs[] = {"knn", "density", "compare", "distances", "emd", "geodesics"};

struct BenchCloudOptions {
  std::vector<std::string> backends = {"auto"}, jobs;
  std::vector<std::int64_t> num_points = {100'000, 1'000'000};
  std::vector<std::int64_t> emd_points = {1024, 4096};
  int repeat = 5, num_threads = 0, device = 0;
  double most_seconds = 10;
  std::string json_file;
};

struct CloudBenchRow {
  std::string job, input, backend;
  std::vector<double> samples_ms;
  double items = 0;  // a run handles so many ...
  std::string_view item_name;
};

// The same points in every run and on every machine.
std::vector<Point3f> UniformCube(std::int64_t num_points, unsigned seed) {
  std::mt19937 random(seed);
  const auto unit = [&] { return static_cast<float>(random() >> 8) * 0x1p-24F; };
  std::vector<Point3f> points(static_cast<std::size_t>(num_points));
  for (Point3f& p : points) p.x = unit(), p.y = unit(), p.z = unit();
  return points;
}

// A street as a camera of 90 degrees sees it: a ground 1.6 m below, walls 7 m to both sides, boxes on the
// ground.
struct DepthScene {
  HostImage<float> depth_m;
  StereoRig rig;
};
DepthScene MakeDepthScene(int width, int height) {
  DepthScene scene{HostImage<float>(width, height),
                   {.fx_px = 0.5 * width, .cx_px = 0.5 * width, .cy_px = 0.5 * height, .baseline_m = 0.5}};
  const auto f = static_cast<float>(scene.rig.fx_px);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float u = (static_cast<float>(x) - static_cast<float>(scene.rig.cx_px)) / f;
      const float v = (static_cast<float>(y) - static_cast<float>(scene.rig.cy_px)) / f;
      float z = 80;
      if (v > 0) z = std::min(z, 1.6F / v);
      if (u != 0) z = std::min(z, 7 / std::abs(u));
      for (const auto& [left, right, top, near] :
           {std::array{-4.0F, -2.2F, 0.1F, 9.0F}, {2.0F, 3.8F, 0.2F, 14.0F}, {-0.9F, 0.9F, 0.0F, 30.0F}}) {
        if (u * near > left && u * near < right && v * near > top && v * near < 1.6F) z = std::min(z, near);
      }
      // A little relief, so that surfaces are not exact planes.
      scene.depth_m(x, y) =
          z * (1 + 1e-3F * std::sin(0.7F * static_cast<float>(x)) * std::cos(0.5F * static_cast<float>(y)));
    }
  }
  return scene;
}

// About that many points of it.
std::vector<Point3f> DepthCloud(std::int64_t num_points) {
  const int height = std::max(2, static_cast<int>(std::sqrt(0.3 * static_cast<double>(num_points))));
  const int width = static_cast<int>((num_points + height - 1) / height);
  const DepthScene scene = MakeDepthScene(width, height);
  const HostImage<std::uint8_t> gray(width, height, 0);
  return CloudFromDepth(scene.depth_m.ConstView(), gray.ConstView(), scene.rig).points;
}

class CloudBench {
 public:
  explicit CloudBench(const BenchCloudOptions& options) : options_(options) {
    for (const std::string& backend : options.backends) {
      measures_.push_back(MakeCloudMeasures(backend, options.device, options.num_threads));
    }
  }

  void Run() {
    CheckFolder(options_.json_file);
    fmt::print("{:<34}{:<38}{:<6}{:>11}{:>9}{:>9}{:>6}  {}\n", "job", "input", "on", "median ms", "p10",
               "p90", "runs", "rate");
    if (Wants("knn") || Wants("density")) {
      for (const std::int64_t n : options_.num_points) NeighbourJobs(n);
    }
    if (Wants("compare")) {
      for (const std::int64_t n : options_.num_points) CompareJob(n);
    }
    if (Wants("distances")) {
      DistanceJob(16384, 3);
      DistanceJob(4096, 200);
    }
    if (Wants("emd")) {
      for (const std::int64_t n : options_.emd_points) EmdJob(n);
    }
    if (Wants("geodesics")) GeodesicJobs();
    if (!options_.json_file.empty()) WriteTextFile(options_.json_file, Json());
  }

 private:
  bool Wants(const std::string& job) const {
    return options_.jobs.empty() ||
           std::find(options_.jobs.begin(), options_.jobs.end(), job) != options_.jobs.end();
  }

  // Adds one row for each back end.
  void Measure(const std::string& job, const std::string& input, double items, std::string_view item_name,
               const std::function<void(CloudMeasures&)>& work) {
    for (const auto& measures : measures_) {
      CloudBenchRow row{job, input, std::string(measures->name()), {}, items, item_name};
      work(*measures);  // warm up
      const Stopwatch all;
      for (int i = 0; i < options_.repeat && (i == 0 || all.s() < options_.most_seconds); ++i) {
        const Stopwatch watch;
        work(*measures);
        row.samples_ms.push_back(watch.ms());
      }
      Print(row);
      rows_.push_back(std::move(row));
    }
  }

  static double PerSecond(const CloudBenchRow& row) {
    return 1000 * row.items / Quantile(row.samples_ms, 0.5);
  }

  static void Print(const CloudBenchRow& row) {
    fmt::print("{:<34}{:<38}{:<6}{:>11.2f}{:>9.2f}{:>9.2f}{:>6}  {:.3g} {}/s\n", row.job, row.input,
               row.backend, Quantile(row.samples_ms, 0.5), Quantile(row.samples_ms, 0.1),
               Quantile(row.samples_ms, 0.9), row.samples_ms.size(), PerSecond(row), row.item_name);
    std::fflush(stdout);
  }

  void NeighbourJobs(std::int64_t n) {
    const std::vector<Point3f> uniform = UniformCube(n, 1), depth = DepthCloud(n);
    for (const auto& [name, cloud] : {std::pair{"uniform", &uniform}, {"depth map", &depth}}) {
      const std::vector<Point3f>& points = *cloud;
      const std::string input = CountOf(points.size(), "point") + ", " + name;
      const auto items = static_cast<double>(points.size());
      if (Wants("knn")) {
        Measure("mean distance to 3 neighbours", input, items, "points",
                [&](CloudMeasures& m) { m.MeanNeighbourDistances(points, {.k = 3}); });
        for (const int k : {8, 16}) {
          Measure(fmt::format("{} nearest neighbours", k), input, items, "points",
                  [&](CloudMeasures& m) { m.NearestNeighbours(points, {.k = k}); });
        }
      }
      if (!Wants("density")) continue;
      Measure("density, 8 neighbours", input, items, "points", [&](CloudMeasures& m) {
        const Neighbours neighbours = m.NearestNeighbours(points, {.k = 8});
        LocalDensity(neighbours, DensityKind::kSurface);
        MeanDistances(neighbours);
      });
    }
  }

  void CompareJob(std::int64_t n) {
    const std::vector<Point3f> truth = DepthCloud(n);
    std::vector<Point3f> estimate = truth;
    for (Point3f& p : estimate) p.z *= 1.01F;
    Measure("Chamfer, F-score, both ways", "2 x " + CountOf(truth.size(), "point") + ", depth map",
            2 * static_cast<double>(truth.size()), "points",
            [&](CloudMeasures& m) { CompareClouds(estimate, truth, {}, m); });
  }

  void DistanceJob(std::int64_t n, int dims) {
    std::mt19937 random(2);
    std::vector<float> a(static_cast<std::size_t>(n * dims)), b = a;
    for (std::vector<float>* matrix : {&a, &b}) {
      for (float& v : *matrix) v = static_cast<float>(random() >> 8) * 0x1p-24F;
    }
    const MatrixView rows_a{a.data(), n, dims, dims}, rows_b{b.data(), n, dims, dims};
    const std::string input =
        fmt::format("{} x {}, {} dimensions", WithThousands(static_cast<std::size_t>(n)),
                    WithThousands(static_cast<std::size_t>(n)), dims);
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    Measure("all distances, in blocks", input, pairs, "pairs",
            [&](CloudMeasures& m) { m.Distances(rows_a, rows_b, {}, [](const DistanceBlock&) {}); });
    Measure("nearest row for each", input, pairs, "pairs",
            [&](CloudMeasures& m) { m.FindNearestRows(rows_a, rows_b, {}); });
  }

  void EmdJob(std::int64_t n) {
    const std::vector<Point3f> a = UniformCube(n, 3), b = UniformCube(n, 4);
    const EmdPair pair{a, b};
    for (const double gap : {0.005, 0.001}) {
      Measure(fmt::format("EMD, gap {:g} %", 100 * gap), CountOf(a.size(), "point") + ", uniform",
              static_cast<double>(n), "points", [&](CloudMeasures& m) {
                m.EarthMoversDistances({&pair, 1}, {.gap = gap});
              });
    }
  }

  void GeodesicJobs() {
    const DepthScene scene = MakeDepthScene(640, 480);
    const CloudGraph graph = MakeDepthGraph(scene.depth_m.ConstView(), scene.rig, 0.05F);
    for (const int num_sources : {1, 16}) {
      std::vector<std::int32_t> sources;
      for (int i = 0; i < num_sources; ++i) sources.push_back(640 * (470 - 2 * i) + 40 * i);
      Measure(fmt::format("geodesics from {}", CountOf(sources.size(), "source")),
              "640 x 480 depth map, 8 neighbours", static_cast<double>(num_sources) * graph.num_nodes(),
              "nodes", [&](CloudMeasures& m) { m.ShortestPaths(graph, sources, {}); });
    }
  }

  std::string Json() const {
    OrderedJson json = {{"rows", OrderedJson::array()}};
    for (const CloudBenchRow& row : rows_) {
      json["rows"] += {{"job", row.job},
                       {"input", row.input},
                       {"backend", row.backend},
                       {"median_ms", Quantile(row.samples_ms, 0.5)},
                       {"p10_ms", Quantile(row.samples_ms, 0.1)},
                       {"p90_ms", Quantile(row.samples_ms, 0.9)},
                       {"runs", row.samples_ms.size()},
                       {"per_second", PerSecond(row)},
                       {"of", row.item_name}};
    }
    json["machine"] = BenchMachine(options_.num_threads);
    return JsonText(json);
  }

  const BenchCloudOptions& options_;
  std::vector<std::unique_ptr<CloudMeasures>> measures_;
  std::vector<CloudBenchRow> rows_;
};

}  // namespace

void AddBenchCloudCommand(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand(
      "cloud", "Measure the speed of cloud operations: neighbours, distances, EMD, geodesics");
  const auto options = std::make_shared<BenchCloudOptions>();
  command
      ->add_option("--jobs", options->jobs, "Some of knn, density, compare, distances, emd, geodesics [all]")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kJobs), std::end(kJobs))))
      ->type_name("LIST");
  command
      ->add_option("--points", options->num_points,
                   "Numbers of points of the clouds for knn, density and compare")
      ->delimiter(',')
      ->check(CLI::Range(100, 1 << 28))
      ->type_name("N,...")
      ->capture_default_str();
  command->add_option("--emd-points", options->emd_points, "Numbers of points of the clouds for emd")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N,...")
      ->capture_default_str();
  command->add_option("--backends", options->backends, "auto, cpu, cuda; measured one after the other")
      ->delimiter(',')
      ->type_name("LIST")
      ->capture_default_str();
  command->add_option("--seconds", options->most_seconds, "Seconds after which a job is not repeated")
      ->check(CheckPositive)
      ->capture_default_str();
  AddRepeatOption(*command, options->repeat);
  AddDeviceOption(*command, options->device);
  AddThreadsOption(*command, options->num_threads);
  AddJsonOption(*command, options->json_file, "the rows");
  command->callback([options] { CloudBench(*options).Run(); });
  command->footer(
      "examples:\n"
      "  parallax bench cloud --backends cpu,cuda --json cloud.json\n"
      "  parallax bench cloud --jobs knn --points 1000000,4000000");
}

}  // namespace parallax::app
