#include "app/bench/bench_contender.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace parallax::app {
namespace {

// A contender whose frames take a given time, and what it has matched.
class ContenderTest : public ::testing::Test {
 protected:
  ContenderTest() {
    contender_.emplace(
        [this](const StereoFrame& frame) {
          matched_.push_back(&frame);
          now_ms_ += frame_ms_;
        },
        BenchRow{}, [this] { return now_ms_; });
  }

  double now_ms_ = 1000, frame_ms_ = 0;
  std::vector<const StereoFrame*> matched_;
  std::optional<Contender> contender_;
  const StereoFrame first_, second_;
};

TEST_F(ContenderTest, CountsAQuickFrameOnlyAfterOneOfItsOwn) {
  frame_ms_ = 99;
  contender_->RunAfterAnother(first_, second_);
  EXPECT_EQ(matched_, (std::vector<const StereoFrame*>{&first_, &second_}));
  ASSERT_EQ(contender_->rows.size(), 1U);
  EXPECT_EQ(contender_->rows[0].stage, "frame");
  EXPECT_EQ(contender_->rows[0].samples_ms, std::vector<double>{99});
  contender_->RunAfterAnother(first_, second_);
  EXPECT_EQ(matched_.size(), 4U);
}

TEST_F(ContenderTest, CountsEachSlowFrame) {
  frame_ms_ = 100;
  contender_->Run(first_);
  contender_->RunAfterAnother(first_, second_);
  EXPECT_EQ(matched_, (std::vector<const StereoFrame*>{&first_, &second_}));
  EXPECT_EQ(contender_->rows[0].samples_ms, (std::vector<double>{100, 100}));
}

}  // namespace
}  // namespace parallax::app
