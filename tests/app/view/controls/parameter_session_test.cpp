#include "app/view/controls/parameter_session.h"

#include <gtest/gtest.h>

#include <string>

#include "app/view/controls/new_file.h"
#include "config/parameter_text.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

TEST(ParameterSession, ChangesOneSetTellsAndTakesBack) {
  ParameterSession session({}, "default");
  int num_changes = 0;
  session.on_change = [&] { ++num_changes; };
  EXPECT_FALSE(session.Set(false, "aggregation.p1", "9"));
  EXPECT_EQ(session.Get(false).parameters.aggregation.p1, 9);
  EXPECT_TRUE(session.Get(false).IsChosen("aggregation.p1"));
  EXPECT_EQ(session.Get(true).parameters, Parameters{});
  ASSERT_EQ(session.DifferencesOf(false).size(), 1u);
  EXPECT_EQ(session.DifferencesOf(false)[0].key, "aggregation.p1");
  EXPECT_EQ(session.DifferencesOf(false)[0].at_first, "16");
  EXPECT_FALSE(session.Set(false, "aggregation.p1", "9"));  // nothing new
  EXPECT_EQ(num_changes, 1);
  EXPECT_FALSE(session.Set(true, "method", "ad_census"));
  EXPECT_TRUE(session.Undo());
  EXPECT_EQ(session.Get(true).parameters, Parameters{});
  EXPECT_TRUE(session.Undo());
  EXPECT_EQ(session.Get(false).parameters, Parameters{});
  EXPECT_FALSE(session.Undo());
  EXPECT_EQ(session.version(), 4);
}

TEST(ParameterSession, WhatCannotBeIsToldAndLeavesAllAsItWas) {
  ParameterSession session({}, "default");
  for (const char* text : {"ten", "-1", "9000", "100"}) {  // the last: above p2
    const auto wrong = session.Set(false, "aggregation.p1", text);
    ASSERT_TRUE(wrong) << text;
    EXPECT_NE(wrong->find("aggregation.p1"), std::string::npos) << *wrong;
  }
  EXPECT_EQ(session.version(), 0);
  EXPECT_EQ(session.Get(false).parameters, Parameters{});
}

TEST(ParameterSession, EveryParameterCanBeSteppedBothWays) {
  for (const std::string& key : ParameterKeys()) {
    for (const int direction : {1, -1}) {
      ParameterSession session({}, "default");
      const bool changed = !session.Step(false, key, direction) && session.version() == 1;
      ParameterSession other({}, "default");
      const bool other_way = !other.Step(false, key, -direction) && other.version() == 1;
      EXPECT_TRUE(changed || other_way) << key;
    }
  }
}

TEST(ParameterSession, ResetIsAChangeToo) {
  ParameterSession session({}, "default");
  session.Set(false, "filter.fill", "false");
  session.Reset(false);
  EXPECT_TRUE(session.DifferencesOf(false).empty());
  EXPECT_TRUE(session.Undo());
  EXPECT_FALSE(session.Get(false).parameters.filter.fill);
}

TEST(NewName, IsNoneThatIsThere) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(NewName(folder.path(), "a", ".yaml"), folder.path() / "a.yaml");
  test::WriteText(folder.path() / "a.yaml", "");
  std::filesystem::create_symlink("nowhere", folder.path() / "a-2.yaml");
  EXPECT_EQ(NewName(folder.path(), "a", ".yaml"), folder.path() / "a-3.yaml");
}

}  // namespace
}  // namespace parallax::app
