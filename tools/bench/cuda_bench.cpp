// parallax_cuda_bench: times of the cuda back end on this machine, device-resident and host to host.
// Self-contained, so that it can be carried to a GPU machine (docs/gpu.md).
//
//   parallax_cuda_bench [--pair LEFT.pgm RIGHT.pgm] [--case WxH,D,PATHS[,WINDOW]]... [--filters]
//                       [--size WxH] [--config PRESET[,KEY=VALUE]...]... [--repeat N] [--streams N]
//                       [--no-rates] [--raw] [--json FILE] [--pair-rows-from N]
// --raw: also how many pairs a second are rectified and matched, host to host, as if the images were those of
// bent lenses: on the device, there with depth and cloud, and by one thread of the host before they go there.
// --config: whole frames with the parameters of a preset or a YAML file, of the size named before it, else
// 1242x375. Without --case and --config: the sizes of docs/benchmarks.md. Without --pair: noise. Images are
// padded or cut to the size.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/parameters_yaml.h"
#include "cuda/device/device.h"
#include "cuda/matcher/frame_benchmark.h"
#include "cuda/matcher/tuned_matcher.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"

namespace parallax {
namespace {

using Image = HostImage<std::uint8_t>;

struct Case {
  int width = 0, height = 0;
  Parameters parameters;
  std::string config;  // whose parameters they are; empty: of no configuration
};

struct Options {
  std::string left, right, json;
  std::vector<Case> cases;
  int streams = 3;
  bool rates = true;
  bool raw = false;
  int repeat = 200;
  CudaTuning tuning;
};

struct Spread {
  double median_ms = 0, p10_ms = 0, p90_ms = 0;
};

Spread SpreadOf(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const auto at = [&](std::size_t percent) { return ms[(ms.size() - 1) * percent / 100]; };
  return {at(50), at(10), at(90)};
}

Image ReadPgm(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, largest = 0;
  file >> magic >> width >> height >> largest;
  file.get();
  if (!file || magic != "P5" || largest != 255) throw Error(path + ": not an 8-bit binary PGM");
  Image image(width, height);
  for (int y = 0; y < height; ++y) file.read(reinterpret_cast<char*>(image.Row(y)), width);
  if (!file) throw Error(path + ": ends too early");
  return image;
}

// The image cut or mirrored to the size, so that padding is textured like the rest.
Image Fitted(const Image& image, int width, int height) {
  const auto mirrored = [](int i, int size) { return i / size % 2 == 0 ? i % size : size - 1 - i % size; };
  Image fitted(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x)
      fitted(x, y) = image(mirrored(x, image.width()), mirrored(y, image.height()));
  }
  return fitted;
}

std::pair<Image, Image> NoisePair(int width, int height) {
  std::mt19937 random(7);
  Image left(width, height), right(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) right(x, y) = static_cast<std::uint8_t>(random());
    for (int x = 0; x < width; ++x) left(x, y) = right(std::max(0, x - 5 - 40 * y / height), y);
  }
  return {std::move(left), std::move(right)};
}

// Selection, consistency and median, without what follows them in the presets.
Case BareCase(int width, int height, int num_disparities, int num_paths,
              CensusWindow window = CensusWindow::kCenterSymmetric9x7) {
  Case bare{.width = width, .height = height, .parameters = {}, .config = {}};
  bare.parameters.census_transform.window = window;
  bare.parameters.matching_cost.num_disparities = num_disparities;
  bare.parameters.matching_cost.gradient_weight = 0;
  bare.parameters.aggregation = {.num_paths = num_paths,
                                 .p1 = 6,
                                 .p2 = 64,
                                 .p2_min = 0,
                                 .p2_slope = 0,
                                 .p1_ground_percent = 100,
                                 .p2_vertical_percent = 100};
  bare.parameters.filter = {.speckle_size = 0, .fill = false, .median = 3};
  bare.parameters.refinement = {.planes = false, .smoothing_passes = 0};
  return bare;
}

// text: PRESET[,KEY=VALUE]...
Case ConfigCase(int width, int height, const std::string& text) {
  std::istringstream parts(text);
  Case configured{.width = width, .height = height, .parameters = {}, .config = {}};
  std::getline(parts, configured.config, ',');
  std::vector<std::string> assignments;
  for (std::string assignment; std::getline(parts, assignment, ',');) assignments.push_back(assignment);
  configured.parameters = LoadChosenParameters(configured.config, assignments).parameters;
  return configured;
}

class Report {
 public:
  Report(const Case& c, double memory_mb, std::vector<std::string>& rows)
      : case_(c), memory_mb_(memory_mb), rows_(rows) {}
  // A stage with its floor, where it has one.
  void Add(const std::string& stage, const Spread& s, const StageWork& work = {},
           const StageFloor& floor = {}) {
    char row[512];
    std::snprintf(
        row, sizeof(row),
        "{\"backend\": \"cuda\", \"config\": \"%s\", \"width\": %d, \"height\": %d, \"disparities\": %d, "
        "\"paths\": %d, \"stage\": \"%s\", \"median_ms\": %.4f, \"p10_ms\": %.4f, \"p90_ms\": %.4f, "
        "\"memory_mb\": %.1f",
        case_.config.c_str(), case_.width, case_.height, case_.parameters.matching_cost.num_disparities,
        case_.parameters.aggregation.num_paths, stage.c_str(), s.median_ms, s.p10_ms, s.p90_ms, memory_mb_);
    rows_.push_back(row);
    if (floor.ms > 0) {
      std::snprintf(row, sizeof(row),
                    ", \"bytes\": %.0f, \"packed_operations\": %.0f, \"population_counts\": %.0f, "
                    "\"shuffles\": %.0f, \"reductions\": %.0f, \"floor_ms\": %.4f, \"floor_bound\": \"%.*s\"",
                    work.bytes, work.packed_operations, work.population_counts, work.shuffles,
                    work.reductions, floor.ms, static_cast<int>(floor.bound.size()), floor.bound.data());
      rows_.back() += row;
    }
    rows_.back() += "}";
  }

 private:
  Case case_;
  double memory_mb_;
  std::vector<std::string>& rows_;
};

// Cameras of that size with bent images, a little turned against each other.
RawRig BentRig(int width, int height) {
  RawRig rig;
  rig.left = {.width_px = width,
              .height_px = height,
              .fx_px = 0.7 * width,
              .fy_px = 0.7 * width,
              .cx_px = 0.5 * width,
              .cy_px = 0.5 * height,
              .lens = LensModel::kPlumbBob,
              .distortion = {-0.28, 0.09, 0.0006, -0.0004, -0.012}};
  rig.right = rig.left;
  rig.right_from_left = RotationOf({0.012, -0.02, 0.008});
  rig.translation_m = {-0.12, 0.001, 0.002};
  return rig;
}

// Pairs a second of three rounds: the median. submit: hands in the next pair.
double RateThrough(MatcherQueue& queue, int count, const std::function<void()>& submit) {
  const auto collect = [&] {
    queue.Collect();
    queue.TakeExtraResults();
  };
  std::vector<double> rates;
  for (int round = 0; round < 4; ++round) {  // the first to warm up
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      if (queue.in_flight() == queue.capacity()) collect();
      submit();
    }
    while (queue.in_flight() > 0) collect();
    if (round > 0)
      rates.push_back(count /
                      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(rates.begin(), rates.end());
  return rates[1];
}

void RunRaw(const Options& options, const Case& c, const Image& left, const Image& right) {
  const auto rectifier =
      std::make_shared<const Rectifier>(BentRig(c.width, c.height), RectificationOptions{.zoom = 0.8});
  const auto queue = MakeTunedCudaFrameQueue(c.parameters, {.width = c.width, .height = c.height},
                                             options.streams, options.tuning);
  const CameraImageView raw_left = left.ConstView(), raw_right = right.ConstView();
  constexpr int kPairs = 400;
  const double on_device =
      RateThrough(*queue, kPairs, [&] { queue->SubmitWith(raw_left, raw_right, {.rectifier = rectifier}); });
  const double with_cloud = RateThrough(*queue, kPairs, [&] {
    queue->SubmitWith(
        raw_left, raw_right,
        {.rectifier = rectifier, .reprojection = WantedReprojection{rectifier->rectification().rig, true}});
  });
  const double on_host = RateThrough(*queue, kPairs, [&] {
    const CameraImage rectified_left = rectifier->RectifyLeft(raw_left);
    const CameraImage rectified_right = rectifier->RectifyRight(raw_right);
    queue->Submit(ViewOf(rectified_left), ViewOf(rectified_right));
  });
  std::printf(
      "    raw pairs, host to host, %d in flight: rectified and matched %.0f/s; with depth and cloud %.0f/s; "
      "rectified by one host thread first %.0f/s\n",
      options.streams, on_device, with_cloud, on_host);
  std::fflush(stdout);
}

void RunCase(const Options& options, const Case& c, std::vector<std::string>& rows) {
  const Parameters& parameters = c.parameters;
  Image left, right;
  if (options.left.empty()) {
    std::tie(left, right) = NoisePair(c.width, c.height);
  } else {
    left = Fitted(ReadPgm(options.left), c.width, c.height);
    right = Fitted(ReadPgm(options.right), c.width, c.height);
  }
  const CudaFrameTimes times =
      MeasureCudaFrames(parameters, {.width = c.width, .height = c.height}, CameraImageView(left.ConstView()),
                        CameraImageView(right.ConstView()),
                        {.repeat = options.repeat,
                         .num_streams = options.streams,
                         .rates = options.rates,
                         .tuning = options.tuning});
  Report report(c, times.memory_mb, rows);
  const Spread latency = SpreadOf(times.resident_ms), host = SpreadOf(times.host_ms);
  report.Add("frame", latency);
  report.Add("frame_host", host);
  std::printf("%dx%d D %d, %d paths%s%s: %.3f ms (%.3f .. %.3f), host to host %.3f ms, %.0f MB;", c.width,
              c.height, parameters.matching_cost.num_disparities, parameters.aggregation.num_paths,
              c.config.empty() ? "" : ", ", c.config.c_str(), latency.median_ms, latency.p10_ms,
              latency.p90_ms, host.median_ms, times.memory_mb);
  for (std::size_t i = 0; i < times.resident_rates.size(); ++i)
    std::printf(" %zu streams %.0f/s", i + 1, times.resident_rates[i]);
  if (options.rates)
    std::printf("; host to host %.0f/s, through the queue %.0f/s", times.pinned_rate, times.queue_rate);
  std::printf("\n    steps, each alone, us (floor; in a frame they overlap):");
  double floors_ms = 0;
  for (const CudaFrameTimes::Step& step : times.steps) {
    const Spread spread = SpreadOf(step.samples_ms);
    report.Add(std::string(step.name), spread, step.work, step.floor);
    floors_ms += step.floor.ms;
    std::printf(" %.*s %.1f (%.*s %.1f, %.1fx)", static_cast<int>(step.name.size()), step.name.data(),
                1000 * spread.median_ms, static_cast<int>(step.floor.bound.size()), step.floor.bound.data(),
                1000 * step.floor.ms, spread.median_ms / step.floor.ms);
  }
  std::printf(";\n    floors together %.1f us, the frame %.1fx that; copies %.2f TB/s, %.2f GHz\n",
              1000 * floors_ms, latency.median_ms / floors_ms, times.rates.bytes_per_s / 1e12,
              times.rates.clock_hz / 1e9);
  std::fflush(stdout);
  if (options.raw) RunRaw(options, c, left, right);
}

CensusWindow WindowOf(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kCensusWindowNames); ++i) {
    if (name == kCensusWindowNames[i]) return static_cast<CensusWindow>(i);
  }
  throw InvalidArgument("unknown window " + name);
}

Options Parse(int argc, char** argv) {
  Options options;
  bool filters = false;
  int width = 1242, height = 375;
  const auto value = [&](int& i) -> std::string {
    if (i + 1 >= argc) throw InvalidArgument(std::string(argv[i]) + " needs a value");
    return argv[++i];
  };
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--pair") {
      options.left = value(i);
      options.right = value(i);
    } else if (option == "--case") {
      int case_width = 0, case_height = 0, num_disparities = 0, num_paths = 0;
      char window[16] = "cs9x7";
      const std::string text = value(i);
      if (std::sscanf(text.c_str(), "%dx%d,%d,%d,%15s", &case_width, &case_height, &num_disparities,
                      &num_paths, window) < 4) {
        throw InvalidArgument("--case " + text + ": write WxH,D,PATHS[,WINDOW]");
      }
      options.cases.push_back(
          BareCase(case_width, case_height, num_disparities, num_paths, WindowOf(window)));
    } else if (option == "--config") {
      options.cases.push_back(ConfigCase(width, height, value(i)));
    } else if (option == "--size") {
      const std::string text = value(i);
      if (std::sscanf(text.c_str(), "%dx%d", &width, &height) < 2) {
        throw InvalidArgument("--size " + text + ": write WxH, as in 640x480");
      }
    } else if (option == "--filters") {
      filters = true;
    } else if (option == "--pair-rows-from") {
      options.tuning.pairs_rows_from = std::atoi(value(i).c_str());
    } else if (option == "--no-rates") {
      options.rates = false;
    } else if (option == "--raw") {
      options.raw = true;
    } else if (option == "--repeat") {
      options.repeat = std::max(20, std::atoi(value(i).c_str()));
    } else if (option == "--streams") {
      options.streams = std::max(1, std::atoi(value(i).c_str()));
    } else if (option == "--json") {
      options.json = value(i);
    } else {
      throw InvalidArgument("unknown option " + option);
    }
  }
  if (options.cases.empty()) {
    options.cases = {BareCase(1242, 375, 128, 8), BareCase(1242, 375, 128, 4), BareCase(1242, 375, 256, 8),
                     BareCase(1920, 1080, 128, 8), BareCase(1920, 1080, 256, 8)};
  }
  if (filters) {
    for (Case& c : options.cases) {
      if (!c.config.empty()) continue;
      c.parameters.filter.fill = true;
      c.parameters.filter.speckle_size = 100;
    }
  }
  return options;
}

void Run(const Options& options) {
  SelectCudaDevice(0);
  for (const CudaDeviceInfo& device : ListCudaDevices()) {
    std::printf("device %d: %s, %d multiprocessors, %.0f GB\n", device.index, device.name.c_str(),
                device.num_multiprocessors, static_cast<double>(device.total_memory_bytes) / 1e9);
  }
  std::vector<std::string> rows;
  for (const Case& c : options.cases) RunCase(options, c, rows);
  if (options.json.empty()) return;
  std::ofstream file(options.json);
  file << "{\"rows\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) file << rows[i] << (i + 1 < rows.size() ? ",\n" : "\n");
  file << "]}\n";
  if (!file) throw Error("cannot write " + options.json);
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  try {
    parallax::Run(parallax::Parse(argc, argv));
  } catch (const parallax::InvalidArgument& error) {
    std::fprintf(stderr, "parallax_cuda_bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax_cuda_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
