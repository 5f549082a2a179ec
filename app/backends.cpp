// The only file that knows which back ends were built.
#include "app/backends.h"

#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/cpu/instruction_sets.h"
#include "pipeline/error.h"

namespace parallax::app {

std::vector<BackendState> Backends() {
  return {
      {"cuda", false, "not in this version"},
      {"cpu", true, "vectors (" + cpu::InstructionSetInUse() + ") and threads"},
      {"reference", true, "plain code that every other back end equals to the bit; slow"},
  };
}

std::string_view ResolveBackend(std::string_view backend) {
  std::string names = "auto", usable;
  for (const BackendState& state : Backends()) {
    if (state.usable && backend == "auto") return state.name;
    if (state.usable && backend == state.name) return state.name;
    names += ", " + std::string(state.name);
    if (state.usable) usable += (usable.empty() ? "" : " or ") + std::string(state.name);
  }
  for (const BackendState& state : Backends()) {
    if (backend == state.name) {
      throw Error("back end " + std::string(backend) + " cannot be used: " + state.note + ": use --backend " +
                  usable + " (see parallax info)");
    }
  }
  throw InvalidArgument("unknown back end '" + std::string(backend) + "': use one of " + names);
}

std::unique_ptr<StereoMatcher> MakeMatcher(std::string_view backend, const Parameters& parameters,
                                           const MatcherOptions& options) {
  const std::string_view name = ResolveBackend(backend);
  if (name == "cpu") return MakeCpuMatcher(parameters, options);
  if (name == "reference") return MakeReferenceMatcher(parameters, options);
  throw Error("back end " + std::string(name) + " is not built");
}

}  // namespace parallax::app
