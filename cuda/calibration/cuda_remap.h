// Rectification on the device: images remapped, borders masked, by the rules of pipeline/calibration, to the
// bit. Launches kernels on the given stream and returns before they are done; allocates nothing, never waits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/device_disparity_map.h"
#include "cuda/device/device_image.h"
#include "parallax/image.h"

namespace parallax::cuda {

// A RemapTable in device memory, rows densely packed.
struct DeviceRemapTable {
  DeviceImageView<const std::int32_t> x, y;
};
struct RemapTables {
  DeviceRemapTable left, right;  // of one size
};

// Remaps two images of one pixel type. left_to and right_to: of the tables' size, rows densely packed.
void RemapPair(const DeviceCameraImage& left, const DeviceCameraImage& right, const RemapTables& tables,
               void* left_to, void* right_to, cudaStream_t stream);

// See RemoveUnseen in pipeline/calibration/rectifier.h; in place.
void RemoveUnseen(const RemapTables& tables, const DeviceDisparityMap& map, cudaStream_t stream);

}  // namespace parallax::cuda
