#include "app/options/available_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/backends.h"
#include "datasets/system/process_memory.h"
#include "parallax/error.h"
#include "pipeline/cpu/cpu_matcher.h"

namespace parallax::app {
namespace {

std::uint64_t Megabytes(std::uint64_t bytes) { return (bytes + 999'999) / 1'000'000; }

// The share of free memory that matching may use; frames, threads and files take the rest.
constexpr double kShareForMatching = 0.8;

// Working memory of a frame on the cpu: see MatcherOptions; of AD-Census as measured.
double UsualBytes(const Parameters& parameters, const MatcherOptions& options) {
  const double bytes_per_cell = parameters.method == Method::kAdCensus ? 5.5 : 2.5;
  return bytes_per_cell * options.width * options.height * parameters.matching_cost.num_disparities + 64e6;
}

}  // namespace

std::unique_ptr<MatcherQueue> MakeQueueInMemory(std::string_view backend, const Parameters& parameters,
                                                MatcherOptions options, int num_in_flight) {
  const bool is_cpu = ResolveBackend(backend, parameters.method) == "cpu";
  if (!is_cpu || options.memory_limit_bytes > 0)
    return MakeMatcherQueue(backend, parameters, options, num_in_flight);
  const AvailableMemory available = MemoryAvailable();
  const double usual_bytes = num_in_flight * UsualBytes(parameters, options);
  const double limit_bytes = kShareForMatching * static_cast<double>(available.bytes);
  if (usual_bytes <= limit_bytes) return MakeMatcherQueue(backend, parameters, options, num_in_flight);
  options.memory_limit_bytes = std::max<std::size_t>(1, static_cast<std::size_t>(limit_bytes));
  try {
    return MakeMatcherQueue(backend, parameters, options, num_in_flight);
  } catch (const NeedsMoreMemory& error) {
    throw Error(
        fmt::format("{}frames of {}x{} with {} disparities need {} MB of working memory, more than the "
                    "usable {} MB of the {} MB {}: match {}smaller images or fewer disparities",
                    num_in_flight > 1 ? fmt::format("{} at a time, ", num_in_flight) : "", options.width,
                    options.height, parameters.matching_cost.num_disparities, Megabytes(error.needed_bytes()),
                    Megabytes(options.memory_limit_bytes), Megabytes(available.bytes), available.whose,
                    num_in_flight > 1 ? "fewer at a time (--in-flight), " : ""));
  }
}

int UsualFramesInMemory(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options) {
  const int num_usual = UsualFramesInFlight(backend, parameters, options);
  if (num_usual == 1) return 1;
  const double num_that_fit =
      0.5 * static_cast<double>(MemoryAvailable().bytes) / UsualBytes(parameters, options);
  return static_cast<int>(std::clamp(num_that_fit, 1.0, static_cast<double>(num_usual)));
}

}  // namespace parallax::app
