// The only file that knows which back ends were built.
#include "app/backends.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/cpu_matcher_queue.h"
#include "pipeline/error.h"
#include "pipeline/simd/instruction_sets.h"
#ifdef PARALLAX_WITH_CUDA
#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/cuda_matcher.h"
#include "cuda/device/device.h"
#endif

namespace parallax::app {
namespace {

#ifdef PARALLAX_WITH_CUDA
BackendState CudaState() {
  std::string note;
  const std::vector<CudaDeviceInfo> devices = ListCudaDevices(&note);
  for (const CudaDeviceInfo& device : devices) {
    if (!note.empty()) note += "; ";
    note += "device " + std::to_string(device.index) + ": " + device.name + ", compute capability " +
            std::to_string(device.major) + "." + std::to_string(device.minor);
    if (!device.usable) note += " (" + device.why_not + ")";
  }
  return {"cuda", HasCudaDevice(), note};
}
#else
BackendState CudaState() { return {"cuda", false, "not built: install the CUDA toolkit and build again"}; }
#endif

}  // namespace

std::vector<BackendState> Backends() {
  return {
      CudaState(),
      {"cpu", true, "vectors (" + cpu::InstructionSetInUse() + ") and threads"},
      {"reference", true, "plain code that every other back end equals to the bit; slow"},
  };
}

namespace {

// Of these back ends; throws as ResolveBackend.
std::string_view Resolve(std::string_view backend, const std::vector<BackendState>& states) {
  std::string names = "auto", usable;
  for (const BackendState& state : states) {
    if (state.usable && backend == "auto") return state.name;
    if (state.usable && backend == state.name) return state.name;
    names += ", " + std::string(state.name);
    if (state.usable) usable += (usable.empty() ? "" : " or ") + std::string(state.name);
  }
  for (const BackendState& state : states) {
    if (backend == state.name) {
      throw Error("back end " + std::string(backend) + " cannot be used: " + state.note + ": use --backend " +
                  usable + " (see parallax info)");
    }
  }
  throw InvalidArgument("unknown back end '" + std::string(backend) + "': use one of " + names);
}

}  // namespace

std::string_view ResolveBackend(std::string_view backend) { return Resolve(backend, Backends()); }

std::unique_ptr<StereoMatcher> MakeMatcher(std::string_view backend, const Parameters& parameters,
                                           const MatcherOptions& options) {
  const std::string_view name = ResolveBackend(backend);
#ifdef PARALLAX_WITH_CUDA
  if (name == "cuda") return MakeCudaMatcher(parameters, options);
#endif
  if (name == "cpu") return MakeCpuMatcher(parameters, options);
  if (name == "reference") return MakeReferenceMatcher(parameters, options);
  throw Error("back end " + std::string(name) + " is not built");
}

void RequireMatcherQueue(std::string_view backend) {
  const std::string_view name = ResolveBackend(backend);
  if (name != "reference") return;
  throw InvalidArgument("back end " + std::string(name) +
                        " matches one frame at a time: leave out --in-flight, or use --backend cuda or cpu");
}

std::unique_ptr<MatcherQueue> MakeMatcherQueue(std::string_view backend, const Parameters& parameters,
                                               const MatcherOptions& options, int num_in_flight) {
  RequireMatcherQueue(backend);
#ifdef PARALLAX_WITH_CUDA
  if (ResolveBackend(backend) == "cuda") return MakeCudaFrameQueue(parameters, options, num_in_flight);
#endif
  return MakeCpuMatcherQueue(parameters, options, num_in_flight);
}

int UsualFramesInFlight(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options) {
  constexpr std::int64_t kMaxCells = std::int64_t{256} << 20;  // of all in flight: some 640 MB
  if (ResolveBackend(backend) != "cpu" || options.memory_limit_bytes > 0) return 1;
  int num_threads = options.num_threads;
  if (num_threads <= 0) num_threads = static_cast<int>(std::thread::hardware_concurrency());
  const std::int64_t num_cells =
      std::int64_t{options.width} * options.height * parameters.matching_cost.num_disparities;
  return static_cast<int>(std::clamp<std::int64_t>(kMaxCells / num_cells, 1, std::clamp(num_threads, 1, 4)));
}

std::unique_ptr<CloudMeasures> MakeCloudMeasures(std::string_view backend, [[maybe_unused]] int device,
                                                 int num_threads) {
  std::vector<BackendState> states = Backends();
  std::erase_if(states, [](const BackendState& state) { return state.name == "reference"; });
  if (backend == "reference") {
    throw InvalidArgument("back end reference does not measure clouds: use --backend cpu, cuda or auto");
  }
  [[maybe_unused]] const std::string_view name = Resolve(backend, states);
#ifdef PARALLAX_WITH_CUDA
  if (name == "cuda") return MakeCudaCloudMeasures(device);
#endif
  return MakeCpuCloudMeasures(num_threads);
}

std::optional<CudaFrameTimes> MeasureOnDevice(std::string_view backend,
                                              [[maybe_unused]] const Parameters& parameters,
                                              [[maybe_unused]] const MatcherOptions& options,
                                              [[maybe_unused]] const CameraImageView& left,
                                              [[maybe_unused]] const CameraImageView& right,
                                              [[maybe_unused]] const CudaBenchmarkOptions& benchmark) {
  if (ResolveBackend(backend) != "cuda") return std::nullopt;
#ifdef PARALLAX_WITH_CUDA
  return MeasureCudaFrames(parameters, options, left, right, benchmark);
#else
  return std::nullopt;
#endif
}

}  // namespace parallax::app
