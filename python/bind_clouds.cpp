// Clouds and what they are worth.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "datasets/formats/cloud_file.h"
#include "parallax/cloud_measures.h"
#include "parallax/error.h"
#include "parallax/matcher.h"
#include "pipeline/cloud/reprojection.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

using namespace py::literals;

// --- who measures ---------------------------------------------------------------

struct Measures {
  std::mutex mutex;  // one call at a time
  std::unique_ptr<CloudMeasures> measures;
};

// Made once for each choice, in each process, and kept: they have threads, or a device's memory.
std::shared_ptr<Measures> MeasuresOf(const Machine& machine) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::map<std::tuple<std::string, int, int, pid_t>, std::shared_ptr<Measures>>;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Measures>& found = kept[{machine.backend, machine.device, machine.num_threads, getpid()}];
  if (!found) {
    auto made = std::make_shared<Measures>();
    made->measures = MakeCloudMeasures(machine.backend, machine.device, machine.num_threads);
    found = std::move(made);
  }
  return found;
}

// Calls function with the measures, without Python's lock.
template <typename Function>
auto Measure(const Machine& machine, Function function) {
  const py::gil_scoped_release release;
  const std::shared_ptr<Measures> measures = MeasuresOf(machine);
  const std::scoped_lock lock(measures->mutex);
  return function(*measures->measures);
}
// The same for what takes long: function owns what it uses, and Ctrl-C is heard.
template <typename Function>
auto MeasureLong(const Machine& machine, Function function) {
  return Interruptible([machine, function = std::move(function)] {
    const std::shared_ptr<Measures> measures = MeasuresOf(machine);
    const std::scoped_lock lock(measures->mutex);
    return function(*measures->measures);
  });
}

std::vector<Point3f> CopyOf(std::span<const Point3f> points) { return {points.begin(), points.end()}; }

// --- clouds ---------------------------------------------------------------------

std::unique_ptr<PointCloud> MakeCloud(const py::object& points, const py::object& colors) {
  const PointsArgument from = PointsOf(points, "points");
  auto cloud = std::make_unique<PointCloud>();
  cloud->points = CopyOf(from.points);
  if (colors.is_none()) return cloud;
  const auto array = py::array_t<std::uint8_t, py::array::c_style>::ensure(colors);
  if (!array || !py::isinstance<py::array_t<std::uint8_t>>(colors) || array.ndim() != 2 ||
      array.shape(1) != 3 || array.shape(0) != static_cast<py::ssize_t>(cloud->size())) {
    throw InvalidArgument("colors: give uint8 (N x 3, RGB), one row for each of the " +
                          std::to_string(cloud->size()) + " points");
  }
  const auto* first = reinterpret_cast<const Rgb8*>(array.data());
  cloud->colors.assign(first, first + cloud->size());
  return cloud;
}

py::array PointArray(py::object self) {
  auto& cloud = self.cast<PointCloud&>();
  const auto size = static_cast<py::ssize_t>(cloud.size());
  if (size == 0) return py::array_t<float>(std::vector<py::ssize_t>{0, 3});
  return py::array_t<float>({size, py::ssize_t{3}}, &cloud.points.data()->x, self);
}

py::object ColorArray(py::object self) {
  auto& cloud = self.cast<PointCloud&>();
  if (cloud.colors.empty()) return py::none();
  return py::array_t<std::uint8_t>({static_cast<py::ssize_t>(cloud.size()), py::ssize_t{3}},
                                   &cloud.colors.data()->r, self);
}

PointCloud CloudOfDepth(const py::object& depth, const StereoRig& rig, const py::object& image) {
  const FloatImageArgument from = FloatImageOf(depth, "depth");
  if (image.is_none()) {
    const HostImage<std::uint8_t> gray(from.view.width, from.view.height, 0);
    PointCloud cloud = CloudFromDepth(from.view, gray.ConstView(), rig);
    cloud.colors.clear();
    return cloud;
  }
  const CameraImageArgument left = CameraImageOf(image, "image");
  if (WidthOf(left.view) != from.view.width || HeightOf(left.view) != from.view.height) {
    throw InvalidArgument("image and depth differ in size: give the left image of this depth");
  }
  const py::gil_scoped_release release;
  return CloudFromDepth(from.view, left.view, rig);
}

PointCloud ReadCloudFile(const py::object& path) {
  const std::string name = PathText(path);
  const py::gil_scoped_release release;
  return ReadCloud(name);
}

void WriteCloudFile(const py::object& path, const PointCloud& cloud, bool ascii) {
  const std::string name = PathText(path);
  const py::gil_scoped_release release;
  WriteCloud(name, cloud, ascii ? CloudEncoding::kAscii : CloudEncoding::kBinary);
}

// --- neighbours -------------------------------------------------------------------

py::tuple Knn(const Machine& machine, const py::object& points, int k, const py::object& queries,
              bool include_self) {
  const PointsArgument from = PointsOf(points, "points");
  const bool has_queries = !queries.is_none();
  const PointsArgument asked = has_queries ? PointsOf(queries, "queries") : from;
  Neighbours found = Measure(machine, [&](CloudMeasures& measures) {
    return has_queries ? measures.NearestNeighbours(from.points, asked.points, k)
                       : measures.NearestNeighbours(from.points, {.k = k, .include_self = include_self});
  });
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(asked.points.size()), k};
  return py::make_tuple(ArrayOf(std::move(found.indices), shape),
                        ArrayOf(std::move(found.distances_m), shape));
}

py::array Density(const Machine& machine, const py::object& points, int k, const std::string& kind) {
  if (kind != "surface" && kind != "volume") {
    throw InvalidArgument("kind is '" + kind + "': use surface (points / m^2) or volume (points / m^3)");
  }
  const PointsArgument from = PointsOf(points, "points");
  return ArrayOf(Measure(machine, [&](CloudMeasures& measures) {
    return LocalDensity(measures.NearestNeighbours(from.points, {.k = k}),
                        kind == "surface" ? DensityKind::kSurface : DensityKind::kVolume);
  }));
}

// --- cleaning -----------------------------------------------------------------------

py::array KeepStatistical(const Machine& machine, const py::object& points, int num_neighbours,
                          double std_ratio, const std::string& convention) {
  if (convention != "pcl" && convention != "open3d") {
    throw InvalidArgument("convention is '" + convention + "': use pcl or open3d");
  }
  const PointsArgument from = PointsOf(points, "points");
  return ArrayOf(Measure(machine, [&](CloudMeasures& measures) {
    return KeepStatisticalInliers(
        from.points,
        {.num_neighbours = num_neighbours,
         .std_ratio = std_ratio,
         .convention = convention == "pcl" ? OutlierConvention::kPcl : OutlierConvention::kOpen3d},
        measures);
  }));
}

py::array KeepRadius(const Machine& machine, const py::object& points, double radius, int min_neighbours) {
  const PointsArgument from = PointsOf(points, "points");
  return ArrayOf(Measure(machine, [&](CloudMeasures& measures) {
    return KeepRadiusInliers(from.points, {.radius_m = radius, .min_neighbours = min_neighbours}, measures);
  }));
}

py::array KeepVoxel(const py::object& points, float size) {
  const PointsArgument from = PointsOf(points, "points");
  std::vector<std::int32_t> kept;
  {
    const py::gil_scoped_release release;
    kept = KeepOnePerVoxel(from.points, size);
  }
  return ArrayOf(std::move(kept));
}

// --- comparison -----------------------------------------------------------------------

py::dict DictOf(const DistanceScores& scores) {
  py::dict quantiles;
  for (std::size_t i = 0; i < kDistanceShares.size(); ++i) {
    quantiles[py::float_(kDistanceShares[i])] = scores.quantiles_m[i];
  }
  return py::dict("num_points"_a = scores.num_points, "mean_m"_a = scores.mean_m,
                  "mean_squared_m2"_a = scores.mean_squared_m2, "max_m"_a = scores.max_m,
                  "quantiles_m"_a = quantiles);
}

py::dict Compare(const Machine& machine, const py::object& estimate, const py::object& truth,
                 std::vector<double> thresholds, std::vector<double> depth_edges) {
  const PointsArgument is = PointsOf(estimate, "estimate"), wanted = PointsOf(truth, "truth");
  CloudComparison comparison = Measure(machine, [&](CloudMeasures& measures) {
    return CompareClouds(is.points, wanted.points,
                         {.thresholds_m = std::move(thresholds), .depth_edges_m = std::move(depth_edges)},
                         measures);
  });
  py::list rows, bins;
  for (const ThresholdScores& row : comparison.thresholds) {
    rows.append(py::dict("threshold_m"_a = row.threshold_m, "precision"_a = row.precision,
                         "recall"_a = row.recall, "f_score"_a = row.f_score));
  }
  for (const DepthBin& bin : comparison.bins) {
    bins.append(py::dict("from_m"_a = bin.from_m, "to_m"_a = bin.to_m, "accuracy"_a = DictOf(bin.accuracy),
                         "completeness"_a = DictOf(bin.completeness)));
  }
  return py::dict(
      "accuracy"_a = DictOf(comparison.accuracy), "completeness"_a = DictOf(comparison.completeness),
      "chamfer_sum_m"_a = comparison.chamfer_sum_m, "chamfer_half_m"_a = comparison.chamfer_half_m,
      "chamfer_squared_sum_m2"_a = comparison.chamfer_squared_sum_m2,
      "chamfer_squared_half_m2"_a = comparison.chamfer_squared_half_m2,
      "hausdorff_m"_a = comparison.hausdorff_m, "thresholds"_a = rows, "bins"_a = bins,
      "estimate_to_truth_m"_a = ArrayOf(std::move(comparison.estimate_to_truth_m)),
      "truth_to_estimate_m"_a = ArrayOf(std::move(comparison.truth_to_estimate_m)));
}

py::dict Emd(const Machine& machine, const py::object& a, const py::object& b, double gap, double time_limit,
             bool exact) {
  constexpr std::size_t kMostExactPoints = 8192;  // as `parallax cloud emd --exact`
  std::vector<Point3f> from = CopyOf(PointsOf(a, "a").points), to = CopyOf(PointsOf(b, "b").points);
  if (exact && from.size() > kMostExactPoints) {
    throw InvalidArgument("exact=True takes at most " + std::to_string(kMostExactPoints) + " points, not " +
                          std::to_string(from.size()) + ": draw some of them with parallax.sample");
  }
  EmdOptions options;
  options.gap = gap;
  options.time_limit_s = time_limit;
  EmdResult result = MeasureLong(
      machine, [from = std::move(from), to = std::move(to), exact, options](CloudMeasures& measures) {
        const EmdPair pair{from, to};
        if (exact) return ExactEmd(pair);
        return measures.EarthMoversDistances({&pair, 1}, options).front();
      });
  constexpr const char* kStops[] = {"gap", "time", "rounds", "resolution", "exact"};
  return py::dict("lower_m"_a = result.lower_m, "upper_m"_a = result.upper_m,
                  "match"_a = ArrayOf(std::move(result.match_of_a)), "rounds"_a = result.rounds,
                  "stop"_a = kStops[static_cast<std::size_t>(result.stop)]);
}

py::array Sample(std::int64_t num_points, std::int64_t count, std::uint64_t seed) {
  if (num_points < 1 || count < 0 || num_points > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgument("cannot draw " + std::to_string(count) + " of " + std::to_string(num_points) +
                          " points: there must be 1 to 2147483647 points, and 0 or more to draw");
  }
  return ArrayOf(SampleIndices(num_points, count, seed));
}

// --- geodesics --------------------------------------------------------------------------

GeodesicOptions OptionsOf(const py::object& targets, float range, bool predecessors) {
  GeodesicOptions options{.range_m = range, .targets = {}, .predecessors = predecessors};
  if (!targets.is_none()) options.targets = IndicesOf(targets, "targets");
  return options;
}

py::object GeodesicResult(Geodesics&& found, std::int64_t num_nodes, bool predecessors) {
  const py::array distances = ArrayOf(std::move(found.distances_m), {found.num_sources, found.num_columns});
  if (!predecessors) return distances;
  return py::make_tuple(distances, ArrayOf(std::move(found.predecessors), {found.num_sources, num_nodes}));
}

py::object Geodesic(const Machine& machine, const py::object& points, const py::object& sources,
                    const py::object& targets, int k, float range, bool predecessors) {
  std::vector<Point3f> from = CopyOf(PointsOf(points, "points").points);
  const auto num_nodes = static_cast<std::int64_t>(from.size());
  std::vector<std::int32_t> starts = IndicesOf(sources, "sources");
  GeodesicOptions options = OptionsOf(targets, range, predecessors);
  Geodesics found = MeasureLong(machine, [from = std::move(from), starts = std::move(starts), k,
                                          options = std::move(options)](CloudMeasures& measures) {
    const CloudGraph graph = NeighbourGraph(measures.NearestNeighbours(from, {.k = k}));
    return measures.ShortestPaths(graph, starts, options);
  });
  return GeodesicResult(std::move(found), num_nodes, predecessors);
}

py::object GeodesicDepth(const Machine& machine, const py::object& depth, const StereoRig& rig,
                         const py::object& sources, const py::object& targets, float max_jump, float range,
                         bool predecessors) {
  const FloatImageArgument from = FloatImageOf(depth, "depth");
  CloudGraph graph = MakeDepthGraph(from.view, rig, max_jump);
  const std::int64_t num_nodes = graph.num_nodes();
  std::vector<std::int32_t> starts = IndicesOf(sources, "sources");
  GeodesicOptions options = OptionsOf(targets, range, predecessors);
  Geodesics found = MeasureLong(
      machine, [graph = std::move(graph), starts = std::move(starts), options = std::move(options)](
                   CloudMeasures& measures) { return measures.ShortestPaths(graph, starts, options); });
  return GeodesicResult(std::move(found), num_nodes, predecessors);
}

py::array Path(const py::object& predecessors, std::int32_t source, std::int32_t target) {
  const auto row = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>::ensure(predecessors);
  if (!row || row.ndim() != 1) throw InvalidArgument("predecessors: give one row of geodesic's, int32 (N)");
  return ArrayOf(PathTo({row.data(), static_cast<std::size_t>(row.size())}, source, target));
}

// A measure as Python calls it, the machine spelt out behind its other arguments.
template <typename Result, typename... Arguments>
auto ForPython(Result (*measure)(const Machine&, Arguments...)) {
  return [measure](Arguments... arguments, const std::string& backend, int device, int num_threads) {
    return measure({.backend = backend, .num_threads = num_threads, .device = device},
                   std::forward<Arguments>(arguments)...);
  };
}

}  // namespace

void BindClouds(py::module_& module) {
  py::class_<PointCloud>(module, "Cloud")
      .def(py::init(&MakeCloud), py::arg("points"), py::arg("colors") = py::none())
      .def_property_readonly("points", &PointArray)
      .def_property_readonly("colors", &ColorArray)
      .def("__len__", &PointCloud::size)
      .def(
          "select",
          [](const PointCloud& cloud, const py::object& indices) {
            return Select(cloud, IndicesOf(indices, "indices"));
          },
          py::arg("indices"))
      .def("__repr__", [](const PointCloud& cloud) {
        return "<parallax.Cloud of " + std::to_string(cloud.size()) + " points>";
      });
  module.def("cloud", &CloudOfDepth, py::arg("depth"), py::arg("rig"), py::arg("image") = py::none());
  module.def("read_cloud", &ReadCloudFile, py::arg("path"));
  module.def("write_cloud", &WriteCloudFile, py::arg("path"), py::arg("cloud"), py::kw_only(),
             py::arg("ascii") = false);

  const auto define = [&](const char* name, auto measure, const auto&... arguments) {
    module.def(name, ForPython(measure), arguments..., py::arg("backend") = "auto", py::arg("device") = 0,
               py::arg("num_threads") = 0);
  };
  const auto none = py::none();
  const float unlimited = std::numeric_limits<float>::infinity();
  define("knn", &Knn, py::arg("points"), py::arg("k") = 8, py::arg("queries") = none, py::kw_only(),
         py::arg("include_self") = false);
  define("density", &Density, py::arg("points"), py::arg("k") = 8, py::arg("kind") = "surface",
         py::kw_only());
  define("statistical_inliers", &KeepStatistical, py::arg("points"), py::arg("num_neighbours") = 20,
         py::arg("std_ratio") = 2.0, py::arg("convention") = "pcl", py::kw_only());
  define("radius_inliers", &KeepRadius, py::arg("points"), py::arg("radius"), py::arg("min_neighbours") = 4,
         py::kw_only());
  module.def("voxel_inliers", &KeepVoxel, py::arg("points"), py::arg("size"));
  define("compare", &Compare, py::arg("estimate"), py::arg("truth"), py::kw_only(),
         py::arg("thresholds") = CompareOptions{}.thresholds_m,
         py::arg("depth_edges") = std::vector<double>{});
  define("emd", &Emd, py::arg("a"), py::arg("b"), py::kw_only(), py::arg("gap") = EmdOptions{}.gap,
         py::arg("time_limit") = 0.0, py::arg("exact") = false);
  module.def("sample", &Sample, py::arg("num_points"), py::arg("count"), py::arg("seed") = 0);
  define("geodesic", &Geodesic, py::arg("points"), py::arg("sources"), py::arg("targets") = none,
         py::kw_only(), py::arg("k") = 8, py::arg("range") = unlimited, py::arg("predecessors") = false);
  define("geodesic_depth", &GeodesicDepth, py::arg("depth"), py::arg("rig"), py::arg("sources"),
         py::arg("targets") = none, py::kw_only(), py::arg("max_jump") = 0.05F, py::arg("range") = unlimited,
         py::arg("predecessors") = false);
  module.def("path", &Path, py::arg("predecessors"), py::arg("source"), py::arg("target"));
}

}  // namespace parallax::python
