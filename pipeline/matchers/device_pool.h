// Several devices for one sequence: a free device gets the next frame, and frames come out in order. The bits
// do not depend on the number of devices, nor on which one matches a frame.
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
  std::string name;  // its name in messages: "CUDA device 1"
  // A queue on that device with this many frames in flight; called in a separate thread.
  std::function<std::unique_ptr<MatcherQueue>(const Parameters&, const MatcherOptions&, int num_in_flight)>
      make_queue;
};

// The devices of a run. If a queue throws an Error other than InvalidArgument (too little memory, a lost
// device), its device is left out from then on, and its frames go to the others. The last device stays: its
// error is that of a frame, as with one device.
class DevicePool {
 public:
  // tell: receives one line about each device that is left out, in any thread. It must not call the pool.
  // image_memory: the preferred memory for images, from which the devices copy directly; may be null.
  DevicePool(std::vector<PooledDevice> devices, std::function<void(const std::string& line)> tell,
             std::shared_ptr<HostMemory> image_memory = nullptr);

  // A queue over the remaining devices, with num_in_flight >= 1 frames on each of them at a time, or one if
  // it lacks memory for them, and at least as many waiting; the pool must outlive it. Two threads for each
  // device feed it and take its results, so that copying scales with the devices. Throws a device's exception
  // if none of them makes its queue.
  std::unique_ptr<MatcherQueue> MakeQueue(const Parameters& parameters, const MatcherOptions& options,
                                          int num_in_flight);

  std::size_t num_left() const;  // devices
  const std::shared_ptr<HostMemory>& image_memory() const { return image_memory_; }

 private:
  class Queue;
  bool IsLeft(std::size_t device) const;
  // Stops using a device. False if it is the last device, which stays.
  bool LeaveOut(std::size_t device, const std::string& why);

  const std::vector<PooledDevice> devices_;
  const std::function<void(const std::string& line)> tell_;
  const std::shared_ptr<HostMemory> image_memory_;
  mutable std::mutex mutex_;
  std::vector<bool> is_left_;
};

}  // namespace parallax
