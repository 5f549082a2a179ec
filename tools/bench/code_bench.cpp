// What a machine's cores can read and write of PNG, with nothing else to do.
//
//   parallax_code_bench THREADS FRAMES FOLDER DISPARITY.png SOURCE...
//
// Every thread reads pairs of SOURCE (as for `parallax run`) and writes the disparity map once for each into
// FOLDER, as run does. Prints frames per second.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/run/heap.h"
#include "datasets/atomic_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/source.h"
#include "pipeline/error.h"
#include "tools/bench/bench_program.h"

namespace {

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    std::fprintf(stderr, "usage: parallax_code_bench THREADS FRAMES FOLDER DISPARITY.png SOURCE...\n");
    return 2;
  }
  const int num_threads = std::stoi(arguments[0]), num_frames = std::stoi(arguments[1]);
  const std::filesystem::path folder = arguments[2];
  const parallax::HostImage<float> map = parallax::ReadDisparityPng(arguments[3]);
  parallax::app::KeepFreedMemory();  // as run does
  std::filesystem::create_directories(folder);
  const std::unique_ptr<parallax::FrameSource> source =
      parallax::OpenSource({arguments.begin() + 4, arguments.end()}, {});
  std::mutex mutex;
  std::atomic<int> num_done = 0;
  int num_taken = 0;
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < num_threads; ++i) {
      threads.emplace_back([&] {
        while (true) {
          std::unique_lock lock(mutex);
          const std::optional<std::string> name =
              num_taken++ < num_frames ? source->NextName() : std::nullopt;
          if (!name) return;
          const std::function<parallax::StereoFrame()> read = source->Defer();
          lock.unlock();
          const parallax::StereoFrame frame = read();
          const parallax::WithoutWaitingForDisk as_run_does;
          WriteDisparityPng(folder / (*name + ".png"), map.ConstView());
          ++num_done;
        }
      });
    }
  }
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%d frames, %d threads: %.0f frames/s\n", num_done.load(), num_threads, num_done / s);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return parallax::bench::RunProgram("parallax_code_bench", argc, argv, Run);
}
