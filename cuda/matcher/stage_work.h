// The least work of each stage of a frame, and the time that a device needs for it: the lower bound of its
// measured time. No CUDA header: the program includes this.
#pragma once

#include <string_view>

#include "pipeline/types/parameter_info.h"

namespace parallax {

// Bytes: each input image or volume of the stage read once, each output written once, whatever the kernels
// read again. Operations: of single lanes, those that the algorithm cannot avoid, by unit; 0 if the stage has
// none of that kind.
struct StageWork {
  double bytes = 0;
  double packed_operations = 0;  // minima and additions of two 16-bit values
  double population_counts = 0;
  double shuffles = 0, reductions = 0;  // across a warp
};

// The work of a stage, by its name in CudaFrameTimes; "consistency" includes selection. bytes_per_pixel: of
// the camera's images. All zero for an unknown name.
StageWork WorkOfStage(std::string_view stage, const Parameters& parameters, int width, int height,
                      int bytes_per_pixel);

struct DeviceRates {
  double bytes_per_s = 0;  // rate of a large copy, bytes read and written
  double clock_hz = 0;
  int num_multiprocessors = 0;  // 0: the rates of operations are unknown for this device
};

struct StageFloor {
  double ms = 0;
  std::string_view bound;  // the slowest part: "bytes", "packed", "popc", "shuffle" or "redux"
};
StageFloor FloorOf(const StageWork& work, const DeviceRates& rates);

}  // namespace parallax
