#include "app/bench/bench_frames.h"

#include <fmt/format.h>

#include <variant>

#include "datasets/source.h"
#include "datasets/synthetic/synthetic_source.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

template <typename T>
CameraImage Fit(const HostImage<T>& image, BenchSize size) {
  HostImage<T> fitted(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    const T* from = image.Row(y % image.height());
    for (int x = 0; x < size.width; ++x) fitted(x, y) = from[x % image.width()];
  }
  return fitted;
}

CameraImage Fit(const CameraImage& image, BenchSize size) {
  return std::visit([&](const auto& i) { return Fit(i, size); }, image);
}

BenchSize SizeOf(const StereoFrame& frame) {
  return {WidthOf(ViewOf(frame.left)), HeightOf(ViewOf(frame.left))};
}

std::vector<StereoFrame> ReadAlike(FrameSource& source, int num_frames) {
  std::vector<StereoFrame> frames;
  while (static_cast<int>(frames.size()) < num_frames && source.NextName()) {
    StereoFrame frame = source.Read();
    if (!frames.empty()) {
      const BenchSize first = SizeOf(frames.front()), size = SizeOf(frame);
      if (first.width != size.width || first.height != size.height) continue;
      if (frames.front().left.index() != frame.left.index()) continue;
    }
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) throw Error("no frame to measure with in the source");
  return frames;
}

}  // namespace

BenchFrames LoadBenchFrames(const std::vector<std::string>& source, const std::string& kind, int num_frames) {
  SourceOptions options;
  options.kind = kind;
  BenchFrames loaded;
  const std::unique_ptr<FrameSource> opened = OpenSource(source, options);
  loaded.files = opened->InputFiles();
  loaded.frames = ReadAlike(*opened, num_frames);
  loaded.description = fmt::format("{} from {}", loaded.frames.front().name, source.front());
  if (loaded.frames.size() > 1) {
    loaded.description = fmt::format("{} frames from {}", loaded.frames.size(), source.front());
  }
  return loaded;
}

BenchFrames MakeBenchFrames(BenchSize size, int num_frames) {
  const std::string spec =
      fmt::format("synthetic:drive,width={},height={},frames={}", size.width, size.height, num_frames);
  return {ReadAlike(*OpenSyntheticSource(spec, {}), num_frames), spec, {}};
}

BenchFrames FitBenchFrames(const BenchFrames& frames, BenchSize size) {
  const BenchSize own = SizeOf(frames.frames.front());
  BenchFrames fitted;
  const bool is_cut = size.width < own.width || size.height < own.height;
  const bool is_tiled = size.width > own.width || size.height > own.height;
  fitted.description = frames.description + (is_cut ? ", cut" : "") + (is_tiled ? ", tiled" : "");
  for (const StereoFrame& frame : frames.frames) {
    StereoFrame copy;
    copy.name = frame.name;
    copy.left = Fit(frame.left, size);
    copy.right = Fit(frame.right, size);
    fitted.frames.push_back(std::move(copy));
  }
  return fitted;
}

}  // namespace parallax::app
