// One target as a libFuzzer program. PARALLAX_FUZZ_TARGET is its name; without it, the environment's variable
// of that name: one program to carry.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace {

#ifdef PARALLAX_FUZZ_TARGET
std::string_view TargetName() { return PARALLAX_FUZZ_TARGET; }
#else
std::string_view TargetName() {
  const char* name = std::getenv("PARALLAX_FUZZ_TARGET");
  return name == nullptr ? "" : name;
}
#endif

const parallax::fuzz::Target& TheTarget() {
  const auto& targets = parallax::fuzz::Targets();
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [](const auto& target) { return target.name == TargetName(); });
  if (found == targets.end()) {
    std::fprintf(stderr, "no fuzz target '%s'\n", std::string(TargetName()).c_str());
    std::abort();
  }
  return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& target = TheTarget();
  target.feed({data, size});
  return 0;
}
