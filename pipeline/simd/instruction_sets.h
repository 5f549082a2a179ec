// The instruction sets that the cpu back end supports on this machine, and the current one.
#pragma once

#include <string>
#include <vector>

namespace parallax::cpu {

// Names of those compiled in and supported by this machine, best first, e.g. "AVX3_DL", "AVX2", "SCALAR".
std::vector<std::string> InstructionSets();

// The one for matchers made from now on.
std::string InstructionSetInUse();

// Chooses one of InstructionSets() by name for matchers made and run from now on; "" = the best. Throws
// InvalidArgument for others. Meant for tests and comparisons. Must not be called while a matcher runs;
// earlier matchers must not be used afterwards.
void UseInstructionSet(const std::string& name);

}  // namespace parallax::cpu
