#include "app/bench/bench_devices.h"

#include <cstddef>
#include <memory>

#include "pipeline/stopwatch.h"

namespace parallax::app {

double RateOfPool(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options,
                  int num_in_flight, const CameraImageView& left, const CameraImageView& right,
                  double seconds) {
  const auto queue = pool.MakeQueue(parameters, options, num_in_flight);
  WorkBeside work;
  work.pixels =
      std::shared_ptr<const void>(std::shared_ptr<const void>(), &left);  // the caller's, who holds them
  const auto run_for = [&](double longest_s) {
    const Stopwatch watch;
    std::size_t num_frames = 0;
    while (watch.s() < longest_s) {
      if (queue->in_flight() == queue->capacity()) queue->Take();
      queue->SubmitWith(left, right, work);
      ++num_frames;
    }
    while (queue->in_flight() > 0) queue->Take();
    return static_cast<double>(num_frames) / watch.s();
  };
  run_for(seconds / 4);
  return run_for(seconds);
}

}  // namespace parallax::app
