// The recorder: frames from another thread become messages, all of them and in their order.
#include "app/frames/recorder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "datasets/live/recording_source.h"
#include "pipeline/cloud/reprojection.h"
#include "tests/support/recordings.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

constexpr int kRecordedWidth = 9, kRecordedHeight = 5;

std::shared_ptr<const MatchedFrame> Frame(std::size_t index) {
  auto matched = std::make_shared<MatchedFrame>();
  matched->index = index;
  matched->frame.name = "frame" + std::to_string(index);
  matched->frame.left =
      test::Pattern<std::uint8_t>(kRecordedWidth, kRecordedHeight, static_cast<unsigned>(index));
  matched->frame.right =
      test::Pattern<std::uint8_t>(kRecordedWidth, kRecordedHeight, static_cast<unsigned>(index) + 1);
  matched->frame.rig = StereoRig{100, 4, 2, 0.1, 0};
  matched->map = DisparityMap{HostImage<float>(kRecordedWidth, kRecordedHeight, 2.5F),
                              HostImage<std::uint8_t>(kRecordedWidth, kRecordedHeight, kValid),
                              HostImage<std::uint8_t>(kRecordedWidth, kRecordedHeight, std::uint8_t{200})};
  matched->map.Own().validity(3, 2) = kOccluded | kFilled;  // no point, unless it is asked for
  return matched;
}

// More frames than wait in its queue, and more than a chunk holds.
TEST(Recorder, KeepsEveryFrameInOrder) {
  constexpr std::size_t kFrames = 70;
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "a.mcap").string();
  {
    Recorder recorder({.file = file, .outputs = {"depth", "disparity", "cloud"}});
    for (std::size_t i = 0; i < kFrames; ++i) recorder.Record(Frame(i));
    recorder.Finish();
    recorder.ThrowOnLoss();
    EXPECT_NE(recorder.Text().find("recorded 70 frames"), std::string::npos);
  }
  const auto source = OpenRecording(file);
  for (std::size_t i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(source->NextName());
    const StereoFrame frame = source->Read();
    EXPECT_EQ(frame.name, "frame" + std::to_string(i));
    EXPECT_EQ(std::get<HostImage<std::uint8_t>>(frame.left)(3, 2),
              test::Pattern<std::uint8_t>(kRecordedWidth, kRecordedHeight, static_cast<unsigned>(i))(3, 2));
  }
  EXPECT_FALSE(source->NextName());
}

// What the matcher has made of a frame is recorded, and not made again: the same bytes where it is the same,
// and its own where it is not.
TEST(Recorder, TakesTheDepthThatTheMatcherMade) {
  const test::TemporaryFolder folder;
  bool shows_filled = false;
  const auto bytes_of = [&](const std::shared_ptr<const MatchedFrame>& frame) {
    const std::string file = (folder.path() / "a.mcap").string();
    Recorder recorder({.file = file, .outputs = {"depth", "depth-mm", "cloud"}, .show_filled = shows_filled});
    recorder.Record(frame);
    recorder.Finish();
    recorder.ThrowOnLoss();
    return test::ReadText(file);
  };
  const auto made_by_matcher = [](const std::shared_ptr<const MatchedFrame>& plain, bool with_cloud,
                                  float disparity_px) {
    struct Made {
      HostImage<float> depth_m{kRecordedWidth, kRecordedHeight};
      PointCloud cloud;
    };
    auto made = std::make_shared<Made>();
    DepthFromDisparity(HostImage<float>(kRecordedWidth, kRecordedHeight, disparity_px).ConstView(),
                       *plain->frame.rig, {}, made->depth_m.View());
    made->cloud = CloudFromDepth(made->depth_m.ConstView(), ViewOf(plain->frame.left), *plain->frame.rig);
    auto matched = std::const_pointer_cast<MatchedFrame>(Frame(0));
    matched->reprojected =
        ReprojectedFrame{.depth_m = made->depth_m.ConstView(), .cloud = {}, .memory = made};
    if (with_cloud) matched->reprojected->cloud = made->cloud;
    return matched;
  };
  const std::string expected = bytes_of(Frame(0));
  EXPECT_EQ(bytes_of(made_by_matcher(Frame(0), true, 2.5F)), expected);
  EXPECT_EQ(bytes_of(made_by_matcher(Frame(0), false, 2.5F)), expected);
  EXPECT_NE(bytes_of(made_by_matcher(Frame(0), true, 3)), expected);
  shows_filled = true;
  EXPECT_NE(bytes_of(Frame(0)), expected);
  EXPECT_EQ(bytes_of(made_by_matcher(Frame(0), true, 2.5F)), bytes_of(Frame(0)));
}

// Its end without Finish, as an error on the way has it, loses nothing that was handed over.
TEST(Recorder, FinishesWhenItGoes) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "a.mcap").string();
  {
    Recorder recorder({.file = file, .outputs = {}});
    for (std::size_t i = 0; i < 3; ++i) recorder.Record(Frame(i));
  }
  EXPECT_EQ(OpenRecording(file)->num_frames(), 3U);
}

}  // namespace
}  // namespace parallax::app
