// Which CUDA devices there are, and whether this build runs on them. No CUDA header: the program includes
// this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

struct CudaDeviceInfo {
  int index = 0;             // as --device takes it
  std::string name;          // "NVIDIA H200"
  int major = 0, minor = 0;  // compute capability
  std::size_t total_memory_bytes = 0;
  int num_multiprocessors = 0;
  bool usable = false;  // this build has code for it
  std::string why_not;  // one line, where it is not usable
};

// All devices; empty where there is no driver or no device. why_none: one line that says which, where it is
// empty.
std::vector<CudaDeviceInfo> ListCudaDevices(std::string* why_none = nullptr);

// How many there are, without opening any of them.
int NumCudaDevices();

// The cards that this build has code for: "compute capability 8.6, 9.0 and newer". architectures: as
// CMAKE_CUDA_ARCHITECTURES has them, "80-real 90 120-virtual".
std::string DescribeArchitectures(std::string_view architectures);
std::string DescribeBuiltArchitectures();

// Whether they hold machine code (no PTX that the driver has to compile) for a card of that compute
// capability.
bool HasMachineCode(std::string_view architectures, int major, int minor);

// True where at least one device is usable: `--backend auto` then means cuda. Opens none for which there is
// machine code: a device takes some tenths of a second, and memory on it, from every process that opens it.
bool HasCudaDevice();

// Makes device the current one of this thread. Throws Error naming the device and the remedy where there is
// none, where its number is too large, or where this build has no code for it.
void SelectCudaDevice(int device);
// Throws the same, without opening it, where there is none of that number.
void RequireCudaDevice(int device);

}  // namespace parallax
