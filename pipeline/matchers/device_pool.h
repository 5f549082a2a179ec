// Several devices at one sequence: frames are dealt to them as they become free and come out in order. The
// bits do not depend on how many there are, as they do not on which of them matches a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/host_memory.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

struct PooledDevice {
  std::string name;  // as messages call it: "CUDA device 1"
  // A queue of its own on that device with so many frames in flight; called in a thread of its own.
  std::function<std::unique_ptr<MatcherQueue>(const Parameters&, const MatcherOptions&, int num_in_flight)>
      make_queue;
};

// The devices of a run. One whose queue throws an Error other than InvalidArgument (its memory does not
// suffice, it is lost) is left out from then on, and its frames go to the others. The last one that is left
// stays: an error of its is that of a frame, as with one device.
class DevicePool {
 public:
  // tell: is given one line about each device that is left out, in any thread. It must not call the pool.
  // image_memory: the preferred memory for images, from which the devices copy directly; may be null.
  DevicePool(std::vector<PooledDevice> devices, std::function<void(const std::string& line)> tell,
             std::shared_ptr<HostMemory> image_memory = nullptr);

  // A queue over the devices that are left, with num_in_flight >= 1 frames on each of them at a time, or one
  // where it has no memory for them, and at least as many again at hand; it lives no longer than the pool. Two threads
  // for each device feed it and take its results, so that copying scales with the devices. Throws what a
  // device throws where none of them makes its queue.
  std::unique_ptr<MatcherQueue> MakeQueue(const Parameters& parameters, const MatcherOptions& options,
                                          int num_in_flight);

  std::size_t num_left() const;  // devices
  const std::shared_ptr<HostMemory>& image_memory() const { return image_memory_; }

 private:
  class Queue;
  bool IsLeft(std::size_t device) const;
  // False, and the device stays, where it is the last one.
  bool LeaveOut(std::size_t device, const std::string& why);

  const std::vector<PooledDevice> devices_;
  const std::function<void(const std::string& line)> tell_;
  const std::shared_ptr<HostMemory> image_memory_;
  mutable std::mutex mutex_;
  std::vector<bool> is_left_;
};

}  // namespace parallax
