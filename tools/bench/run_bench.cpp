// The parts of `parallax run` on the CPU, each alone: reading pairs, matching them, writing disparity maps.
//
//   parallax_run_bench DISPARITIES FRAMES SOURCE...
//
// SOURCE as for `parallax run`, of one size; its first few frames are taken again and again. Prints
// milliseconds a frame, means over FRAMES: reading a pair (one thread), matching with a frame in flight for
// each thread, as run does it, and writing the KITTI PNG (one thread) into a folder of its own below $TMPDIR.
// Reading takes the files from the system's cache. tools/bench/end_to_end.py runs it beside the program.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/heap.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher_queue.h"
#include "tools/bench/bench_program.h"

namespace {

using parallax::DisparityMap;
using parallax::StereoFrame;

constexpr std::size_t kMostFrames = 3;

// Milliseconds of one call.
template <typename F>
double MeanOf(int num_frames, const F& body) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < num_frames; ++i) body(static_cast<std::size_t>(i));
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count() / num_frames;
}

double TimeOfReading(const std::vector<std::string>& source, int num_frames) {
  std::unique_ptr<parallax::FrameSource> frames;
  return MeanOf(num_frames, [&](std::size_t i) {
    if (i % kMostFrames == 0) frames = parallax::OpenSource(source, {});
    if (frames->NextName()) frames->Read();
  });
}

// The disparities of the frames, and milliseconds each.
double TimeOfMatching(const std::vector<StereoFrame>& frames, int num_disparities, int num_frames,
                      std::vector<DisparityMap>& maps) {
  parallax::Parameters parameters;
  parameters.matching_cost.num_disparities = num_disparities;
  const auto first = ViewOf(frames.front().left);
  const auto queue =
      parallax::MakeCpuMatcherQueue(parameters, {.width = WidthOf(first), .height = HeightOf(first)},
                                    std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  const auto submit = [&](std::size_t i) {
    if (queue->in_flight() == queue->capacity()) queue->Take();
    const StereoFrame& frame = frames[i % frames.size()];
    queue->Submit(ViewOf(frame.left), ViewOf(frame.right));
  };
  const auto drain = [&](std::vector<DisparityMap>* to) {
    while (queue->in_flight() > 0) {
      DisparityMap map = queue->Take();
      if (to != nullptr) to->push_back(std::move(map));
    }
  };
  for (std::size_t i = 0; i < std::min(frames.size(), queue->capacity()); ++i) submit(i);
  drain(&maps);  // warm
  return MeanOf(1,
                [&](std::size_t) {
                  for (std::size_t i = 0; i < static_cast<std::size_t>(num_frames); ++i) submit(i);
                  drain(nullptr);
                }) /
         num_frames;
}

double TimeOfWriting(const std::vector<DisparityMap>& maps, int num_frames) {
  std::string folder = (std::filesystem::temp_directory_path() / "parallax_run_bench_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw parallax::Error(folder + ": cannot be made");
  const double ms = MeanOf(num_frames, [&](std::size_t i) {
    WriteDisparityPng(std::filesystem::path(folder) / (std::to_string(i) + ".png"),
                      maps[i % maps.size()].disparity.ConstView());
  });
  std::filesystem::remove_all(folder);
  return ms;
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: parallax_run_bench DISPARITIES FRAMES SOURCE...\n");
    return 2;
  }
  const int num_disparities = std::stoi(arguments[0]), num_frames = std::max(1, std::stoi(arguments[1]));
  const std::vector<std::string> names(arguments.begin() + 2, arguments.end());
  parallax::app::KeepFreedMemory();  // as run does
  std::vector<StereoFrame> frames;
  const auto source = parallax::OpenSource(names, {});
  while (frames.size() < kMostFrames && source->NextName()) frames.push_back(source->Read());
  if (frames.empty()) throw parallax::Error(names[0] + ": holds no frames");
  std::vector<DisparityMap> maps;
  const double match_ms = TimeOfMatching(frames, num_disparities, num_frames, maps);
  std::printf("read %.3f match %.3f write %.3f\n", TimeOfReading(names, num_frames), match_ms,
              TimeOfWriting(maps, num_frames));
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return parallax::bench::RunProgram("parallax_run_bench", argc, argv, Run); }
