#include "app/view/controls/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parallax/error.h"

namespace parallax::app {
namespace {

TEST(CommandTable, RunsByNameAndByAnyOfItsKeys) {
  int paused = 0, larger = 0;
  CommandTable commands;
  commands.Add({"pause", "Space", "pause, resume", [&] { ++paused; }});
  commands.Add({"larger", "+ =", "larger points", [&] { ++larger; }});
  EXPECT_TRUE(commands.Press("Space"));
  EXPECT_TRUE(commands.Run("pause"));
  EXPECT_TRUE(commands.Press("="));
  EXPECT_TRUE(commands.Press("+"));
  EXPECT_FALSE(commands.Press(""));
  EXPECT_FALSE(commands.Press("Shift+Space"));
  EXPECT_FALSE(commands.Run("Space"));
  EXPECT_EQ(paused, 2);
  EXPECT_EQ(larger, 2);
  EXPECT_EQ(commands.num_run(), 4);
  EXPECT_EQ(commands.last(), "larger");
}

TEST(CommandTable, TwoOfOneNameOrKeyAreRefused) {
  CommandTable commands;
  commands.Add({"pause", "Space P", "", [] {}});
  EXPECT_THROW(commands.Add({"pause", "", "", [] {}}), InvalidArgument);
  EXPECT_THROW(commands.Add({"play", "X P", "", [] {}}), InvalidArgument);
  EXPECT_NO_THROW(commands.Add({"play", "X", "", [] {}}));
}

}  // namespace
}  // namespace parallax::app
