// Which instruction sets the cpu back end can run on here, and which it does.
#pragma once

#include <string>
#include <vector>

namespace parallax::cpu {

// Names of those that were compiled and that this machine has, best first, e.g. "AVX3_DL", "AVX2", "SCALAR".
std::vector<std::string> InstructionSets();

// The one that matchers made from now on use.
std::string InstructionSetInUse();

// Chooses one of InstructionSets() by name for matchers made and run from now on; "" = the best. Throws
// InvalidArgument for others. For tests and comparisons; not while a matcher runs, and matchers made before
// must not be used after.
void UseInstructionSet(const std::string& name);

}  // namespace parallax::cpu
