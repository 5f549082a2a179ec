// Libraries that take the place of the system's functions in a program that a test starts.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace parallax::test {

// While it lives, programs that are started load this library first. In a sanitized build they load the sanitizer
// before it.
class Preload {
 public:
  explicit Preload(const std::string& library) {
    std::string libraries = library;
    for (const char* const function : {"__asan_init", "__tsan_init"}) {
      Dl_info sanitizer{};
      if (dladdr(dlsym(RTLD_DEFAULT, function), &sanitizer) != 0) {
        libraries = sanitizer.dli_fname + (" " + library);
      }
    }
    setenv("LD_PRELOAD", libraries.c_str(), 1);
  }
  ~Preload() { unsetenv("LD_PRELOAD"); }
  Preload(const Preload&) = delete;
  Preload& operator=(const Preload&) = delete;
};

}  // namespace parallax::test
