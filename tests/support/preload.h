// Libraries that take the place of the system's functions in a program that a test starts.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace parallax::test {

// Programs that are started while it lives load this library first, and behind the address sanitizer in a
// sanitized build, which has to stand before all others.
class Preload {
 public:
  explicit Preload(const std::string& library) {
    std::string libraries = library;
#ifdef __SANITIZE_ADDRESS__
    Dl_info sanitizer{};
    if (dladdr(dlsym(RTLD_DEFAULT, "__asan_init"), &sanitizer) != 0) {
      libraries = sanitizer.dli_fname + (" " + library);
    }
#endif
    setenv("LD_PRELOAD", libraries.c_str(), 1);
  }
  ~Preload() { unsetenv("LD_PRELOAD"); }
  Preload(const Preload&) = delete;
  Preload& operator=(const Preload&) = delete;
};

}  // namespace parallax::test
