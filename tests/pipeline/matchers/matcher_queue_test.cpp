// A matcher as a queue of one frame.
#include "pipeline/matchers/matcher_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "parallax/error.h"

namespace parallax {
namespace {

// The disparity is the gray value of the left image; a white one cannot be matched.
class GrayMatcher : public StereoMatcher {
 public:
  void Compute(const CameraImageView& left, const CameraImageView& /*right*/, DisparityMap& result,
               StageTimes* times, StageResults* /*stages*/) override {
    const auto& gray = std::get<HostImageView<const std::uint8_t>>(left);
    if (gray(0, 0) == 255) throw InvalidArgument("white");
    result.disparity = HostImage<float>(1, 1, static_cast<float>(gray(0, 0)));
    if (times != nullptr) *times = {}, (*times)[Stage::kFilter] = gray(0, 0);
  }
  std::string_view backend() const override { return "gray"; }
  std::size_t memory_bytes() const override { return 7; }
};

void Submit(MatcherQueue& queue, int gray) {
  const HostImage<std::uint8_t> image(1, 1, static_cast<std::uint8_t>(gray));
  queue.Submit(image.ConstView(), image.ConstView());
}

TEST(QueueOfOne, GivesWhatTheMatcherGives) {
  const auto queue = MakeQueueOfOne(std::make_unique<GrayMatcher>());
  EXPECT_EQ(queue->capacity(), 1U);
  EXPECT_EQ(queue->memory_bytes(), 7U);
  EXPECT_THROW(queue->Collect(), Error);
  for (const int gray : {3, 5}) {
    Submit(*queue, gray);
    EXPECT_EQ(queue->in_flight(), 1U);
    EXPECT_EQ(queue->Take().disparity(0, 0), static_cast<float>(gray));
    EXPECT_EQ(queue->times()[Stage::kFilter], gray);
    EXPECT_EQ(queue->in_flight(), 0U);
  }
}

TEST(QueueOfOne, AFrameThatFailsIsNotInFlight) {
  const auto queue = MakeQueueOfOne(std::make_unique<GrayMatcher>());
  EXPECT_THROW(Submit(*queue, 255), InvalidArgument);
  EXPECT_EQ(queue->in_flight(), 0U);
  Submit(*queue, 9);
  EXPECT_EQ(queue->Collect().disparity(0, 0), 9);
}

TEST(QueueOfOne, OneThreadSubmitsAndAnotherCollects) {
  const auto queue = MakeQueueOfOne(std::make_unique<GrayMatcher>());
  std::jthread submitter([&] {
    for (int gray = 0; gray < 100; ++gray) Submit(*queue, gray);
  });
  for (int gray = 0; gray < 100; ++gray) {
    while (queue->in_flight() == 0) std::this_thread::yield();
    EXPECT_EQ(queue->Take().disparity(0, 0), static_cast<float>(gray));
  }
}

}  // namespace
}  // namespace parallax
