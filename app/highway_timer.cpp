// libhwy 1.0 measures the resolution of its timer whenever a program starts, which takes 3.5 ms. Nothing in parallax
// uses that timer. The loader takes this definition instead of the shared library's.
#include <cstdint>

namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform
