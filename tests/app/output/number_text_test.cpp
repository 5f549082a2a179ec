#include "app/output/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace parallax::app {
namespace {

TEST(NumberText, ThousandsStandApart) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1 000");
  EXPECT_EQ(WithThousands(1234567), "1 234 567");
  EXPECT_EQ(CountOf(1, "point"), "1 point");
  EXPECT_EQ(CountOf(31622, "point"), "31 622 points");
}

TEST(NumberText, FourDigitsWithoutExponents) {
  EXPECT_EQ(FourDigits(0), "0");
  EXPECT_EQ(FourDigits(0.0123456), "0.01235");
  EXPECT_EQ(FourDigits(-12.3456), "-12.35");
  EXPECT_EQ(FourDigits(9999.4), "9999");
  EXPECT_EQ(FourDigits(129249), "129 200");
  EXPECT_EQ(FourDigits(-129250.1), "-129 300");
  EXPECT_EQ(FourDigits(2.5e12), "2.5e+12");
  EXPECT_EQ(FourDigits(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(FourDigits(std::numeric_limits<double>::quiet_NaN()), "-");
}

}  // namespace
}  // namespace parallax::app
