#include "app/report/sign_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "parallax/error.h"

namespace parallax::app {
namespace {

TEST(SignTest, CountsFramesAndTakesBothTails) {
  const std::vector<double> a{5, 4, 3, 2, 1}, b{4, 3, 2, 1, 1};
  const SignTest test = TestSigns(a, b);
  EXPECT_EQ(test.num_better, 4U);
  EXPECT_EQ(test.num_worse, 0U);
  EXPECT_EQ(test.num_equal, 1U);
  EXPECT_DOUBLE_EQ(test.mean_difference, -0.8);
  EXPECT_NEAR(test.p, 2.0 / 16, 1e-12);  // 4 of 4: 2 / 2^4
}

TEST(SignTest, NineOfTenByHand) {
  const std::vector<double> a(10, 1.0);
  std::vector<double> b(10, 0.5);
  b[3] = 2;
  EXPECT_NEAR(TestSigns(a, b).p, 2 * (1 + 10) / 1024.0, 1e-12);
}

TEST(SignTest, EvenSignsAndNoFramesSayNothing) {
  const std::vector<double> a{1, 2}, b{2, 1};
  EXPECT_EQ(TestSigns(a, b).p, 1);
  EXPECT_EQ(TestSigns({}, {}).p, 1);
  EXPECT_TRUE(std::isnan(TestSigns({}, {}).mean_difference));
}

TEST(SignTest, ManyFramesDoNotOverflow) {
  const std::vector<double> a(2000, 1.0), b(2000, 0.0);
  EXPECT_EQ(TestSigns(a, b).p, 0);
  EXPECT_EQ(TextOfP(TestSigns(a, b).p), "< 0.001");  // never nothing
  EXPECT_EQ(TextOfP(0.25), "0.250");
  EXPECT_THROW(TestSigns(a, {}), InvalidArgument);
}

}  // namespace
}  // namespace parallax::app
