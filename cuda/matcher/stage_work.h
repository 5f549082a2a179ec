// What each stage of a frame must at least do, and how long a device needs for that: the floor under its
// measured time. No CUDA header: the program includes this.
#pragma once

#include <string_view>

#include "pipeline/types/parameter_info.h"

namespace parallax {

// Bytes: each image or volume that the stage is given read once, each that it makes written once, whatever
// the kernels read again. Operations: of single lanes, those that these algorithms cannot do without, by the
// unit that does them; 0 where the stage is none of their kind.
struct StageWork {
  double bytes = 0;
  double packed_operations = 0;  // minima and additions of two 16-bit values
  double population_counts = 0;
  double shuffles = 0, reductions = 0;  // across a warp
};

// Of the stages by their names in CudaFrameTimes; "consistency" with selection in it. bytes_per_pixel: of the
// camera's images. All zero for an unknown name.
StageWork WorkOfStage(std::string_view stage, const Parameters& parameters, int width, int height,
                      int bytes_per_pixel);

struct DeviceRates {
  double bytes_per_s = 0;  // that a large copy reaches, bytes read and written
  double clock_hz = 0;
  int num_multiprocessors = 0;  // 0: rates of operations are not known for this device
};

struct StageFloor {
  double ms = 0;
  std::string_view bound;  // what takes longest: "bytes", "packed", "popc", "shuffle" or "redux"
};
StageFloor FloorOf(const StageWork& work, const DeviceRates& rates);

}  // namespace parallax
