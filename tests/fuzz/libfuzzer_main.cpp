// One target as a libFuzzer program. PARALLAX_FUZZ_TARGET is its variable; without it, the environment's variable of
// that name holds the target's name: one program to carry.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/target_list.h"

namespace {

#ifdef PARALLAX_FUZZ_TARGET
const parallax::fuzz::Target& TheTarget() { return parallax::fuzz::PARALLAX_FUZZ_TARGET; }
#else
const parallax::fuzz::Target& TheTarget() {
  const char* const variable = std::getenv("PARALLAX_FUZZ_TARGET");
  const std::string_view name = variable == nullptr ? "" : variable;
  const auto& targets = parallax::fuzz::Targets();
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](const auto& target) { return target.name == name; });
  if (found == targets.end()) {
    std::fprintf(stderr, "no fuzz target '%s'\n", variable == nullptr ? "" : variable);
    std::abort();
  }
  return *found;
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& target = TheTarget();
  target.feed({data, size});
  return 0;
}
