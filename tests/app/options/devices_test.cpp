// Several devices by name, and how commands that one device is enough for refuse them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/options/shared_options.h"
#include "parallax/error.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using app::ParseDevices;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Devices, OneSeveralOrAll) {
  EXPECT_THAT(ParseDevices("3").numbers, ElementsAre(3));
  EXPECT_FALSE(ParseDevices("3").all);
  EXPECT_THAT(ParseDevices("2,0,1").numbers, ElementsAre(2, 0, 1));
  EXPECT_TRUE(ParseDevices("all").all);
}

TEST(Devices, WhatIsNoneIsNamedWithTheRemedy) {
  for (const char* text : {"", ",", "0,", "-1", "0,x", "1024", "0 1", "0,1,0", "All", "0x1", "99999999999"}) {
    try {
      ParseDevices(text);
      FAIL() << "'" << text << "' is accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("--device ") + text + ": "));
      EXPECT_THAT(error.what(), HasSubstr("several as 0,1,2, or all"));
    }
  }
}

TEST(Devices, SeveralAreNothingToTheCpu) {
  const TemporaryFolder folder;
  for (const char* devices : {"all", "0,1"}) {
    const ProgramResult result =
        RunParallax({"eval", "synthetic:drive,frames=1,width=64,height=32", "--set",
                     "matching_cost.num_disparities=16", "--backend", "cpu", "--device", devices});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

TEST(Devices, WrongUsageIsOneLine) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "synthetic:drive", "--device", "0,0"},
        {"bench", "--device", "gpu"},
        {"eval", "synthetic:drive", "--device", "0,-2"},
        {"view", "synthetic:drive", "--device", "0,1"}}) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.front();
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr("--device"));
  }
}

}  // namespace
}  // namespace parallax::test
