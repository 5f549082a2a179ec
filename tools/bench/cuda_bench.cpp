// parallax_cuda_bench: times of the cuda back end on this machine, device-resident and host to host.
// Self-contained, so that it can be carried to a GPU machine (docs/gpu.md).
//
//   parallax_cuda_bench [--pair LEFT.pgm RIGHT.pgm] [--case WxH,D,PATHS[,WINDOW]]... [--filters] [--repeat N]
//                       [--streams N]... [--json FILE]
// Without --case: the sizes of docs/gpu.md. Without --pair: shifted noise. Images are padded or cut to the
// size.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuda/cuda_matcher.h"
#include "cuda/device.h"
#include "cuda/frame_slot.h"
#include "pipeline/error.h"

namespace parallax {
namespace {

using Image = HostImage<std::uint8_t>;

struct Case {
  int width, height, disparities, paths;
  CensusWindow window = CensusWindow::kCenterSymmetric9x7;
};

struct Options {
  std::string left, right, json;
  std::vector<Case> cases;
  std::vector<int> streams{1, 2, 3};
  bool filters = false;
  bool host = true;
  int repeat = 200;
};

struct Spread {
  double median_ms = 0, p10_ms = 0, p90_ms = 0;
};

Spread SpreadOf(std::vector<float> ms) {
  std::sort(ms.begin(), ms.end());
  const auto at = [&](std::size_t percent) {
    return static_cast<double>(ms[(ms.size() - 1) * percent / 100]);
  };
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

Parameters ParametersOf(const Case& c, bool filters) {
  Parameters p;
  p.census_transform.window = c.window;
  p.matching_cost.num_disparities = c.disparities;
  p.aggregation.num_paths = c.paths;
  p.filter.median = 3;
  p.filter.fill = filters;
  p.filter.speckle_size = filters ? 100 : 0;
  return p;
}

class Report {
 public:
  Report(const Case& c, double memory_mb, std::vector<std::string>& rows)
      : case_(c), memory_mb_(memory_mb), rows_(rows) {}
  void Add(const std::string& stage, const Spread& s) {
    char row[512];
    std::snprintf(
        row, sizeof(row),
        "{\"backend\": \"cuda\", \"width\": %d, \"height\": %d, \"disparities\": %d, \"paths\": %d, "
        "\"stage\": \"%s\", \"median_ms\": %.4f, \"p10_ms\": %.4f, \"p90_ms\": %.4f, \"memory_mb\": %.1f}",
        case_.width, case_.height, case_.disparities, case_.paths, stage.c_str(), s.median_ms, s.p10_ms,
        s.p90_ms, memory_mb_);
    rows_.push_back(row);
  }

 private:
  Case case_;
  double memory_mb_;
  std::vector<std::string>& rows_;
};

// One frame's buffers and graph, images already on the device.
class Resident {
 public:
  Resident(const Parameters& parameters, const Image& left, const Image& right)
      : pipeline_(parameters, left.width(), left.height()),
        left_(left.width(), left.height()),
        right_(left.width(), left.height()) {
    cuda::UploadAsync(left.ConstView(), left_.View(), stream_.get());
    cuda::UploadAsync(right.ConstView(), right_.View(), stream_.get());
    cuda::Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    graph_.Capture(stream_.get(), [&] { Enqueue({}); });
  }
  void Enqueue(const cuda::StereoPipeline::Observer& observer) {
    pipeline_.Enqueue(left_.ConstView(), right_.ConstView(), stream_.get(), observer);
  }
  void Launch() { graph_.Launch(stream_.get()); }
  void Wait() { cuda::Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }
  cudaStream_t stream() const { return stream_.get(); }
  const cuda::StereoPipeline& pipeline() const { return pipeline_; }

 private:
  cuda::Stream stream_;
  cuda::StereoPipeline pipeline_;
  cuda::DeviceImage<std::uint8_t> left_, right_;
  cuda::Graph graph_;
};

float ElapsedMs(const cuda::Event& from, const cuda::Event& to) {
  float ms = 0;
  cuda::Check(cudaEventElapsedTime(&ms, from.get(), to.get()), "cudaEventElapsedTime");
  return ms;
}

Spread FrameLatency(Resident& frame, int repeat) {
  cuda::Event start(true), end(true);
  std::vector<float> ms;
  for (int i = 0; i < repeat + 20; ++i) {
    start.Record(frame.stream());
    frame.Launch();
    end.Record(frame.stream());
    frame.Wait();
    if (i >= 20) ms.push_back(ElapsedMs(start, end));
  }
  return SpreadOf(ms);
}

// Per step, launched one after the other without a graph, far enough ahead that launching is hidden.
std::vector<Spread> StepTimes(Resident& frame, int repeat) {
  constexpr auto kSteps = static_cast<std::size_t>(cuda::Step::kCount);
  std::vector<std::vector<float>> ms(kSteps);
  for (int round = 0; round < repeat; round += 20) {
    std::vector<cuda::Event> events;
    std::vector<cuda::Step> steps;  // what each event ends; kCount: a frame begins
    for (std::size_t i = 0; i < 20 * (kSteps + 1); ++i) events.emplace_back(true);
    const auto record = [&](cuda::Step step) {
      events[steps.size()].Record(frame.stream());
      steps.push_back(step);
    };
    for (int i = 0; i < 20; ++i) {
      record(cuda::Step::kCount);
      frame.Enqueue(record);
    }
    frame.Wait();
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (steps[i] == cuda::Step::kCount) continue;
      ms[static_cast<std::size_t>(steps[i])].push_back(ElapsedMs(events[i - 1], events[i]));
    }
  }
  std::vector<Spread> spreads;
  for (const auto& step : ms) spreads.push_back(step.empty() ? Spread{} : SpreadOf(step));
  return spreads;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Frames a second with one frame in flight on each of several streams, all on the device.
double ResidentRate(std::vector<std::unique_ptr<Resident>>& frames, int num_streams, int count) {
  const auto run = [&](int n) {
    for (int i = 0; i < n; ++i) frames[static_cast<std::size_t>(i % num_streams)]->Launch();
    for (int i = 0; i < num_streams; ++i) frames[static_cast<std::size_t>(i)]->Wait();
  };
  run(4 * num_streams);
  const auto start = std::chrono::steady_clock::now();
  run(count);
  return count / SecondsSince(start);
}

// Frames a second from page-locked pixels to page-locked results, uploads and downloads included.
double PinnedRate(const Parameters& parameters, const Image& left, const Image& right, int num_slots,
                  int count) {
  std::vector<std::unique_ptr<cuda::FrameSlot>> slots;
  for (int i = 0; i < num_slots; ++i) {
    slots.push_back(std::make_unique<cuda::FrameSlot>(parameters, left.width(), left.height()));
    slots.back()->Start(CameraImageView(left.ConstView()), CameraImageView(right.ConstView()));
    slots.back()->Wait();
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    cuda::FrameSlot& slot = *slots[static_cast<std::size_t>(i % num_slots)];
    slot.Wait();
    slot.Restart();
  }
  for (auto& slot : slots) slot->Wait();
  return count / SecondsSince(start);
}

// The same through a MatcherQueue, which copies the caller's pixels into page-locked memory first.
double QueueRate(const Parameters& parameters, const Image& left, const Image& right, int in_flight,
                 int count) {
  const auto queue =
      MakeCudaFrameQueue(parameters, {.width = left.width(), .height = left.height()}, in_flight);
  const auto run = [&](int n) {
    for (int i = 0; i < n; ++i) {
      if (queue->in_flight() == queue->capacity()) queue->Collect();
      queue->Submit(CameraImageView(left.ConstView()), CameraImageView(right.ConstView()));
    }
    while (queue->in_flight() > 0) queue->Collect();
  };
  run(2 * in_flight + 2);
  const auto start = std::chrono::steady_clock::now();
  run(count);
  return count / SecondsSince(start);
}

void RunCase(const Options& options, const Case& c, std::vector<std::string>& rows) {
  const Parameters parameters = ParametersOf(c, options.filters);
  Image left, right;
  if (options.left.empty()) {
    std::tie(left, right) = NoisePair(c.width, c.height);
  } else {
    left = Fitted(ReadPgm(options.left), c.width, c.height);
    right = Fitted(ReadPgm(options.right), c.width, c.height);
  }
  const int most_streams = *std::max_element(options.streams.begin(), options.streams.end());
  std::vector<std::unique_ptr<Resident>> frames;
  for (int i = 0; i < most_streams; ++i)
    frames.push_back(std::make_unique<Resident>(parameters, left, right));
  const double memory_mb = static_cast<double>(frames[0]->pipeline().memory_bytes()) / 1e6;
  Report report(c, memory_mb, rows);

  const Spread latency = FrameLatency(*frames[0], options.repeat);
  report.Add("frame", latency);
  std::printf("%dx%d D %d, %d paths%s: %.3f ms (%.3f .. %.3f), %.0f MB;", c.width, c.height, c.disparities,
              c.paths, options.filters ? ", speckle and fill" : "", latency.median_ms, latency.p10_ms,
              latency.p90_ms, memory_mb);
  const int count = std::clamp(static_cast<int>(300.0 / latency.median_ms), 60, 1500);
  for (const int n : options.streams) std::printf(" %d streams %.0f/s", n, ResidentRate(frames, n, count));
  if (options.host) {
    frames.resize(1);
    std::printf("; host to host %.0f/s, through the queue %.0f/s",
                PinnedRate(parameters, left, right, 3, count), QueueRate(parameters, left, right, 3, count));
  }
  std::printf("\n   ");
  const std::vector<Spread> steps = StepTimes(*frames[0], options.repeat);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].median_ms == 0) continue;  // fused with the next
    report.Add(cuda::kStepNames[s], steps[s]);
    std::printf(" %s %.1f", cuda::kStepNames[s], 1000 * steps[s].median_ms);
  }
  std::printf(" us\n");
  std::fflush(stdout);
}

CensusWindow WindowOf(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kCensusWindowNames); ++i) {
    if (name == kCensusWindowNames[i]) return static_cast<CensusWindow>(i);
  }
  throw InvalidArgument("unknown window " + name);
}

Options Parse(int argc, char** argv) {
  Options options;
  bool own_streams = false;
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
      Case c{};
      char window[16] = "cs9x7";
      const std::string text = value(i);
      if (std::sscanf(text.c_str(), "%dx%d,%d,%d,%15s", &c.width, &c.height, &c.disparities, &c.paths,
                      window) < 4) {
        throw InvalidArgument("--case " + text + ": write WxH,D,PATHS[,WINDOW]");
      }
      c.window = WindowOf(window);
      options.cases.push_back(c);
    } else if (option == "--filters") {
      options.filters = true;
    } else if (option == "--device-only") {
      options.host = false;
    } else if (option == "--repeat") {
      options.repeat = std::max(20, std::atoi(value(i).c_str()));
    } else if (option == "--streams") {
      if (!own_streams) options.streams.clear();
      own_streams = true;
      options.streams.push_back(std::max(1, std::atoi(value(i).c_str())));
    } else if (option == "--json") {
      options.json = value(i);
    } else {
      throw InvalidArgument("unknown option " + option);
    }
  }
  if (options.cases.empty()) {
    options.cases = {{1242, 375, 128, 8},
                     {1242, 375, 128, 4},
                     {1242, 375, 256, 8},
                     {1920, 1080, 128, 8},
                     {1920, 1080, 256, 8}};
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
