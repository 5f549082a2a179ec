// One target as a libFuzzer program. PARALLAX_FUZZ_TARGET is its name.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace {

const parallax::fuzz::Target& TheTarget() {
  const auto& targets = parallax::fuzz::Targets();
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [](const auto& target) { return target.name == PARALLAX_FUZZ_TARGET; });
  if (found == targets.end()) {
    std::fprintf(stderr, "no fuzz target %s\n", PARALLAX_FUZZ_TARGET);
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
