// How many devices a back end has, and several of them at one sequence.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/matchers/device_pool.h"

namespace parallax {

// What MatcherOptions::device may number on that back end ("auto": what it means here): at least 1.
int NumDevices(std::string_view backend);

// Those devices of the back end cuda as a pool. tell: as DevicePool. Throws Error where there is no such
// device.
std::unique_ptr<DevicePool> MakeDevicePool(const std::vector<int>& devices,
                                           std::function<void(const std::string& line)> tell);
// Frames in flight on each of them that keep it busy, in memory that every device has.
int UsualFramesOnADevice(const Parameters& parameters, const MatcherOptions& options);

}  // namespace parallax
