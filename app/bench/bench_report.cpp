#include "app/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <thread>

#include "app/build_info.h"
#include "app/session/processor_name.h"
#include "pipeline/simd/instruction_sets.h"

namespace parallax::app {
namespace {

constexpr std::string_view kOpencv = "opencv:";

double Median(const BenchRow& row) { return Quantile(row.samples_ms, 0.5); }
bool IsOpencv(const BenchRow& row) { return row.backend.starts_with(kOpencv); }
bool IsFrame(const BenchRow& row) { return row.stage == "frame"; }
bool IsWhole(const BenchRow& row) {
  return IsFrame(row) || row.stage == "frame_host" || row.stage.starts_with("throughput");
}

// 10^9 costs of one disparity at one pixel in a second.
double EvaluationsPerNanosecond(const BenchRow& row) {
  return static_cast<double>(row.width) * row.height * row.disparities / (Median(row) * 1e6);
}

// Least that two sweeps move: their sums, written by the first and read by the second, one byte for two
// paths.
double SumsGigabytesPerSecond(const BenchRow& row) {
  return EvaluationsPerNanosecond(row) * 2 * row.paths / 4;
}

std::string Ratios(const std::vector<BenchRow>& rows, const BenchRow& row) {
  std::string text;
  if (IsOpencv(row) || !IsFrame(row)) return text;
  for (const BenchRow& other : rows) {
    if (!IsOpencv(other) || other.width != row.width || other.height != row.height ||
        other.disparities != row.disparities) {
      continue;
    }
    text += fmt::format("  {} {:.2f}x", other.backend.substr(kOpencv.size()), Median(other) / Median(row));
  }
  return text.empty() ? text : "  as fast as OpenCV:" + text;
}

}  // namespace

double Quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(std::lround(q * static_cast<double>(samples.size() - 1)))];
}

std::string BenchTable(const std::vector<BenchRow>& rows) {
  std::string text =
      fmt::format("{:<12} {:>11} {:>5} {:>5}  {:<17} {:>9} {:>8} {:>8} {:>8} {:>6} {:>7}\n", "back end",
                  "size", "D", "paths", "stage", "median ms", "p10", "p90", "Geval/s", "GB/s", "MB");
  for (const BenchRow& row : rows) {
    const int digits = row.backend == "cuda" ? 4 : 2;
    text +=
        fmt::format("{:<12} {:>11} {:>5} {:>5}  {:<17} {:>9.{}f} {:>8.{}f} {:>8.{}f}", row.backend,
                    fmt::format("{}x{}", row.width, row.height), row.disparities,
                    IsOpencv(row) || row.paths == 0 ? "-" : std::to_string(row.paths), row.stage, Median(row),
                    digits, Quantile(row.samples_ms, 0.1), digits, Quantile(row.samples_ms, 0.9), digits);
    if (IsWhole(row)) {
      text += fmt::format(" {:>8.2f} {:>6} {:>7}", EvaluationsPerNanosecond(row),
                          IsOpencv(row) || row.backend == "cuda" || row.paths == 0
                              ? "-"
                              : fmt::format("{:.1f}", SumsGigabytesPerSecond(row)),
                          row.memory_mb > 0 ? fmt::format("{:.0f}", row.memory_mb) : "-");
    }
    if (row.floor.ms > 0) {
      text += fmt::format("  floor {:.4f} ({}), {:.1f} times that", row.floor.ms, row.floor.bound,
                          Median(row) / row.floor.ms);
    }
    text += Ratios(rows, row) + "\n";
  }
  return text;
}

OrderedJson BenchMachine(int num_threads) {
  return {{"processor", ProcessorName()},   {"cores", std::thread::hardware_concurrency()},
          {"threads", num_threads},         {"instruction_set", cpu::InstructionSetInUse()},
          {"version", ThisBuild().version}, {"compiler", ThisBuild().compiler}};
}

std::string BenchJson(const std::vector<BenchRow>& rows, const std::vector<std::string>& frames,
                      int num_threads) {
  OrderedJson json = {{"rows", OrderedJson::array()}};
  for (const BenchRow& row : rows) {
    OrderedJson one = {{"backend", row.backend},
                       {"width", row.width},
                       {"height", row.height},
                       {"disparities", row.disparities},
                       {"paths", row.paths},
                       {"stage", row.stage},
                       {"median_ms", Median(row)},
                       {"p10_ms", Quantile(row.samples_ms, 0.1)},
                       {"p90_ms", Quantile(row.samples_ms, 0.9)},
                       {"memory_mb", row.memory_mb},
                       {"runs", row.samples_ms.size()}};
    if (row.floor.ms > 0) {
      one.update({{"bytes", row.work.bytes},
                  {"packed_operations", row.work.packed_operations},
                  {"population_counts", row.work.population_counts},
                  {"shuffles", row.work.shuffles},
                  {"reductions", row.work.reductions},
                  {"floor_ms", row.floor.ms},
                  {"floor_bound", row.floor.bound}});
    }
    json["rows"] += one;
  }
  json["machine"] = BenchMachine(num_threads);
  json["frames"] = frames;
  return JsonText(json);
}

}  // namespace parallax::app
