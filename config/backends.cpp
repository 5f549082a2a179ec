// The only file that knows which back ends were built, and which methods each of them has.
#include "config/backends.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#include "config/device_benchmark.h"
#include "config/devices.h"
#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/cpu_matcher_queue.h"
#include "pipeline/simd/instruction_sets.h"
#ifdef PARALLAX_WITH_CUDA
#include "cuda/cloud/cuda_cloud_measures.h"
#include "cuda/device/device.h"
#include "cuda/device/page_locked_memory.h"
#include "cuda/matcher/cuda_device_matcher.h"
#include "cuda/matcher/cuda_matcher.h"
#endif

namespace parallax {
namespace {

// --- the back ends ------------------------------------------------------------
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
  if (devices.empty()) note += "; this build has code for " + DescribeBuiltArchitectures();
  return {"cuda", HasCudaDevice(), note};
}
bool IsCudaUsable() { return HasCudaDevice(); }
#else
BackendState CudaState() { return {"cuda", false, "not built: install the CUDA toolkit and build again"}; }
bool IsCudaUsable() { return false; }
#endif

constexpr std::string_view kBackendNames[] = {"cuda", "cpu", "reference"};  // the fastest first

// --- what each of them has ----------------------------------------------------
struct MatcherRow {
  Method method;
  std::string_view backend;
  std::unique_ptr<StereoMatcher> (*make)(const Parameters&, const MatcherOptions&);
  // A queue with several frames in flight; null if the back end has none.
  std::unique_ptr<MatcherQueue> (*make_queue)(const Parameters&, const MatcherOptions&, int num_in_flight);
};
constexpr MatcherRow kMatchers[] = {
#ifdef PARALLAX_WITH_CUDA
    {Method::kSgm, "cuda", &MakeCudaMatcher, &MakeCudaFrameQueue},
#endif
    {Method::kSgm, "cpu", &MakeCpuMatcher, &MakeCpuMatcherQueue},
    {Method::kSgm, "reference", &MakeReferenceMatcher, nullptr},
#ifdef PARALLAX_WITH_CUDA
    {Method::kAdCensus, "cuda", &MakeCudaMatcher, &MakeCudaFrameQueue},
#endif
    {Method::kAdCensus, "cpu", &MakeCpuAdCensusMatcher, &MakeCpuMatcherQueue},
    {Method::kAdCensus, "reference", &MakeReferenceAdCensusMatcher, nullptr},
};

struct CloudRow {
  std::string_view backend;
  std::unique_ptr<CloudMeasures> (*make)(int device, int num_threads);
};
constexpr CloudRow kClouds[] = {
#ifdef PARALLAX_WITH_CUDA
    {"cuda", [](int device, int) { return MakeCudaCloudMeasures(device); }},
#endif
    {"cpu", [](int, int num_threads) { return MakeCpuCloudMeasures(num_threads); }},
};

// The first row of the table that fits; null if no row does.
template <typename Row, std::size_t kSize, typename Fits>
const Row* FindRow(const Row (&rows)[kSize], std::string_view backend, Fits fits) {
  const Row* found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.backend == backend && fits(row); });
  return found == std::end(rows) ? nullptr : found;
}
const MatcherRow* FindMatcher(std::string_view backend, Method method) {
  return FindRow(kMatchers, backend, [&](const MatcherRow& row) { return row.method == method; });
}
const CloudRow* FindClouds(std::string_view backend) {
  return FindRow(kClouds, backend, [](const CloudRow&) { return true; });
}

// --- choosing -----------------------------------------------------------------
// The usable back end that the name means, of those for which `does` is true; "auto": the first one.
// lacks: what is wrong with the other back ends, for the message: "does not measure clouds".
template <typename Does>
std::string_view Resolve(std::string_view backend, const std::string& lacks, Does does) {
  std::string names = "auto", able;
  bool is_known = false, is_usable = false;
  for (const std::string_view name : kBackendNames) {
    if (does(name)) names += ", " + std::string(name);
    const bool is_named = name == backend, usable = name != "cuda" || IsCudaUsable();
    if (is_named) is_known = true, is_usable = usable;
    if (!usable || !does(name)) continue;
    if (backend == "auto" || is_named) return name;
    able += (able.empty() ? "" : " or ") + std::string(name);
  }
  if (!is_known) {
    if (backend == "auto") throw Error("no back end fits: each usable one " + lacks);
    throw InvalidArgument("unknown back end '" + std::string(backend) + "': use one of " + names +
                          (names.find("cuda") != std::string::npos
                               ? "; cuda is for NVIDIA GPUs"
                               : "; this build has no cuda, which is for NVIDIA GPUs"));
  }
  const std::string remedy = ": use the back end " + able + " (see parallax info)";
  if (!is_usable)
    throw Error("back end " + std::string(backend) + " cannot be used: " + CudaState().note + remedy);
  throw InvalidArgument("back end " + std::string(backend) + " " + lacks + remedy);
}

const MatcherRow& ResolveMatcher(std::string_view backend, Method method) {
  const std::string name(EnumNames(method)[static_cast<std::size_t>(method)]);
  const std::string_view resolved =
      Resolve(backend, "does not have the method " + name,
              [&](std::string_view candidate) { return FindMatcher(candidate, method) != nullptr; });
  return *FindMatcher(resolved, method);
}

}  // namespace

std::vector<BackendState> Backends() {
  return {
      CudaState(),
      {"cpu", true, "vectors (" + cpu::InstructionSetInUse() + ") and threads"},
      {"reference", true, "plain code that every other back end equals to the bit; slow"},
  };
}

std::string_view ResolveBackend(std::string_view backend, Method method) {
  return ResolveMatcher(backend, method).backend;
}

int NumDevices([[maybe_unused]] std::string_view backend) {
#ifdef PARALLAX_WITH_CUDA
  if (backend == "cuda" || backend == "auto") return std::max(1, NumCudaDevices());
#endif
  return 1;
}

std::unique_ptr<DevicePool> MakeDevicePool([[maybe_unused]] const std::vector<int>& devices,
                                           [[maybe_unused]] std::function<void(const std::string&)> tell) {
#ifdef PARALLAX_WITH_CUDA
  std::vector<PooledDevice> pooled;
  for (const int device : devices) {
    RequireCudaDevice(device);
    pooled.push_back({"CUDA device " + std::to_string(device),
                      [device](const Parameters& parameters, MatcherOptions options, int num_in_flight) {
                        options.device = device;
                        return MakeCudaFrameQueue(parameters, options, num_in_flight);
                      }});
  }
  std::shared_ptr<HostMemory> image_memory;
  if (!devices.empty()) image_memory = std::make_shared<cuda::PageLockedMemory>(devices.front());
  return std::make_unique<DevicePool>(std::move(pooled), std::move(tell), std::move(image_memory));
#else
  throw Error(CudaState().note);
#endif
}

int UsualFramesOnADevice(const Parameters& parameters, const MatcherOptions& options) {
  constexpr std::int64_t kMaxCells = std::int64_t{512} << 20;  // of all in flight there: some 3 GB
  const std::int64_t num_cells =
      std::int64_t{options.width} * options.height * parameters.matching_cost.num_disparities;
  // If reading and writing occupy all cores, the threads that feed a device get a core too late.
  const std::int64_t most = parameters.method == Method::kSgm ? 6 : 3;
  return static_cast<int>(
      std::clamp<std::int64_t>(kMaxCells / std::max<std::int64_t>(num_cells, 1), 1, most));
}

std::unique_ptr<StereoMatcher> MakeMatcher(std::string_view backend, const Parameters& parameters,
                                           const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  return ResolveMatcher(backend, parameters.method).make(parameters, options);
}

std::unique_ptr<DeviceMatcher> MakeDeviceMatcher(std::string_view backend, const Parameters& parameters,
                                                 [[maybe_unused]] const MatcherOptions& options) {
  const MatcherRow& row = ResolveMatcher(backend, parameters.method);
#ifdef PARALLAX_WITH_CUDA
  if (row.backend == "cuda") return MakeCudaDeviceMatcher(parameters, options);
#endif
  throw InvalidArgument(
      "back end " + std::string(row.backend) +
      " takes no images in the memory of a GPU: copy them to the host, or use the back end cuda");
}

void RequireMatcherQueue(std::string_view backend, Method method) {
  const MatcherRow& row = ResolveMatcher(backend, method);
  if (row.make_queue != nullptr) return;
  throw InvalidArgument("back end " + std::string(row.backend) +
                        " matches one frame at a time: use one frame in flight, or the back end cuda or cpu");
}

std::unique_ptr<MatcherQueue> MakeMatcherQueue(std::string_view backend, const Parameters& parameters,
                                               const MatcherOptions& options, int num_in_flight) {
  ValidateOrThrow(parameters);
  const MatcherRow& row = ResolveMatcher(backend, parameters.method);
  // The queue of the cpu matches two at a time at the least; that of cuda does more than a matcher can.
  if (num_in_flight <= 1) {
    if (row.backend != "cuda") return MakeQueueOfOne(row.make(parameters, options));
    num_in_flight = 1;
  }
  RequireMatcherQueue(backend, parameters.method);
  return row.make_queue(parameters, options, num_in_flight);
}

int UsualFramesInFlight(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options) {
  constexpr std::int64_t kCellsOfThread = std::int64_t{128} << 20;
  if (ResolveBackend(backend, parameters.method) != "cpu" || options.memory_limit_bytes > 0) return 1;
  int num_threads = options.num_threads;
  if (num_threads <= 0) num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::int64_t num_cells =
      std::int64_t{options.width} * options.height * parameters.matching_cost.num_disparities;
  return static_cast<int>(std::clamp<std::int64_t>(kCellsOfThread * num_threads / num_cells, 1, num_threads));
}

std::unique_ptr<CloudMeasures> MakeCloudMeasures(std::string_view backend, int device, int num_threads) {
  const std::string_view resolved =
      Resolve(backend, "does not measure clouds",
              [](std::string_view candidate) { return FindClouds(candidate) != nullptr; });
  return FindClouds(resolved)->make(device, num_threads);
}

std::string_view CloudBackendFor(std::string_view backend) {
  return backend == "auto" || FindClouds(ResolveBackend(backend)) != nullptr ? backend : "cpu";
}

std::optional<CudaFrameTimes> MeasureOnDevice(std::string_view backend,
                                              [[maybe_unused]] const Parameters& parameters,
                                              [[maybe_unused]] const MatcherOptions& options,
                                              [[maybe_unused]] const CameraImageView& left,
                                              [[maybe_unused]] const CameraImageView& right,
                                              [[maybe_unused]] const CudaBenchmarkOptions& benchmark) {
  if (ResolveBackend(backend, parameters.method) != "cuda") return std::nullopt;
#ifdef PARALLAX_WITH_CUDA
  return MeasureCudaFrames(parameters, options, left, right, benchmark);
#else
  return std::nullopt;
#endif
}

}  // namespace parallax
