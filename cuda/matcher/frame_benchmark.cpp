#include "cuda/matcher/frame_benchmark.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "cuda/device/device.h"
#include "cuda/matcher/cuda_matcher.h"
#include "cuda/matcher/frame_slot.h"
#include "cuda/matcher/tuned_matcher.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax {
namespace {

constexpr int kWarmUp = 20;

double ElapsedMs(const cuda::Event& from, const cuda::Event& to) {
  float ms = 0;
  cuda::Check(cudaEventElapsedTime(&ms, from.get(), to.get()), "cudaEventElapsedTime");
  return static_cast<double>(ms);
}

int BytesPerPixel(const CameraImageView& image) {
  return std::visit([](const auto& view) { return static_cast<int>(sizeof(*view.data)); }, image);
}

// Times of count calls, after some to warm up.
std::vector<double> Sample(int count, const std::function<double()>& time_once) {
  for (int i = 0; i < kWarmUp; ++i) time_once();
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(time_once());
  return samples;
}

// One image on the device.
class UploadedImage {
 public:
  UploadedImage(const CameraImageView& image, cudaStream_t stream) {
    std::visit(
        [&](const auto& view) {
          using Pixel = std::remove_const_t<std::remove_pointer_t<decltype(view.data)>>;
          auto& own = image_.emplace<cuda::DeviceImage<Pixel>>(view.width, view.height);
          cuda::UploadAsync(view, own.View(), stream);
        },
        image);
  }
  cuda::DeviceCameraImage View() const {
    return std::visit([](const auto& image) -> cuda::DeviceCameraImage { return image.ConstView(); }, image_);
  }

 private:
  std::variant<cuda::DeviceImage<std::uint8_t>, cuda::DeviceImage<std::uint16_t>, cuda::DeviceImage<Rgb8>>
      image_;
};

// One frame's buffers and graph, images already on the device.
class ResidentFrame {
 public:
  ResidentFrame(const Parameters& parameters, const CameraImageView& left, const CameraImageView& right,
                const CudaTuning& tuning)
      : pipeline_(parameters, WidthOf(left), HeightOf(left), tuning),
        left_(left, stream_.get()),
        right_(right, stream_.get()) {
    Wait();
    graph_.Capture(stream_.get(), [&] { Enqueue({}); });
  }
  void Enqueue(const cuda::StepObserver& observer) {
    pipeline_.Enqueue(left_.View(), right_.View(), stream_.get(), observer);
  }
  void Launch() { graph_.Launch(stream_.get()); }
  void Wait() { cuda::Check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }
  cudaStream_t stream() const { return stream_.get(); }
  const cuda::StereoPipeline& pipeline() const { return pipeline_; }

 private:
  cuda::Stream stream_;
  cuda::StereoPipeline pipeline_;
  UploadedImage left_, right_;
  cuda::Graph graph_;
};

std::vector<double> LatencyOf(ResidentFrame& frame, int repeat) {
  cuda::Event start(true), end(true);
  return Sample(repeat, [&] {
    start.Record(frame.stream());
    frame.Launch();
    end.Record(frame.stream());
    frame.Wait();
    return ElapsedMs(start, end);
  });
}

// Launched some frames ahead, so that the time of launching is hidden.
std::vector<CudaFrameTimes::Step> TimeSteps(ResidentFrame& frame, int repeat) {
  constexpr auto kNumSteps = static_cast<std::size_t>(cuda::Step::kCount);
  constexpr int kFramesAhead = 20;
  std::vector<CudaFrameTimes::Step> all;
  for (const char* name : cuda::kStepNames) all.emplace_back().name = name;
  for (int done = 0; done < repeat; done += kFramesAhead) {
    std::vector<cuda::Event> events;
    std::vector<cuda::Step> steps;  // what each event ends; kCount: a frame begins
    for (std::size_t i = 0; i < kFramesAhead * (kNumSteps + 1); ++i) events.emplace_back(true);
    const auto record = [&](cuda::Step step) {
      events[steps.size()].Record(frame.stream());
      steps.push_back(step);
    };
    for (int i = 0; i < kFramesAhead; ++i) {
      record(cuda::Step::kCount);
      frame.Enqueue(record);
    }
    frame.Wait();
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (steps[i] == cuda::Step::kCount) continue;
      all[static_cast<std::size_t>(steps[i])].samples_ms.push_back(ElapsedMs(events[i - 1], events[i]));
    }
  }
  std::vector<CudaFrameTimes::Step> launched;
  for (CudaFrameTimes::Step& step : all) {
    if (!step.samples_ms.empty()) launched.push_back(std::move(step));
  }
  return launched;
}

// What a copy within the device's memory reaches, and what the device says of itself.
DeviceRates MeasureRates() {
  constexpr std::size_t kBytes = std::size_t{1} << 28;
  DeviceRates rates;
  {
    cuda::Stream stream;
    cuda::Event start(true), end(true);
    cuda::DeviceBuffer<std::uint8_t> from(kBytes), to(kBytes);
    std::vector<double> ms = Sample(kWarmUp, [&] {
      start.Record(stream.get());
      cuda::Check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream.get()),
                  "cudaMemcpyAsync");
      end.Record(stream.get());
      cuda::Check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
      return ElapsedMs(start, end);
    });
    std::nth_element(ms.begin(), ms.begin() + kWarmUp / 2, ms.end());
    rates.bytes_per_s = 2.0 * kBytes / (ms[kWarmUp / 2] / 1000);
  }
  const auto attribute = [](cudaDeviceAttr name) {
    int device = 0, value = 0;
    cuda::Check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::Check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
    return value;
  };
  rates.clock_hz = 1000.0 * attribute(cudaDevAttrClockRate);
  const bool known = attribute(cudaDevAttrComputeCapabilityMajor) == 9;
  if (known) rates.num_multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  return rates;
}

// Frames per second of run(number of frames).
double RateOf(int warm_up, int count, const std::function<void(int)>& run) {
  run(warm_up);
  const Stopwatch watch;
  run(count);
  return count / watch.s();
}

double ResidentRate(const std::vector<std::unique_ptr<ResidentFrame>>& frames, int count) {
  const std::size_t num_streams = frames.size();
  return RateOf(static_cast<int>(4 * num_streams), count, [&](int n) {
    for (int i = 0; i < n; ++i) frames[static_cast<std::size_t>(i) % num_streams]->Launch();
    for (const auto& frame : frames) frame->Wait();
  });
}

double PinnedRate(const Parameters& parameters, const CameraImageView& left, const CameraImageView& right,
                  const CudaTuning& tuning, int num_slots, int count) {
  std::vector<std::unique_ptr<cuda::FrameSlot>> slots;
  const auto shared = std::make_shared<cuda::SharedBySlots>(WidthOf(left), HeightOf(left));
  for (int i = 0; i < num_slots; ++i) {
    slots.push_back(
        std::make_unique<cuda::FrameSlot>(parameters, WidthOf(left), HeightOf(left), tuning, shared));
    slots.back()->Start(left, right);
    slots.back()->Wait();
  }
  return RateOf(2 * num_slots, count, [&](int n) {
    for (int i = 0; i < n; ++i) {
      cuda::FrameSlot& slot = *slots[static_cast<std::size_t>(i % num_slots)];
      slot.Wait();
      slot.Restart();
    }
    for (auto& slot : slots) slot->Wait();
  });
}

double QueueRate(const Parameters& parameters, const MatcherOptions& matcher, const CameraImageView& left,
                 const CameraImageView& right, const CudaTuning& tuning, int in_flight, int count) {
  const auto queue = MakeTunedCudaFrameQueue(parameters, matcher, in_flight, tuning);
  return RateOf(2 * in_flight + 2, count, [&](int n) {
    for (int i = 0; i < n; ++i) {
      if (queue->in_flight() == queue->capacity()) queue->Collect();
      queue->Submit(left, right);
    }
    while (queue->in_flight() > 0) queue->Collect();
  });
}

}  // namespace

CudaFrameTimes MeasureCudaFrames(const Parameters& parameters, const MatcherOptions& matcher,
                                 const CameraImageView& left, const CameraImageView& right,
                                 const CudaBenchmarkOptions& options) {
  CheckMatcherInput(left, right, matcher.width, matcher.height);
  CudaFrameTimes times;
  {
    const auto one_by_one = MakeTunedCudaMatcher(parameters, matcher, options.tuning);
    DisparityMap map;
    times.host_ms = Sample(options.repeat, [&] {
      const Stopwatch watch;
      one_by_one->Compute(left, right, map);
      return watch.ms();
    });
  }
  std::vector<std::unique_ptr<ResidentFrame>> frames;
  frames.push_back(std::make_unique<ResidentFrame>(parameters, left, right, options.tuning));
  times.memory_mb = static_cast<double>(frames[0]->pipeline().memory_bytes()) / 1e6;
  times.resident_ms = LatencyOf(*frames[0], options.repeat);
  times.steps = TimeSteps(*frames[0], options.repeat);
  const FilterParameters& filter = parameters.filter;
  std::erase_if(times.steps, [&](const CudaFrameTimes::Step& step) {  // nothing was launched
    return (step.name == "speckle" && filter.speckle_size <= 1) || (step.name == "fill" && !filter.fill) ||
           (step.name == "median" && filter.median <= 1);
  });
  times.rates = MeasureRates();
  for (CudaFrameTimes::Step& step : times.steps) {
    step.work = WorkOfStage(step.name, parameters, matcher.width, matcher.height, BytesPerPixel(left));
    step.floor = FloorOf(step.work, times.rates);
  }
  if (!options.rates) return times;

  // Some 0.3 s each.
  const int count = std::clamp(static_cast<int>(300.0 / times.resident_ms.front()), 60, 1500);
  for (int n = 1; n <= options.num_streams; ++n) {
    if (n > 1) frames.push_back(std::make_unique<ResidentFrame>(parameters, left, right, options.tuning));
    times.resident_rates.push_back(ResidentRate(frames, count));
  }
  frames.clear();
  times.pinned_rate = PinnedRate(parameters, left, right, options.tuning, options.num_streams, count);
  times.queue_rate = QueueRate(parameters, matcher, left, right, options.tuning, options.num_streams, count);
  return times;
}

}  // namespace parallax
