#include "pipeline/simd/instruction_sets.h"

#include <gtest/gtest.h>

#include "parallax/error.h"
#include "tests/support/instruction_set_sweep.h"

namespace parallax::cpu {
namespace {

TEST(InstructionSets, TheChosenOneIsInUse) {
  const test::InstructionSetGuard guard;
  for (const std::string& name : InstructionSets()) {
    UseInstructionSet(name);
    EXPECT_EQ(InstructionSetInUse(), name);
  }
  UseInstructionSet("");
  EXPECT_EQ(InstructionSetInUse(), InstructionSets().front());
  EXPECT_THROW(UseInstructionSet("MMX"), InvalidArgument);
}

}  // namespace
}  // namespace parallax::cpu
