// The tensors of DLPack's exchange between libraries (https://dmlc.github.io/dlpack, version 0.8): the layout
// that a capsule named "dltensor" holds.
#pragma once

#include <cstdint>

namespace parallax::python::dlpack {

inline constexpr std::int32_t kCuda = 2, kCudaManaged = 13;  // device types
inline constexpr std::uint8_t kUnsigned = 1, kFloat = 2;     // type codes

struct Device {
  std::int32_t type = 0;
  std::int32_t index = 0;
};
struct DataType {
  std::uint8_t code = 0;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};
struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t num_axes = 0;
  DataType type;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in values; null = without gaps
  std::uint64_t byte_offset = 0;
};
struct ManagedTensor {
  Tensor tensor;
  void* context = nullptr;
  void (*deleter)(ManagedTensor*) = nullptr;
};

}  // namespace parallax::python::dlpack
