// Processors of x86, and ARM's boards, whose cpuinfo has numbers alone.
#include "app/session/processor_name.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace parallax::app {
namespace {

TEST(ProcessorName, OfCpuinfoOrOfTheBoard) {
  const test::TemporaryFolder folder;
  const std::string x86 = folder / "x86", arm = folder / "arm", board = folder / "board";
  test::WriteText(x86, "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC: 9B45\nmodel name\t: second\n");
  test::WriteText(arm, "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n");
  test::WriteText(board, std::string("Raspberry Pi 5 Model B Rev 1.0\0", 31));
  EXPECT_EQ(ProcessorName(x86, board), "AMD EPYC: 9B45");
  EXPECT_EQ(ProcessorName(arm, board), "Raspberry Pi 5 Model B Rev 1.0");
  EXPECT_EQ(ProcessorName(arm, folder / "none"), "unknown");
}

}  // namespace
}  // namespace parallax::app
