// libhwy 1.0 measures the resolution of its timer whenever a program starts, which takes 3.5 ms. Nothing
// here asks for it, and the program's own definition goes before that of a shared library.
#include <cstdint>

namespace hwy::platform {
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform
