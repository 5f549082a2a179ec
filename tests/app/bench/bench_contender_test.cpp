#include "app/bench/bench_contender.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace parallax::app {
namespace {

TEST(ContenderTest, CountsAQuickFrameOnlyAfterOneOfItsOwn) {
  std::vector<const StereoFrame*> matched;
  Contender contender([&](const StereoFrame& frame) { matched.push_back(&frame); }, {});
  const StereoFrame first, second;
  contender.RunAfterAnother(first, second);
  EXPECT_EQ(matched, (std::vector<const StereoFrame*>{&first, &second}));
  ASSERT_EQ(contender.rows.size(), 1U);
  EXPECT_EQ(contender.rows[0].stage, "frame");
  EXPECT_EQ(contender.rows[0].samples_ms.size(), 1U);
}

TEST(ContenderTest, CountsEachSlowFrame) {
  int matched = 0;
  Contender contender(
      [&](const StereoFrame&) {
        ++matched;
        std::this_thread::sleep_for(std::chrono::milliseconds(101));
      },
      {});
  const StereoFrame frame;
  contender.Run(frame);
  contender.RunAfterAnother(frame, frame);
  EXPECT_EQ(matched, 2);
  EXPECT_EQ(contender.rows[0].samples_ms.size(), 2U);
}

}  // namespace
}  // namespace parallax::app
