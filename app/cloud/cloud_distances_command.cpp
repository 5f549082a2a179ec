// parallax cloud distances: computes all distances between the points of two clouds or the rows of two
// matrices, and keeps those that the options name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_options.h"
#include "app/cloud/cloud_rows.h"
#include "app/output/error_text.h"
#include "app/output/number_list.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/pictures/value_scale.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

struct DistancesOptions {
  std::string a, b, method = "auto";
  bool nearest = false;
  std::string histogram;  // BINS,LARGEST
  int k = 0;
  std::string csv_file;
  CloudOptions common;
};

const std::map<std::string, DistanceMethod> kMethods = {{"auto", DistanceMethod::kAuto},
                                                        {"direct", DistanceMethod::kDirect},
                                                        {"product", DistanceMethod::kProduct},
                                                        {"tf32", DistanceMethod::kProductTf32}};

struct HistogramRequest {
  int num_bins = 0;
  float largest_m = 0;
};
HistogramRequest ParseHistogram(const std::string& text) {
  HistogramRequest request;
  constexpr int kMostBins = 1 << 20;
  if (ParsePair(text, ',', request.num_bins, request.largest_m) && request.num_bins > 0 &&
      request.num_bins <= kMostBins && request.largest_m > 0 && std::isfinite(request.largest_m)) {
    return request;
  }
  throw InvalidArgument("--histogram '" + text +
                        "' is not BINS,LARGEST (1 to 1048576 bins, a distance above 0), e.g. 20,5");
}

// Looks at the options before any file is read.
std::optional<HistogramRequest> HistogramOf(const DistancesOptions& options) {
  std::optional<HistogramRequest> request;
  if (!options.histogram.empty()) request = ParseHistogram(options.histogram);
  if (options.csv_file.empty()) return request;
  if (request && !options.nearest && options.k == 0) {
    throw InvalidArgument("--csv writes neighbours, not the histogram: add --nearest or --k, or use --json");
  }
  CheckFolder(options.csv_file);
  CheckFilesApart({options.a, options.b}, {options.csv_file, options.common.json_file});
  return request;
}

class DistancesRun {
 public:
  explicit DistancesRun(const DistancesOptions& options)
      : options_(options),
        histogram_(HistogramOf(options)),
        measures_(options.common.Measures()),
        a_(options.a),
        b_(options.b),
        in_metres_(a_.is_cloud() && b_.is_cloud()) {
    distance_options_.method = kMethods.at(options.method);
    if (a_.View().dims != b_.View().dims) {
      throw InvalidArgument(
          fmt::format("{} has {} numbers in each {}, but {} has {}: both must have the same number",
                      a_.file(), a_.View().dims, a_.thing(), b_.file(), b_.View().dims));
    }
  }

  void Run() {
    fmt::print("A {}\nB {}\nmethod {}, back end {}\n", a_.Description(), b_.Description(), options_.method,
               measures_->name());
    json_ = {{"a", a_.file()},
             {"b", b_.file()},
             {"num_a", a_.size()},
             {"num_b", b_.size()},
             {"method", options_.method},
             {"backend", measures_->name()}};
    if (options_.k > 0 && static_cast<std::size_t>(options_.k) > b_.size()) {
      throw InvalidArgument(fmt::format("--k {}: {} has only {}", options_.k, b_.file(),
                                        CountOf(b_.size(), "finite " + b_.thing())));
    }
    if (histogram_) Histogram(*histogram_);
    if (options_.k > 0) Smallest();
    if (options_.nearest || (!histogram_ && options_.k == 0)) Nearest();
    if (!options_.common.json_file.empty()) WriteTextFile(options_.common.json_file, JsonText(json_));
  }

 private:
  void Histogram(const HistogramRequest& request) {
    const Stopwatch watch;
    const DistanceHistogram histogram = measures_->HistogramOfDistances(
        a_.View(), b_.View(), request.largest_m, request.num_bins, distance_options_);
    PrintTime("histogram", watch);
    const std::int64_t total =
        std::accumulate(histogram.counts.begin(), histogram.counts.end(), histogram.beyond);
    const auto row = [&](const std::string& range, std::int64_t count) {
      fmt::print("{:>26}{:>20}{:>9.3f} %\n", range, WithThousands(static_cast<std::size_t>(count)),
                 100.0 * static_cast<double>(count) / static_cast<double>(total));
    };
    const double width =
        static_cast<double>(histogram.largest) / static_cast<double>(histogram.counts.size());
    fmt::print("{:>26}{:>20}{:>11}\n", WithUnit("distance"), "pairs", "share");
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
      const auto from = static_cast<double>(i) * width;
      row(fmt::format("{:.4g} to {:.4g}", from, from + width), histogram.counts[i]);
    }
    row(fmt::format("{:.4g} and more", histogram.largest), histogram.beyond);
    json_["histogram"] = {
        {KeyWithUnit("bin_width"), width}, {"counts", histogram.counts}, {"beyond", histogram.beyond}};
  }

  void Nearest() {
    const Stopwatch watch;
    const NearestRows nearest = measures_->FindNearestRows(a_.View(), b_.View(), distance_options_);
    PrintTime(fmt::format("nearest {} of B for every {} of A", b_.thing(), a_.thing()), watch);
    PrintSpread("nearest", "distance", nearest.distances);
    if (!options_.csv_file.empty() && options_.k == 0) WriteCsv(nearest.indices, nearest.distances, 1);
  }

  void Smallest() {
    const Stopwatch watch;
    const Neighbours smallest =
        measures_->FindSmallestDistances(a_.View(), b_.View(), options_.k, distance_options_);
    PrintTime(fmt::format("{} smallest distances of every {} of A", options_.k, a_.thing()), watch);
    const auto k = static_cast<std::size_t>(options_.k);
    std::vector<float> last(a_.size());
    for (std::size_t i = 0; i < last.size(); ++i) last[i] = smallest.distances_m[i * k + k - 1];
    PrintSpread("mean_of_k", "mean of these distances", MeanDistances(smallest));
    PrintSpread("kth", "largest of these distances", last);
    if (!options_.csv_file.empty()) WriteCsv(smallest.indices, smallest.distances_m, k);
  }

  static void PrintTime(const std::string& what, const Stopwatch& watch) {
    fmt::print("\n{}, {:.3f} s\n", what, watch.s());
  }

  // Points are in metres; what the numbers of a matrix are is not known.
  std::string WithUnit(const std::string& name) const { return in_metres_ ? name + ", m" : name; }
  std::string KeyWithUnit(const std::string& key) const { return in_metres_ ? key + "_m" : key; }

  void PrintSpread(const char* key, const char* name, std::span<const float> values) {
    double sum = 0;
    for (const float v : values) sum += v;
    const double mean = sum / static_cast<double>(values.size());
    const Spread spread = SpreadOf(values);
    const double largest = QuantileOf(values, 1);
    fmt::print("{:>26}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", "p5", "median", "p95", "largest", "mean");
    fmt::print("{:>26}{:>12}{:>12}{:>12}{:>12}{:>12}\n", WithUnit(name), FourDigits(spread.p5),
               FourDigits(spread.median), FourDigits(spread.p95), FourDigits(largest), FourDigits(mean));
    json_[KeyWithUnit(key)] = {{"p5", spread.p5},
                               {"median", spread.median},
                               {"p95", spread.p95},
                               {"largest", largest},
                               {"mean", mean}};
  }

  // Writes one row for each pair, with the numbers that the points have in the files.
  void WriteCsv(std::span<const std::int32_t> indices, std::span<const float> distances,
                std::size_t k) const {
    std::string csv = "a,b," + KeyWithUnit("distance") + "\n";
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0) continue;
      csv += fmt::format("{},{},{}\n", a_.IndexInFile(i / k),
                         b_.IndexInFile(static_cast<std::size_t>(indices[i])), distances[i]);
    }
    WriteTextFile(options_.csv_file, csv);
    fmt::print("wrote {}\n", Printable(options_.csv_file));
  }

  const DistancesOptions& options_;
  const std::optional<HistogramRequest> histogram_;
  std::unique_ptr<CloudMeasures> measures_;
  InputRows a_, b_;
  const bool in_metres_;
  DistanceOptions distance_options_;
  OrderedJson json_;
};

}  // namespace

void AddCloudDistancesCommand(CLI::App& cloud) {
  CLI::App* command = cloud.add_subcommand(
      "distances",
      "All distances between two clouds or the rows of two matrices: nearest, k smallest, histogram");
  const auto options = std::make_shared<DistancesOptions>();
  constexpr char kFiles[] = "FILE.ply|.pcd|.npy|.csv|.txt";
  command->add_option("a", options->a, "The first cloud, or a matrix whose rows are compared")
      ->type_name(kFiles)
      ->required();
  command->add_option("b", options->b, "The second cloud or matrix")->type_name(kFiles)->required();
  command->add_flag("--nearest", options->nearest,
                    "The nearest point of B for every point of A (the default)");
  command->add_option("--k", options->k, "The k nearest points of B for every point of A")
      ->check(CLI::Range(1, kLargestNumNeighbours));
  command
      ->add_option("--histogram", options->histogram,
                   "Count all pairs in BINS bins of equal width from 0 to LARGEST")
      ->type_name("BINS,LARGEST");
  command
      ->add_option("--csv", options->csv_file,
                   "Write the index in A, the index in B and the distance of each neighbour")
      ->type_name("FILE");
  command
      ->add_option(
          "--method", options->method,
          "direct: differences, squared and summed; product, tf32: |a|^2 + |b|^2 - 2ab; auto: by size")
      ->check(CLI::IsMember({"auto", "direct", "product", "tf32"}))
      ->capture_default_str();
  AddCloudOptions(*command, options->common);
  command->callback([options] { DistancesRun(*options).Run(); });
  command->footer(
      "examples:\n"
      "  parallax cloud distances a.ply b.ply --k 4 --csv neighbours.csv\n"
      "  parallax cloud distances a.ply b.ply --histogram 50,20 --backend cuda\n"
      "  parallax cloud distances queries.npy features.npy --k 10 --csv matches.csv");
}

}  // namespace parallax::app
