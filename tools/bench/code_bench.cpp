// What a machine's cores can read and write of PNG, with nothing else to do; and what the frame pipeline makes of that
// beside a device that takes a time of its own and no core.
//
//   parallax_code_bench THREADS FRAMES FOLDER DISPARITY SOURCE...
//   parallax_code_bench --device-ms MS THREADS FRAMES FOLDER DISPARITY SOURCE...
//
// Reads pairs of SOURCE (as for `parallax run`) and writes a disparity map for each into FOLDER, as run does, with so many
// threads. DISPARITY is a PNG or a folder of them, whose first hundred are written in turn: those that run wrote of the
// same frames, for a fair comparison, as noisy maps take longer. Prints frames per second and the time that a core spends
// on a frame.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/heap.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/source.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/matchers/device_pool.h"
#include "tools/bench/bench_program.h"

namespace {

using Clock = std::chrono::steady_clock;
using parallax::DisparityMapView;
using parallax::WithoutWaitingForDisk;

// Gives the same map for every frame, one after the other, each the given time after the one before it.
class TimedDevice final : public parallax::MatcherQueue {
 public:
  TimedDevice(const DisparityMapView& map, Clock::duration frame_time, int num_in_flight)
      : map_(map), frame_time_(frame_time), capacity_(static_cast<std::size_t>(num_in_flight)) {}

  void Submit(const parallax::CameraImageView&, const parallax::CameraImageView&) override {
    const std::scoped_lock lock(mutex_);
    last_end_ = std::max(last_end_, Clock::now()) + frame_time_;
    ends_.push_back(last_end_);
  }
  void SubmitWith(const parallax::CameraImageView& left, const parallax::CameraImageView& right,
                  const parallax::ExtraWork&) override {
    Submit(left, right);
  }
  DisparityMapView Collect() override {
    std::unique_lock lock(mutex_);
    const Clock::time_point end = ends_.front();
    lock.unlock();
    std::this_thread::sleep_until(end);
    lock.lock();
    ends_.pop_front();
    return map_;
  }
  parallax::FinishedMap Borrow() override { return {Collect(), std::make_shared<int>()}; }
  std::size_t in_flight() const override {
    const std::scoped_lock lock(mutex_);
    return ends_.size();
  }
  std::size_t capacity() const override { return capacity_; }
  std::size_t memory_bytes() const override { return 0; }

 private:
  const DisparityMapView map_;
  const Clock::duration frame_time_;
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  Clock::time_point last_end_{};
  std::deque<Clock::time_point> ends_;
};

struct Job {
  int num_threads = 0, num_frames = 0;
  std::filesystem::path folder;
  std::vector<parallax::HostImage<float>> maps;
  std::unique_ptr<parallax::FrameSource> source;

  void Write(const std::string& name, std::size_t index) const {
    const WithoutWaitingForDisk as_run_does;
    WriteDisparityPng(folder / (name + ".png"), maps[index % maps.size()].ConstView());
  }
};

std::vector<parallax::HostImage<float>> ReadMaps(const std::filesystem::path& file_or_folder) {
  constexpr std::size_t kMostMaps = 100;
  if (!is_directory(file_or_folder)) {
    std::vector<parallax::HostImage<float>> one;
    one.push_back(parallax::ReadDisparityPng(file_or_folder));
    return one;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(file_or_folder)) {
    if (entry.path().extension() == ".png") files.push_back(entry.path());
  }
  if (files.empty()) throw parallax::Error(file_or_folder.string() + ": holds no disparity maps (*.png)");
  std::sort(files.begin(), files.end());
  files.resize(std::min(files.size(), kMostMaps));
  std::vector<parallax::HostImage<float>> maps;
  for (const std::filesystem::path& file : files) maps.push_back(parallax::ReadDisparityPng(file));
  return maps;
}

// The following return the number of frames that came to their end.
int CodeAlone(Job& job) {
  std::mutex mutex;
  std::atomic<int> num_done = 0;
  int num_taken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < job.num_threads; ++i) {
    threads.emplace_back([&] {
      while (true) {
        std::unique_lock lock(mutex);
        const int index = num_taken++;
        const std::optional<std::string> name =
            index < job.num_frames ? job.source->NextName() : std::nullopt;
        if (!name) return;
        const std::function<parallax::StereoFrame()> read = job.source->Defer();
        lock.unlock();
        const parallax::StereoFrame frame = read();
        job.Write(*name, static_cast<std::size_t>(index));
        ++num_done;
      }
    });
  }
  threads.clear();  // joins
  return num_done;
}

int CodeWhileDeviceRuns(Job& job, double device_ms) {
  const auto frame_time =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(device_ms));
  const parallax::HostImage<std::uint8_t> zeros(job.maps[0].width(), job.maps[0].height(), std::uint8_t{0});
  const DisparityMapView map{job.maps[0].ConstView(), zeros.ConstView(), zeros.ConstView()};
  parallax::DevicePool pool(
      {{"device", [&](const parallax::Parameters&, const parallax::MatcherOptions&,
                      int num) { return std::make_unique<TimedDevice>(map, frame_time, num); }}},
      {});
  int num_done = 0;
  parallax::FrameSteps steps;
  steps.parameters_for = [](const parallax::StereoFrame&) { return parallax::Parameters{}; };
  steps.make_matcher = [&](const parallax::Parameters& parameters, const parallax::MatcherOptions& options) {
    constexpr int kInFlight = 6;
    return pool.MakeQueue(parameters, options, kInFlight);
  };
  steps.write = [&](const parallax::MatchedFrame& matched, parallax::FrameReport&) {
    job.Write(matched.frame.name, matched.index);
  };
  steps.report = [&](const parallax::FrameReport& report) {
    if (report.outcome == parallax::FrameOutcome::kDone) ++num_done;
  };
  RunFrames(std::move(job.source), steps,
            {.max_frames = static_cast<std::size_t>(job.num_frames),
             .num_writers = job.num_threads,
             .num_readers = job.num_threads});
  return num_done;
}

double CoreSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

int Run(std::vector<std::string> arguments) {
  std::optional<double> device_ms;
  if (arguments.size() > 1 && arguments.front() == "--device-ms") {
    device_ms = std::stod(arguments[1]);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.size() < 5) {
    std::fprintf(stderr,
                 "usage: parallax_code_bench [--device-ms MS] THREADS FRAMES FOLDER DISPARITY SOURCE...\n");
    return 2;
  }
  Job job{std::stoi(arguments[0]), std::stoi(arguments[1]), arguments[2], ReadMaps(arguments[3]), nullptr};
  parallax::app::KeepFreedMemory();  // as run does
  std::filesystem::create_directories(job.folder);
  job.source = parallax::OpenSource({arguments.begin() + 4, arguments.end()}, {});
  const double core_s_before = CoreSeconds();
  const auto start = Clock::now();
  const int num_done = device_ms ? CodeWhileDeviceRuns(job, *device_ms) : CodeAlone(job);
  const double s = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("%d frames, %d threads: %.0f frames/s, %.2f ms of a core each\n", num_done, job.num_threads,
              num_done / s, 1e3 * (CoreSeconds() - core_s_before) / std::max(num_done, 1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return parallax::bench::RunProgram("parallax_code_bench", argc, argv, Run);
}
