// The CUDA devices, and whether this build runs on them. No CUDA header: the program includes this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

struct CudaDeviceInfo {
  int index = 0;             // as the option --device takes it
  std::string name;          // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  std::size_t total_memory_bytes = 0;
  int num_multiprocessors = 0;
  bool usable = false;  // this build has code for it
  std::string why_not;  // one line, if it is not usable
};

// All devices; empty without a driver or device. why_none: one line with the reason, if it is empty.
std::vector<CudaDeviceInfo> ListCudaDevices(std::string* why_none = nullptr);

// The number of devices; opens none of them.
int NumCudaDevices();

// The cards that this build has code for: "compute capability 8.6, 9.0 and newer". architectures: as
// CMAKE_CUDA_ARCHITECTURES has them, "80-real 90 120-virtual".
std::string DescribeArchitectures(std::string_view architectures);
std::string DescribeBuiltArchitectures();

// Whether the list contains machine code (not PTX, which the driver has to compile) for a card of that
// compute capability. Jetson boards and other cards do not run each other's.
bool HasMachineCode(std::string_view architectures, int major, int minor);

// True if at least one device is usable: the back end "auto" then means cuda. Opens no device for which there
// is machine code: opening takes some tenths of a second, and memory on the device, in every process.
bool HasCudaDevice();

// Makes device the current one of this thread. Throws Error with the remedy if there is none, if its number
// is too large, or if this build has no code for it.
void SelectCudaDevice(int device);
// Throws the same if there is no device of that number, but opens none.
void RequireCudaDevice(int device);

}  // namespace parallax
