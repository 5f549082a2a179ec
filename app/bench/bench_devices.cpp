#include "app/bench/bench_devices.h"

#include <cstddef>
#include <memory>

#include "pipeline/threads/stopwatch.h"
#include "pipeline/types/clone_image.h"
#include "pipeline/types/host_memory.h"

namespace parallax::app {

double RateOfPool(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options,
                  int num_in_flight, const CameraImageView& left, const CameraImageView& right,
                  double seconds) {
  const auto queue = pool.MakeQueue(parameters, options, num_in_flight);
  struct Pair {
    CameraImage left, right;
  };
  const auto pair = [&] {
    const UseHostMemory use(pool.image_memory());  // as the frame pipeline reads them
    return std::make_shared<const Pair>(Pair{CloneImage(left), CloneImage(right)});
  }();
  ExtraWork work;
  work.pixels = pair;
  const auto run_for = [&](double longest_s) {
    const Stopwatch watch;
    std::size_t num_frames = 0;
    while (watch.s() < longest_s) {
      if (queue->in_flight() == queue->capacity()) queue->Borrow();
      queue->SubmitWith(ViewOf(pair->left), ViewOf(pair->right), work);
      ++num_frames;
    }
    while (queue->in_flight() > 0) queue->Borrow();
    return static_cast<double>(num_frames) / watch.s();
  };
  run_for(seconds / 4);
  return run_for(seconds);
}

}  // namespace parallax::app
