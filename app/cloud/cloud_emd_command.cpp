// parallax cloud emd: the earth mover's distance of two clouds, with an interval that holds the exact value.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_options.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/pictures/value_scale.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/system/process_memory.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

constexpr std::int64_t kUsualPoints = 4096, kMostExactPoints = 8192;

struct EmdCommandOptions {
  std::string a, b;
  std::int64_t num_points = -1;  // not given
  std::uint64_t seed = 0;
  EmdOptions emd;
  bool exact = false, floor = true;
  std::string match_file;
  CloudOptions common;
};

// How many points of each cloud are matched.
std::int64_t NumMatched(const EmdCommandOptions& options, const InputCloud& a, const InputCloud& b) {
  const auto smaller = static_cast<std::int64_t>(std::min(a.cloud.size(), b.cloud.size()));
  if (options.num_points < 0) return std::min(smaller, kUsualPoints);
  return options.num_points > 0 ? options.num_points : smaller;
}

// The least memory that each point of both clouds takes while the clouds are matched; measured on the cpu.
constexpr std::uint64_t kBytesPerPoint = 100;

// The points that take part, and how that is said: all of them in order, or drawn ones.
struct Drawn {
  std::vector<Point3f> points;
  std::vector<std::int32_t> indices;  // in the file
  std::string how;
};
Drawn Draw(const InputCloud& input, std::int64_t count, std::uint64_t seed) {
  const auto n = static_cast<std::int64_t>(input.cloud.size());
  Drawn drawn;
  std::vector<std::int32_t> indices(static_cast<std::size_t>(count));
  if (count == n) {
    std::iota(indices.begin(), indices.end(), 0);
    drawn.how = "all";
  } else {
    indices = SampleIndices(n, count, seed);
    drawn.how = fmt::format(
        "{} drawn with seed {}{}", WithThousands(static_cast<std::size_t>(count)), seed,
        count > n ? ", every point at least " + CountOf(static_cast<std::size_t>(count / n), "time") : "");
  }
  for (const std::int32_t i : indices) {
    drawn.points.push_back(input.cloud.points[static_cast<std::size_t>(i)]);
    drawn.indices.push_back(input.IndexInFile(static_cast<std::size_t>(i)));
  }
  return drawn;
}

std::string StopText(const EmdResult& result, const EmdCommandOptions& options) {
  switch (result.stop) {
    case EmdStop::kGap:
      return fmt::format("the requested gap ({:g} %) is reached", 100 * options.emd.gap);
    case EmdStop::kTime:
      return fmt::format("the time limit ({:g} s) is reached", options.emd.time_limit_s);
    case EmdStop::kRounds:
      return fmt::format("the limit of {} rounds is reached", options.emd.max_rounds);
    case EmdStop::kResolution:
      return "the finest resolution (2^-24 of the clouds' diagonal) is reached";
    case EmdStop::kExact:
      break;
  }
  return "exact";
}
std::string_view StopName(EmdStop stop) {
  constexpr std::string_view kNames[] = {"gap", "time", "rounds", "resolution", "exact"};
  return kNames[static_cast<std::size_t>(stop)];
}

double GapOf(const EmdResult& result) {
  return result.upper_m > 0 ? (result.upper_m - result.lower_m) / result.upper_m : 0;
}

// A line from every point of a to its partner in b, coloured by its length.
void WriteMatch(const std::string& file, const Drawn& a, const Drawn& b, const EmdResult& result) {
  PointCloud cloud;
  std::vector<CloudEdge> edges;
  std::vector<float> lengths_m;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const Point3f p = a.points[i], q = b.points[static_cast<std::size_t>(result.match_of_a[i])];
    const auto first = static_cast<std::int32_t>(cloud.size());
    edges.push_back({first, first + 1});
    cloud.points.insert(cloud.points.end(), {p, q});
    lengths_m.insert(lengths_m.end(), 2, std::hypot(p.x - q.x, p.y - q.y, p.z - q.z));
  }
  cloud.colors = ColorValues(lengths_m, RobustScale(lengths_m, ""));
  WritePlyLines(file, cloud, edges);
  fmt::print("wrote {}\n", Printable(file));
}

std::string Json(const EmdCommandOptions& options, const InputCloud& a, const InputCloud& b,
                 std::span<const EmdResult> results, double seconds, std::string_view backend) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, input] : {std::pair{"a", &a}, {"b", &b}}) {
    json[key] = {{"cloud", input->file},
                 {"num_points", input->cloud.size()},
                 {"num_not_finite", input->num_in_file - input->cloud.size()}};
  }
  const EmdResult& result = results.front();
  json["num_matched"] = result.match_of_a.size();
  json["seed"] = options.seed;
  json["lower_m"] = result.lower_m;
  json["upper_m"] = result.upper_m;
  json["gap"] = GapOf(result);
  json["stop"] = StopName(result.stop);
  json["rounds"] = result.rounds;
  if (results.size() > 1)
    json["draws_of_b"] = {{"lower_m", results[1].lower_m}, {"upper_m", results[1].upper_m}};
  json["seconds"] = seconds;
  json["backend"] = backend;
  return JsonText(json);
}

std::vector<EmdResult> Solve(const EmdCommandOptions& options, std::span<const EmdPair> pairs,
                             CloudMeasures& measures) {
  if (!options.exact) return measures.EarthMoversDistances(pairs, options.emd);
  std::vector<EmdResult> results;
  for (const EmdPair& pair : pairs) results.push_back(ExactEmd(pair));
  return results;
}

std::string IntervalText(const EmdResult& result, bool exact) {
  if (exact) return fmt::format("{:.6g} m, exact", result.upper_m);
  return fmt::format("in [{:.6g}, {:.6g}] m, gap {:.3g} %", result.lower_m, result.upper_m,
                     100 * GapOf(result));
}

void RunEmd(const EmdCommandOptions& options) {
  CheckOutputName(options.match_file, "lines", ".ply");
  CheckFilesApart({options.a, options.b}, {options.match_file, options.common.json_file});
  const std::unique_ptr<CloudMeasures> measures = options.common.Measures();
  const InputCloud a = ReadInputCloud(options.a), b = ReadInputCloud(options.b);
  const std::int64_t n = NumMatched(options, a, b);
  RequireMemory(static_cast<std::uint64_t>(n) * kBytesPerPoint,
                fmt::format("matching {} points", WithThousands(static_cast<std::size_t>(n))),
                "use fewer --points");
  if (options.exact && n > kMostExactPoints) {
    throw InvalidArgument(fmt::format("--exact takes at most {} points, not {}: use --points {}",
                                      kMostExactPoints, n, kUsualPoints));
  }
  const Drawn drawn_a = Draw(a, n, options.seed), drawn_b = Draw(b, n, options.seed + 1);
  fmt::print("A {}, {}\nB {}, {}\n", a.Description(), drawn_a.how, b.Description(), drawn_b.how);
  if (a.cloud.size() != b.cloud.size()) {
    fmt::print("the clouds differ in size: {} points of each are matched\n",
               WithThousands(drawn_a.points.size()));
  }
  std::fflush(stdout);
  // Two draws of one cloud differ as well: that much of the result says nothing of the clouds.
  std::optional<Drawn> other_b;
  if (options.floor && n != static_cast<std::int64_t>(b.cloud.size())) other_b = Draw(b, n, options.seed + 2);
  std::vector<EmdPair> pairs = {{drawn_a.points, drawn_b.points}};
  if (other_b) pairs.push_back({drawn_b.points, other_b->points});
  const Stopwatch watch;
  const std::vector<EmdResult> results = Solve(options, pairs, *measures);
  const double seconds = watch.s();
  const EmdResult& result = results.front();
  const std::string_view backend = options.exact ? "cpu" : measures->name();
  const auto num_matched = static_cast<std::size_t>(std::count_if(
      result.match_of_a.begin(), result.match_of_a.end(), [](std::int32_t i) { return i >= 0; }));
  fmt::print("EMD {}, {} of {} matched\n", IntervalText(result, options.exact), WithThousands(num_matched),
             WithThousands(static_cast<std::size_t>(n)));
  if (!options.exact) {
    fmt::print("{} after {}\n", StopText(result, options),
               CountOf(static_cast<std::size_t>(result.rounds), "round"));
  }
  if (other_b) {
    fmt::print("two draws of B: EMD {}: the share of sampling alone\n",
               IntervalText(results[1], options.exact));
  }
  fmt::print("{:.3f} s, back end {}\n", seconds, backend);
  if (!options.match_file.empty()) WriteMatch(options.match_file, drawn_a, drawn_b, result);
  if (!options.common.json_file.empty()) {
    WriteTextFile(options.common.json_file, Json(options, a, b, results, seconds, backend));
  }
}

}  // namespace

void AddCloudEmdCommand(CLI::App& cloud) {
  CLI::App* command = cloud.add_subcommand(
      "emd", "Earth mover's distance: the smallest mean distance over all one-to-one matchings, with bounds");
  const auto options = std::make_shared<EmdCommandOptions>();
  command->add_option("a", options->a, "The first cloud")->type_name("FILE.ply|.pcd")->required();
  command->add_option("b", options->b, "The second cloud")->type_name("FILE.ply|.pcd")->required();
  command
      ->add_option(
          "--points", options->num_points,
          "Points of each cloud to match; 0 = all points of the smaller cloud [the same, at most 4096]")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("N");
  command->add_option("--seed", options->seed, "Seed for sampling A; B uses the next seed")
      ->check(CheckNotNegative)
      ->capture_default_str();
  command
      ->add_option("--gap", options->emd.gap,
                   "Stop when the bounds are this close: (upper - lower) / upper, 1e-9 .. 1")
      ->check([](const std::string& text) {
        const std::optional<double> gap = ParseNumber(text);
        return gap && *gap >= 1e-9 && *gap <= 1 ? "" : "'" + text + "' is not a number in 1e-9 .. 1";
      })
      ->capture_default_str();
  command
      ->add_option("--time-limit", options->emd.time_limit_s,
                   "Stop after this many seconds with the best matching so far; 0 = no limit")
      ->check(CheckNotNegative)
      ->capture_default_str();
  command
      ->add_option("--max-rounds", options->emd.max_rounds,
                   "Stop after this many bidding rounds with the best matching so far; 0 = no limit")
      ->check(CheckNotNegative)
      ->capture_default_str();
  command->add_flag("--floor,!--no-floor", options->floor,
                    "If B is sampled, also print the EMD between two samples of B (on)");
  command->add_flag("--exact", options->exact, "Solve exactly, on the CPU, up to 8192 points");
  command
      ->add_option("--match", options->match_file,
                   "Write the matched pairs as lines, coloured by their length")
      ->type_name("FILE.ply");
  AddCloudOptions(*command, options->common);
  command->callback([options] { RunEmd(*options); });
  command->footer(
      "examples:\n"
      "  parallax cloud emd estimate.ply truth.ply --points 4096 --seed 1\n"
      "  parallax cloud emd a.ply b.ply --points 1000 --exact --match match.ply");
}

}  // namespace parallax::app
