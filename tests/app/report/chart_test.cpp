#include "app/report/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "app/report/html.h"

namespace parallax::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Chart, ACurveGoesFromCornerToCorner) {
  const std::string svg = SvgOf({"t", "x", "y", {{"", {{0, 0}, {10, 100}}}}});
  // The plot is from 52 to 466 px and from 254 up to 30 px; its top is 105.
  EXPECT_THAT(svg, HasSubstr("M52.0 254.0L466.0 40.7"));
}

TEST(Chart, WhatIsNotFiniteIsLeftOut) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = SvgOf({"t", "", "", {{"", {{0, 1}, {1, kNaN}, {2, 1}}}}});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(SvgOf({"empty", "", "", {{"", {{0, kNaN}}}}}), HasSubstr("nothing to show"));
}

TEST(Chart, APointWithoutOthersIsADot) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = SvgOf({"t", "", "", {{"", {{0, kNaN}, {1, 5}, {2, kNaN}}}}});
  EXPECT_THAT(svg, HasSubstr("<circle"));
  EXPECT_THAT(svg, Not(HasSubstr("<path")));
  EXPECT_THAT(SvgOf({"t", "", "", {{"", {{0, 1}, {1, 5}}}}}), Not(HasSubstr("<circle")));
}

TEST(Chart, TextIsEscaped) {
  EXPECT_THAT(SvgOf({"a < b", "", "", {{"", {{0, 0}, {1, 1}}}}}), HasSubstr("a &lt; b"));
}

TEST(Html, BytesBecomeBase64) {
  const std::uint8_t bytes[] = {'M', 'a', 'n', 'y'};
  EXPECT_EQ(DataUri("image/png", {bytes, 4}), "data:image/png;base64,TWFueQ==");
  EXPECT_EQ(DataUri("image/png", {bytes, 3}), "data:image/png;base64,TWFu");
  EXPECT_EQ(Escaped("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

}  // namespace
}  // namespace parallax::app
