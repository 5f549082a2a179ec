#include "pipeline/simd/instruction_sets.h"

#include "pipeline/simd/simd_targets.h"
// Highway must be included after the choice of targets.
#include <hwy/highway.h>

#include "parallax/error.h"

namespace parallax::cpu {
namespace {

// The choice that Highway makes at the first call.
std::int64_t TargetsInUse() { return hwy::SupportedTargets() & HWY_TARGETS; }

}  // namespace

std::vector<std::string> InstructionSets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string InstructionSetInUse() {
  const std::int64_t targets = TargetsInUse();
  return hwy::TargetName(targets & -targets);
}

void UseInstructionSet(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  if (!name.empty()) {
    std::int64_t chosen = 0;
    std::string all;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (name == hwy::TargetName(target)) chosen = target;
      all += std::string(all.empty() ? "" : ", ") + hwy::TargetName(target);
    }
    if (chosen == 0) throw InvalidArgument("no instruction set '" + name + "' here: choose one of " + all);
    hwy::SetSupportedTargetsForTest(chosen);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace parallax::cpu
