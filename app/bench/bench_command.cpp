// parallax bench: measures the speed of this machine by stage and by frame, next to OpenCV's.
#include <fmt/format.h>

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/bench/bench_contender.h"
#include "app/bench/bench_devices.h"
#include "app/bench/bench_frames.h"
#include "app/bench/bench_opencv.h"
#include "app/bench/bench_report.h"
#include "app/commands.h"
#include "app/options/matching_options.h"
#include "app/options/shared_options.h"
#include "app/output/number_list.h"
#include "app/output/output_files.h"
#include "app/session/heap.h"
#include "config/backends.h"
#include "config/device_benchmark.h"
#include "config/devices.h"
#include "parallax/error.h"
#include "pipeline/simd/instruction_sets.h"

namespace parallax::app {
namespace {

struct BenchOptions {
  std::vector<std::string> source;
  std::string kind;
  std::vector<std::string> sizes;
  std::vector<int> disparities;
  std::vector<int> paths;
  std::vector<std::string> backends = {"auto"};
  MatchingOptions matching;  // all but its back end
  std::string instruction_set;
  int repeat = 20, num_frames = 1;
  bool with_stages = true, with_opencv = true;
  std::string json;
};

constexpr int kLeastDeviceRuns = 200;  // they take a fraction of a second

BenchSize ParseSize(const std::string& text) {
  BenchSize size;
  if (ParsePair(text, 'x', size.width, size.height) && size.width > 0 && size.height > 0) return size;
  throw InvalidArgument("--sizes '" + text + "' is not WIDTHxHEIGHT in pixels, e.g. 1242x375");
}

// Memory of this process that is backed by pages, in MB.
double ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

Parameters ParametersOf(const BenchOptions& options, const BenchRow& row) {
  Parameters parameters = options.matching.Load().parameters;
  parameters.matching_cost.num_disparities = row.disparities;
  if (row.paths > 0) parameters.aggregation.num_paths = row.paths;
  return parameters;
}

MatcherOptions MatcherOptionsOf(const BenchOptions& options, const BenchRow& row) {
  MatcherOptions matcher_options;
  matcher_options.width = row.width;
  matcher_options.height = row.height;
  matcher_options.num_threads = options.matching.num_threads;
  matcher_options.device = options.matching.device;
  matcher_options.memory_limit_bytes = static_cast<std::size_t>(options.matching.memory_limit_mb) * 1'000'000;
  return matcher_options;
}

std::unique_ptr<Contender> MakeContender(const BenchOptions& options, const std::string& backend,
                                         BenchRow row) {
  row.backend = ResolveBackend(backend);
  return std::make_unique<Contender>(
      MakeMatcher(backend, ParametersOf(options, row), MatcherOptionsOf(options, row)), row);
}

// A GPU's frames are timed on the device, with the first frame: latencies and rates, see BenchRow.
void AddDeviceRows(const BenchOptions& options, BenchRow row, const CudaFrameTimes& times,
                   std::vector<BenchRow>& rows) {
  row.backend = "cuda";
  row.memory_mb = times.memory_mb;
  const auto add = [&](std::string_view stage, std::vector<double> samples_ms) {
    row.stage = stage;
    row.samples_ms = std::move(samples_ms);
    rows.push_back(row);
  };
  if (options.with_stages) {
    for (const CudaFrameTimes::Step& step : times.steps) {
      add(step.name, step.samples_ms);
      rows.back().work = step.work;
      rows.back().floor = step.floor;
    }
  }
  add("frame", times.resident_ms);
  add("frame_host", times.host_ms);
  const auto best = std::max_element(times.resident_rates.begin(), times.resident_rates.end());
  if (best != times.resident_rates.end()) add("throughput", {1000 / *best});
  if (times.pinned_rate > 0) add("throughput_pinned", {1000 / times.pinned_rate});
  if (times.queue_rate > 0) add("throughput_host", {1000 / times.queue_rate});
}

// The same frame matched by the first, the first two, ... of the devices that are named; nothing where one
// is.
void AddRowsOfPools(const BenchOptions& options, const std::string& backend, BenchRow row,
                    const StereoFrame& frame, std::vector<BenchRow>& rows) {
  constexpr double kSeconds = 1;
  const auto tell = [](const std::string& line) { fmt::print("{}\n", line); };
  const Parameters parameters = ParametersOf(options, row);
  const MatcherOptions matcher_options = MatcherOptionsOf(options, row);
  row.backend = ResolveBackend(backend, parameters.method);
  const std::vector<int> devices = options.matching.DeviceNumbers(row.backend);
  if (devices.size() < 2) return;
  for (std::size_t num_devices = 1; num_devices <= devices.size(); ++num_devices) {
    const auto pool =
        MakeDevicePool({devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(num_devices)}, tell);
    const double rate =
        RateOfPool(*pool, parameters, matcher_options, UsualFramesOnADevice(parameters, matcher_options),
                   ViewOf(frame.left), ViewOf(frame.right), kSeconds);
    row.stage = fmt::format("throughput_{}_gpu{}", num_devices, num_devices == 1 ? "" : "s");
    row.samples_ms = {1000 / rate};
    rows.push_back(row);
  }
}

// All contenders of one size and D take turns, so that what else the machine does hits them alike.
std::vector<BenchRow> Measure(const BenchOptions& options, const BenchFrames& frames, BenchSize size,
                              int disparities) {
  BenchRow row;
  row.width = size.width, row.height = size.height, row.disparities = disparities;
  std::vector<BenchRow> rows;
  std::vector<std::unique_ptr<Contender>> contenders;
  const auto add = [&](const std::function<std::unique_ptr<Contender>()>& make) {
    const double before = ResidentMegabytes();
    contenders.push_back(make());
    Contender& contender = *contenders.back();
    for (const StereoFrame& frame : frames.frames) contender.Run(frame);  // warm up
    for (BenchRow& r : contender.rows) {
      r.samples_ms.clear();
      if (r.memory_mb == 0) r.memory_mb = std::max(0.0, ResidentMegabytes() - before);
    }
  };
  for (const int paths : options.paths) {
    row.paths = paths;
    for (const std::string& backend : options.backends) {
      const StereoFrame& frame = frames.frames.front();
      CudaBenchmarkOptions on_device;
      on_device.repeat = std::max(options.repeat, kLeastDeviceRuns);
      if (const auto times =
              MeasureOnDevice(backend, ParametersOf(options, row), MatcherOptionsOf(options, row),
                              ViewOf(frame.left), ViewOf(frame.right), on_device)) {
        AddDeviceRows(options, row, *times, rows);
        AddRowsOfPools(options, backend, row, frame, rows);
      } else {
        add([&] { return MakeContender(options, backend, row); });
      }
    }
  }
  row.paths = 8;
  if (options.with_opencv && OpencvCanMatch(size.width, disparities)) {
    for (const std::string& mode : OpencvModes()) {
      row.backend = mode;
      add([&] { return std::make_unique<Contender>(MakeOpencvMatcher(mode, disparities), row); });
    }
  } else if (options.with_opencv) {
    fmt::print("{}x{} with {} disparities: without OpenCV, which needs wider images\n", size.width,
               size.height, disparities);
  }
  const auto frame_of_turn = [&](int turn) -> const StereoFrame& {
    return frames.frames[static_cast<std::size_t>(turn) % frames.frames.size()];
  };
  for (int turn = 0; turn < options.repeat; ++turn) {
    for (const auto& contender : contenders)
      contender->RunAfterAnother(frame_of_turn(turn), frame_of_turn(turn + 1));
  }
  for (const auto& contender : contenders) {
    for (BenchRow& r : contender->rows) {
      const bool has_time = Quantile(r.samples_ms, 1.0) > 0;
      if (r.stage == "frame" || (options.with_stages && has_time)) rows.push_back(std::move(r));
    }
  }
  return rows;
}

void RunBench(BenchOptions& options) {
  CheckFolder(options.json);
  KeepFreedMemory();  // as run does
  if (!options.instruction_set.empty()) cpu::UseInstructionSet(options.instruction_set);
  const Parameters defaults = options.matching.Load().parameters;
  if (options.disparities.empty()) options.disparities = {defaults.matching_cost.num_disparities};
  if (defaults.method == Method::kAdCensus) {
    if (!options.paths.empty())
      throw InvalidArgument(
          "--paths applies to the method sgm only; ad_census always has four: leave it out");
    options.paths = {0};
  }
  if (options.paths.empty()) options.paths = {defaults.aggregation.num_paths};
  BenchFrames real;
  if (!options.source.empty()) real = LoadBenchFrames(options.source, options.kind, options.num_frames);
  CheckFilesApart(real.files, {options.json});
  std::vector<BenchSize> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(ParseSize(text));
  if (sizes.empty()) {
    sizes.push_back({1242, 375});
    if (!real.frames.empty()) {
      const CameraImageView left = ViewOf(real.frames.front().left);
      sizes = {{WidthOf(left), HeightOf(left)}};
    }
  }
  std::vector<BenchRow> rows;
  std::vector<std::string> descriptions;
  for (const BenchSize size : sizes) {
    const BenchFrames frames =
        real.frames.empty() ? MakeBenchFrames(size, options.num_frames) : FitBenchFrames(real, size);
    descriptions.push_back(fmt::format("{}x{}: {}", size.width, size.height, frames.description));
    fmt::print("{}\n", descriptions.back());
    std::fflush(stdout);
    for (const int disparities : options.disparities) {
      std::vector<BenchRow> measured = Measure(options, frames, size, disparities);
      std::move(measured.begin(), measured.end(), std::back_inserter(rows));
    }
  }
  fmt::print("{} runs each, instruction set {}\n{}", options.repeat, cpu::InstructionSetInUse(),
             BenchTable(rows));
  if (options.json.empty()) return;
  WriteTextFile(options.json, BenchJson(rows, descriptions, options.matching.num_threads));
}

}  // namespace

void AddBenchCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure this machine's speed per frame and stage, and compare it with OpenCV's");
  const auto options = std::make_shared<BenchOptions>();
  command->add_option("source", options->source, "Frames to measure with, as for run [a synthetic drive]");
  AddKindOption(*command, options->kind);
  command
      ->add_option(
          "--sizes", options->sizes,
          "Sizes WxH,... to which frames are cropped or tiled [the frames' size; synthetic: 1242x375]")
      ->delimiter(',');
  command->add_option("--disparities", options->disparities, "Numbers of disparities D,... [the config's]")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command->add_option("--paths", options->paths, "Numbers of paths of the method sgm [the config's]")
      ->delimiter(',')
      ->check(CLI::IsMember({4, 8}));
  command->add_option("--backends", options->backends, "Back ends to measure: auto, cpu, cuda, reference")
      ->delimiter(',')
      ->capture_default_str();
  AddParameterOptions(*command, options->matching);
  AddMachineOptions(*command, options->matching, Devices::kSeveral);
  AddRepeatOption(*command, options->repeat);
  command->add_option("--frames", options->num_frames, "Number of the source's frames to cycle through")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option(
      "--instruction-set", options->instruction_set,
      "Instruction set of the cpu back end: AVX3_DL, AVX3, AVX2, SSE4, NEON or SCALAR [the best available]");
  command->add_flag("--stages,!--no-stages", options->with_stages, "Also print a row for each stage (on)");
  command->add_flag("--opencv,!--no-opencv", options->with_opencv,
                    "Also measure OpenCV's StereoSGBM in its four modes, interleaved with the rest");
  AddJsonOption(*command, options->json, "the rows");
  AddBenchCloudCommand(*command);
  command->callback([options, command] {
    if (command->get_subcommands().empty()) RunBench(*options);
  });
}

}  // namespace parallax::app
