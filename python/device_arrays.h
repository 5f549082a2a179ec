// Arrays in the memory of a GPU, to and from other libraries without a copy: DLPack and
// __cuda_array_interface__.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "parallax/device_images.h"

namespace parallax::python {

namespace py = pybind11;

// A stream as Python has it: None or 1 = the legacy default one, 2 = that of the thread, else cudaStream_t.
std::int64_t StreamNumber(void* stream);

// Whether the object is an array in the memory of a GPU. Quick for NumPy's arrays.
bool IsOnDevice(py::handle object);

struct DeviceImageArgument {
  py::object owner;  // of the pixels; must stay until the device has done with them
  DeviceCameraImageView view;
  int device = 0;
  std::optional<std::int64_t> stream;  // the stream that computes it, if its owner names one and has not
                                       // ordered it
};
// uint8 or uint16, H x W; uint8, H x W x 3 (RGB). Tells its owner that the pixels are needed on stream.
// Throws what CameraImageOf throws.
DeviceImageArgument DeviceImageOf(py::handle object, const char* name, void* stream);

// A result with the objects that it needs: they are destroyed after it.
struct DeviceMatched {
  py::object left, right;
  std::shared_ptr<DeviceResult> result;
};

void BindDeviceArrays(py::module_& module);

}  // namespace parallax::python
