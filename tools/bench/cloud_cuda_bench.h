// What the jobs of parallax_cuda_cloud_bench share: options, timing, the table.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

#include "cuda/device/stream.h"

namespace parallax::bench {

struct Spread {
  double median_ms = 0, p10_ms = 0, p90_ms = 0;
};
Spread SpreadOf(std::vector<float> times_ms);

class CloudBench {
 public:
  explicit CloudBench(int repeat) : repeat_(repeat) {}
  int repeat() const { return repeat_; }
  cudaStream_t stream() const { return stream_.get(); }

  // Times work, which enqueues on stream() and leaves its data on the device, by events: warm-up calls first,
  // then times calls (0 = repeat()), each timed by itself.
  Spread Time(const std::function<void()>& work, int times = 0, int warm_up = 5);
  // The same by the host's clock, work waiting for its end itself.
  Spread TimeHost(const std::function<void()>& work, int times = 0, int warm_up = 2);

  // A row of the table, printed at once. what: the case in words ("k=8 indices, 1M uniform"). floor_ms: what
  // the bytes or operations take at the least, 0 = not counted. note: anything else that was found.
  void Add(const std::string& job, const std::string& what, const Spread& spread, double floor_ms = 0,
           const std::string& note = "");
  void WriteJson(const std::string& path) const;

 private:
  int repeat_;
  cuda::Stream stream_;
  std::vector<std::string> json_rows_;
};

// The jobs. variant: what follows the job's name in --job NAME:VARIANT, else empty.
void BenchNeighbours(CloudBench& bench, const std::string& variant);
void BenchDistances(CloudBench& bench, const std::string& variant);
void BenchEmd(CloudBench& bench, const std::string& variant);
void BenchGeodesics(CloudBench& bench, const std::string& variant);

}  // namespace parallax::bench
