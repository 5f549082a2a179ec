// Work that the frame pipeline leaves to matchers: rectifying raw frames, making depth and clouds.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/frame_pipeline.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"
#include "tests/support/raw_rigs.h"

namespace parallax {
namespace {

CameraImage NoiseImage(int width, int height, std::uint32_t seed) {
  HostImage<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image(x, y) = test::NoiseAt(x, y, seed);
  }
  return image;
}

const HostImage<std::uint8_t>& Gray(const CameraImage& image) {
  return std::get<HostImage<std::uint8_t>>(image);
}
bool Same(const CameraImage& a, const CameraImage& b) {
  return test::SamePixels(Gray(a).ConstView(), Gray(b).ConstView());
}

// A pair of raw images, or, with a rectifier, a rectified one.
StereoFrame NoiseFrame(FrameRectifier* rectifier = nullptr) {
  StereoFrame frame;
  frame.name = "raw";
  frame.left = NoiseImage(640, 480, 1);
  frame.right = NoiseImage(640, 480, 2);
  frame.rectified = false;
  frame.raw_rig = std::make_shared<const RawRig>(test::WideRig());
  if (rectifier != nullptr) rectifier->Rectify(frame);
  return frame;
}

class OneFrame : public FrameSource {
 public:
  explicit OneFrame(StereoFrame frame) : frame_(std::move(frame)) {}
  SourceKind kind() const override { return SourceKind::kPair; }
  std::optional<std::size_t> num_frames() const override { return 1; }
  std::optional<std::string> NextName() override {
    return frame_ ? std::optional(frame_->name) : std::nullopt;
  }
  StereoFrame Read() override { return *std::exchange(frame_, std::nullopt); }
  void Skip() override { frame_.reset(); }

 private:
  std::optional<StereoFrame> frame_;
};

// Every pixel has the disparity 1. Keeps what it is asked for.
class AskedQueue : public MatcherQueue {
 public:
  struct Asked {
    ExtraWork work;
    int width = 0, height = 0;  // of the image handed in
    std::uint8_t corner = 0;    // its first pixel
  };
  AskedQueue(const MatcherOptions& options, bool rectifies, std::vector<Asked>& asked)
      : options_(options), rectifies_(rectifies), asked_(asked) {}

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    SubmitWith(left, right, {});
  }
  void SubmitWith(const CameraImageView& left, const CameraImageView& /*right*/,
                  const ExtraWork& work) override {
    asked_.push_back(
        {work, WidthOf(left), HeightOf(left), std::get<HostImageView<const std::uint8_t>>(left)(0, 0)});
    in_flight_.push_back(work);
  }
  bool rectifies() const override { return rectifies_; }
  DisparityMapView Collect() override {
    map_ = {HostImage<float>(options_.width, options_.height, 1.0F),
            HostImage<std::uint8_t>(options_.width, options_.height, std::uint8_t{0}),
            HostImage<std::uint8_t>(options_.width, options_.height, std::uint8_t{9})};
    collected_ = std::move(in_flight_.front());
    in_flight_.pop_front();
    return ViewOf(map_);
  }
  ExtraResults TakeExtraResults() override {
    ExtraResults results;
    if (collected_.rectifier) {
      results.rectified = {NoiseImage(options_.width, options_.height, 11),
                           NoiseImage(options_.width, options_.height, 12)};
    }
    if (collected_.reprojection) {
      const auto depth_m = std::make_shared<const float>(4.0F);
      results.reprojected =
          ReprojectedFrame{.depth_m = {depth_m.get(), 1, 1}, .cloud = {}, .memory = depth_m};
    }
    return results;
  }
  std::size_t in_flight() const override { return in_flight_.size(); }
  std::size_t capacity() const override { return 1; }
  std::size_t memory_bytes() const override { return 0; }

 private:
  const MatcherOptions options_;
  const bool rectifies_;
  std::vector<Asked>& asked_;
  std::deque<ExtraWork> in_flight_;
  ExtraWork collected_;
  DisparityMap map_;
};

// One frame through the frame pipeline.
class ExtraWorkTest : public ::testing::Test {
 protected:
  void Run(StereoFrame frame, bool queue_rectifies) {
    steps_.parameters_for = [](const StereoFrame&) { return test::PlainParameters(); };
    steps_.make_matcher = [&, queue_rectifies](const Parameters&, const MatcherOptions& options) {
      return std::make_unique<AskedQueue>(options, queue_rectifies, asked_);
    };
    steps_.observe = [&](const std::shared_ptr<const MatchedFrame>& matched) { matched_ = matched; };
    steps_.report = [&](const FrameReport& report) { report_ = report; };
    RunFrames(std::make_shared<OneFrame>(std::move(frame)), steps_);
  }

  FrameSteps steps_;
  std::vector<AskedQueue::Asked> asked_;
  std::shared_ptr<const MatchedFrame> matched_;
  FrameReport report_;
};

RectificationOptions WithBorders() { return {.width_px = 500, .height_px = 400, .zoom = 0}; }

TEST_F(ExtraWorkTest, RawFramesAreRectifiedByAMatcherThatDoes) {
  steps_.rectifier = std::make_shared<FrameRectifier>(WithBorders());
  StereoFrame frame = NoiseFrame();
  steps_.rectifier->Prepare(frame);
  EXPECT_FALSE(frame.rectified);
  ASSERT_TRUE(frame.rig && frame.seen);
  EXPECT_FALSE(frame.seen->all);
  Run(std::move(frame), true);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].width, 640);  // raw
  ASSERT_TRUE(asked_[0].work.rectifier);
  EXPECT_TRUE(asked_[0].work.pixels);
  ASSERT_TRUE(matched_) << report_.error;
  EXPECT_TRUE(matched_->frame.rectified);
  EXPECT_TRUE(Same(matched_->frame.left, NoiseImage(500, 400, 11)));  // the matcher's, of the rectified size
  EXPECT_TRUE(Same(matched_->frame.right, NoiseImage(500, 400, 12)));
  EXPECT_EQ(matched_->map.disparity()(0, 0), 1.0F);  // borders are its business
}

TEST_F(ExtraWorkTest, ElseThePipelineRectifiesThem) {
  steps_.rectifier = std::make_shared<FrameRectifier>(WithBorders());
  const StereoFrame wanted = NoiseFrame(steps_.rectifier.get());
  Run(NoiseFrame(), false);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].width, 500);
  EXPECT_FALSE(asked_[0].work.rectifier);
  ASSERT_TRUE(matched_) << report_.error;
  EXPECT_TRUE(Same(matched_->frame.left, wanted.left));
  EXPECT_TRUE(Same(matched_->frame.right, wanted.right));
  EXPECT_TRUE(std::isnan(matched_->map.disparity()(0, 0)));  // a border
}

TEST_F(ExtraWorkTest, WithoutARectifierRawFramesFail) {
  Run(NoiseFrame(), true);
  EXPECT_EQ(report_.outcome, FrameOutcome::kFailed);
  EXPECT_NE(report_.error.find("not rectified"), std::string::npos);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(ExtraWorkTest, DepthIsWantedOfMapsThatStayAsTheyAre) {
  steps_.reprojection_for = [](const StereoFrame& frame) { return WantedReprojection{*frame.rig, true}; };
  FrameRectifier without_borders, with_borders(WithBorders());
  Run(NoiseFrame(&without_borders), false);
  ASSERT_TRUE(asked_[0].work.reprojection);
  EXPECT_TRUE(asked_[0].work.reprojection->cloud);
  ASSERT_TRUE(matched_->reprojected);
  EXPECT_EQ(matched_->reprojected->depth_m(0, 0), 4.0F);
  // Borders are taken away after the matcher.
  Run(NoiseFrame(&with_borders), false);
  EXPECT_FALSE(asked_[1].work.reprojection);
  EXPECT_FALSE(matched_->reprojected);
  // By it, where it rectifies.
  steps_.rectifier = std::make_shared<FrameRectifier>(WithBorders());
  StereoFrame frame = NoiseFrame();
  steps_.rectifier->Prepare(frame);
  Run(std::move(frame), true);
  EXPECT_TRUE(asked_[2].work.reprojection);
  // Filters over time come after it, too.
  steps_.refine_in_order = [](MatchedFrame&) {};
  Run(NoiseFrame(&without_borders), false);
  EXPECT_FALSE(asked_[3].work.reprojection);
}

TEST(MatcherQueue, OneThatDoesNotRectifyRefusesRawImages) {
  class Plain : public StereoMatcher {
   public:
    void Compute(const CameraImageView&, const CameraImageView&, DisparityMap&, StageTimes*,
                 StageResults*) override {}
    std::string_view backend() const override { return "plain"; }
    std::size_t memory_bytes() const override { return 0; }
  };
  const auto queue = MakeQueueOfOne(std::make_unique<Plain>());
  EXPECT_FALSE(queue->rectifies());
  const CameraImage image = NoiseImage(640, 480, 1);
  const ExtraWork raw{.rectifier = std::make_shared<const Rectifier>(test::WideRig())};
  EXPECT_THROW(queue->SubmitWith(ViewOf(image), ViewOf(image), raw), InvalidArgument);
  queue->SubmitWith(ViewOf(image), ViewOf(image), {.reprojection = WantedReprojection{}});
  queue->Collect();
  EXPECT_FALSE(queue->TakeExtraResults().reprojected);  // left to the caller
}

}  // namespace
}  // namespace parallax
