// parallax cloud geodesic: shortest paths along a cloud.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_graph.h"
#include "app/cloud/cloud_options.h"
#include "app/cloud/cloud_places.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/pictures/value_scale.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/image_file.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

struct GeodesicCommandOptions {
  std::string file, graph = "neighbours", algorithm = "auto", path_file;
  std::vector<std::string> from, to;
  CloudGraphOptions cloud_graph;
  float range_m = std::numeric_limits<float>::infinity();
  float snap_m = 0;  // 0 = a tenth of the cloud's diagonal
  std::string output;
  CloudOptions common;
};

GeodesicAlgorithm AlgorithmNamed(const std::string& name) {
  const auto found = std::find(std::begin(kGeodesicAlgorithmNames), std::end(kGeodesicAlgorithmNames), name);
  return static_cast<GeodesicAlgorithm>(found - std::begin(kGeodesicAlgorithmNames));
}

class GeodesicRun {
 public:
  explicit GeodesicRun(const GeodesicCommandOptions& options)
      : options_(options), measures_(options.common.Measures()) {
    // An empty graph: a back end without the algorithm reports that before any file is read.
    measures_->ShortestPaths({}, {}, {.targets = {}, .algorithm = AlgorithmNamed(options.algorithm)});
    input_ = ReadInputCloud(options.file);
    const PlaceFinder finder(input_, options.snap_m);
    for (const std::string& asked : options.from) sources_.push_back(finder.Find(asked));
    for (const std::string& asked : options.to) targets_.push_back(finder.Find(asked));
  }

  void Run() {
    if (!options_.cloud_graph.voxels) CheckHasNeighbours(input_, options_.cloud_graph.k);
    const Stopwatch graph_watch;
    graph_ = MakeGraphOfCloud(*measures_, input_.cloud.points, options_.cloud_graph);
    fmt::print("{}\n{}, {:.3f} s\n", input_.Description(), graph_.description, graph_watch.s());
    Find();
    json_ = {{"cloud", input_.file},
             {"backend", measures_->name()},
             {"num_points", input_.cloud.size()},
             {"num_nodes", graph_.graph.num_nodes()},
             {"num_edges", graph_.graph.targets.size() / 2},
             {"seconds", seconds_}};
    PrintSources();
    const std::size_t num_unreachable = targets_.empty() ? 0 : PrintTargets();
    WriteFiles();
    if (!options_.common.json_file.empty()) WriteTextFile(options_.common.json_file, JsonText(json_));
    if (num_unreachable > 0) {
      throw Error(fmt::format("{} of {} paths do not exist: the graph has {} unconnected parts{}",
                              num_unreachable, sources_.size() * targets_.size(), num_parts_, HowToJoin()));
    }
  }

 private:
  std::size_t NumNodes() const { return static_cast<std::size_t>(graph_.graph.num_nodes()); }
  const Point3f& PositionOf(std::int32_t node) const {
    return (graph_.nodes.empty() ? input_.cloud.points : graph_.nodes)[static_cast<std::size_t>(node)];
  }
  float Distance(std::size_t source, std::int32_t node) const {
    return geodesics_.distances_m[source * NumNodes() + static_cast<std::size_t>(node)];
  }

  void Find() {
    std::vector<std::int32_t> nodes;
    for (const Place& place : sources_) nodes.push_back(graph_.NodeOf(place.point));
    const Stopwatch watch;
    geodesics_ = measures_->ShortestPaths(graph_.graph, nodes,
                                          {.range_m = options_.range_m,
                                           .targets = {},
                                           .predecessors = NeedsPaths(),
                                           .algorithm = AlgorithmNamed(options_.algorithm)});
    seconds_ = watch.s();
    fmt::print("paths from {}, {:.3f} s, back end {}\n", CountOf(sources_.size(), "point"), seconds_,
               measures_->name());
  }
  bool NeedsPaths() const { return !targets_.empty() && !options_.path_file.empty(); }

  bool AllAreJoined(const GraphOfCloud& graph) const {
    const std::vector<std::int32_t> parts = PartsOf(graph.graph);
    const auto part_of = [&](const Place& place) {
      return parts[static_cast<std::size_t>(graph.NodeOf(place.point))];
    };
    const auto is_first = [&](const Place& place) { return part_of(place) == part_of(sources_.front()); };
    return std::all_of(sources_.begin(), sources_.end(), is_first) &&
           std::all_of(targets_.begin(), targets_.end(), is_first);
  }

  // The smallest voxels of the series 1, 2, 5 that connect the requested points.
  std::string HowToJoin() const {
    CloudGraphOptions wider = options_.cloud_graph;
    const double now_m = options_.cloud_graph.voxels ? options_.cloud_graph.voxel_size_m : 0;
    wider.voxels = true;
    constexpr double kSteps_m[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    for (const double size_m : kSteps_m) {
      if (size_m <= now_m) continue;
      wider.voxel_size_m = static_cast<float>(size_m);
      const GraphOfCloud graph = MakeGraphOfCloud(*measures_, input_.cloud.points, wider);
      if (AllAreJoined(graph)) return fmt::format(": --graph voxel --voxel {:g} connects them", size_m);
    }
    return fmt::format(", farther apart than {:g} m: name other places", kSteps_m[std::size(kSteps_m) - 1]);
  }

  // How far each source reaches.
  void PrintSources() {
    const std::size_t width = WidthOf(sources_);
    fmt::print("\n{:<{}}{:>14}{:>14}{:>14}\n", "from", width, "nodes reached", "median, m", "farthest, m");
    json_["sources"] = OrderedJson::array();
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      std::vector<float> reached(
          geodesics_.distances_m.begin() + static_cast<std::ptrdiff_t>(s * NumNodes()),
          geodesics_.distances_m.begin() + static_cast<std::ptrdiff_t>((s + 1) * NumNodes()));
      std::erase_if(reached, [](float d) { return !std::isfinite(d); });
      const double median = QuantileOf(reached, 0.5), farthest = QuantileOf(reached, 1);
      fmt::print("{:<{}}{:>14}{:>14}{:>14}\n", sources_[s].Name(), width, WithThousands(reached.size()),
                 FourDigits(median), FourDigits(farthest));
      json_["sources"] += {{"point", sources_[s].index},
                           {"num_reached", reached.size()},
                           {"median_m", median},
                           {"farthest_m", farthest}};
    }
    if (std::isfinite(options_.range_m)) fmt::print("(within {:g} m)\n", options_.range_m);
  }

  // Returns how many of the pairs have no path.
  std::size_t PrintTargets() {
    const std::vector<std::int32_t> parts = PartsOf(graph_.graph);
    num_parts_ = *std::max_element(parts.begin(), parts.end()) + 1;
    std::size_t num_unreachable = 0;
    const std::size_t from_width = WidthOf(sources_), to_width = WidthOf(targets_);
    fmt::print("\n{:<{}}{:<{}}{:>14}{:>14}{:>9}\n", "from", from_width, "to", to_width, "geodesic, m",
               "straight, m", "ratio");
    json_["paths"] = OrderedJson::array();
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      for (const Place& target : targets_) {
        const std::int32_t from = graph_.NodeOf(sources_[s].point), to = graph_.NodeOf(target.point);
        const float geodesic = Distance(s, to), straight = DistanceBetween(PositionOf(from), PositionOf(to));
        const bool is_apart = parts[static_cast<std::size_t>(from)] != parts[static_cast<std::size_t>(to)];
        num_unreachable += is_apart ? 1 : 0;
        const std::string cell = is_apart                  ? "unreachable"
                                 : std::isfinite(geodesic) ? FourDigits(geodesic)
                                                           : fmt::format("> {:g}", options_.range_m);
        const double ratio = std::isfinite(geodesic) && straight > 0
                                 ? geodesic / straight
                                 : std::numeric_limits<double>::quiet_NaN();
        fmt::print("{:<{}}{:<{}}{:>14}{:>14}{:>9}\n", sources_[s].Name(), from_width, target.Name(), to_width,
                   cell, FourDigits(straight), FourDigits(ratio));
        json_["paths"] += {{"from", sources_[s].index}, {"to", target.index},     {"reachable", !is_apart},
                           {"geodesic_m", geodesic},    {"straight_m", straight}, {"ratio", ratio}};
      }
    }
    return num_unreachable;
  }

  // Points on the way of every path that exists, source first.
  std::vector<std::vector<Point3f>> Paths() const {
    std::vector<std::vector<Point3f>> paths;
    for (std::size_t s = 0; NeedsPaths() && s < sources_.size(); ++s) {
      const std::span<const std::int32_t> predecessors(geodesics_.predecessors.data() + s * NumNodes(),
                                                       NumNodes());
      for (const Place& target : targets_) {
        std::vector<Point3f> path;
        for (const std::int32_t node :
             PathTo(predecessors, graph_.NodeOf(sources_[s].point), graph_.NodeOf(target.point))) {
          path.push_back(PositionOf(node));
        }
        if (!path.empty()) paths.push_back(std::move(path));
      }
    }
    return paths;
  }

  // The distance of every point to its nearest source; NaN for a point that no source reaches.
  std::vector<float> PointDistances() const {
    std::vector<float> distances(input_.cloud.size(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      for (std::size_t s = 0; s < sources_.size(); ++s) {
        const float d = Distance(s, graph_.NodeOf(i));
        if (std::isfinite(d)) distances[i] = std::fmin(distances[i], d);
      }
    }
    return distances;
  }

  void WriteFiles() {
    if (!options_.path_file.empty()) WritePaths(Paths());
    if (options_.output.empty()) return;
    const std::vector<float> distances = PointDistances();
    const ValueScale scale{sources_.size() == 1 ? "distance along the cloud, m"
                                                : "distance along the cloud to the nearest source, m",
                           0, std::max(QuantileOf(distances, 0.99), 1e-6), false};
    WriteCloud(options_.output, {input_.cloud.points, ColorValues(distances, scale)}, CloudEncoding::kBinary,
               {scale.label, distances});
    fmt::print("wrote {}\n", Printable(options_.output));
  }

  void WritePaths(const std::vector<std::vector<Point3f>>& paths) const {
    PointCloud vertices;
    std::vector<CloudEdge> edges;
    for (const std::vector<Point3f>& path : paths) {
      for (std::size_t i = 0; i < path.size(); ++i) {
        const auto index = static_cast<std::int32_t>(vertices.size());
        if (i > 0) edges.push_back({index - 1, index});
        vertices.points.push_back(path[i]);
      }
    }
    WritePlyLines(options_.path_file, vertices, edges);
    fmt::print("wrote {}: {}, {}\n", Printable(options_.path_file), CountOf(paths.size(), "path"),
               CountOf(edges.size(), "edge"));
  }

  const GeodesicCommandOptions& options_;
  std::unique_ptr<CloudMeasures> measures_;
  InputCloud input_;
  std::vector<Place> sources_, targets_;
  GraphOfCloud graph_;
  Geodesics geodesics_;
  double seconds_ = 0;
  std::int32_t num_parts_ = 0;  // of the graph, where there are targets
  OrderedJson json_;
};

void RunGeodesic(GeodesicCommandOptions& options) {
  CheckCloudOutput(options.output);
  options.cloud_graph.voxels = options.graph == "voxel";
  CheckOutputName(options.path_file, "lines", ".ply");
  if (!options.path_file.empty() && options.to.empty())
    throw InvalidArgument("--path needs targets: name them with --to");
  CheckFilesApart({options.file}, {options.output, options.path_file, options.common.json_file});
  GeodesicRun(options).Run();
}

}  // namespace

void AddCloudGeodesicCommand(CLI::App& cloud) {
  CLI::App* command =
      cloud.add_subcommand("geodesic", "Shortest paths along a cloud, over its neighbours or voxels");
  const auto options = std::make_shared<GeodesicCommandOptions>();
  command->add_option("cloud", options->file, "The cloud")->type_name("FILE.ply|.pcd")->required();
  command
      ->add_option("--from", options->from,
                   "Sources: indices of points, from 0, or positions, which stand for their nearest points")
      ->type_name("I|X,Y,Z")
      ->required();
  command->add_option("--to", options->to, "Targets: indices or positions")->type_name("I|X,Y,Z");
  command
      ->add_option("--graph", options->graph,
                   "neighbours: join each point with its nearest ones; voxel: join occupied voxels")
      ->check(CLI::IsMember({"neighbours", "voxel"}))
      ->capture_default_str();
  command->add_option("--k", options->cloud_graph.k, "Neighbours of a point")
      ->check(CLI::Range(1, kLargestNumNeighbours))
      ->capture_default_str();
  command
      ->add_option("--voxel", options->cloud_graph.voxel_size_m,
                   "Edge of a voxel, m [3 times the median distance of nearest points]")
      ->check(CheckPositive)
      ->type_name("M");
  command
      ->add_option("--connectivity", options->cloud_graph.connectivity,
                   "Number of neighbouring voxels that a voxel is joined with")
      ->check(CLI::IsMember({6, 18, 26}))
      ->capture_default_str();
  command
      ->add_option("--algorithm", options->algorithm,
                   "heap: Dijkstra, node by node; frontier: many nodes at once, cuda back end only; auto: "
                   "the faster one; all give the same result")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kGeodesicAlgorithmNames), std::end(kGeodesicAlgorithmNames))))
      ->capture_default_str();
  command->add_option("--range", options->range_m, "Longest path to search, m")
      ->check(CheckNotNegative)
      ->type_name("M");
  command
      ->add_option("--snap", options->snap_m,
                   "Largest distance between a position and its nearest point, m [a tenth of the diagonal]")
      ->check(CheckPositive)
      ->type_name("M");
  command->add_option("--path", options->path_file, "Write the paths as lines")->type_name("FILE.ply");
  AddCloudOutput(*command, options->output, "distance from the nearest source");
  AddCloudOptions(*command, options->common);
  command->callback([options] { RunGeodesic(*options); });
  command->footer(
      "examples:\n"
      "  parallax cloud geodesic cloud.ply --from 0 --to 1200 5.2,0.4,12\n"
      "  parallax cloud geodesic cloud.ply --from -1.5,1.5,8 --to 1.5,1.5,12 --path path.ply --output "
      "distance.ply\n"
      "  parallax cloud geodesic cloud.ply --from 17 --graph voxel --voxel 0.05 --range 5 --output "
      "reach.ply");
}

}  // namespace parallax::app
