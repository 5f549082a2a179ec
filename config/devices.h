// The number of devices of a back end, and using several for one sequence.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/matchers/device_pool.h"

namespace parallax {

// The number of devices of a back end ("auto": of the one that it chooses), at least 1.
// MatcherOptions::device is below it.
int NumDevices(std::string_view backend);

// A pool of those devices of the back end cuda. tell: see DevicePool. Throws Error if there is no such
// device.
std::unique_ptr<DevicePool> MakeDevicePool(const std::vector<int>& devices,
                                           std::function<void(const std::string& line)> tell);
// The number of frames in flight that keeps each of them busy, within the memory of every device.
int UsualFramesOnADevice(const Parameters& parameters, const MatcherOptions& options);

}  // namespace parallax
