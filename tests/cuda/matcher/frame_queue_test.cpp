// What queues do beside matching: raw images rectified, depth and clouds, as the host makes them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/device/page_locked_memory.h"
#include "cuda/matcher/cuda_matcher.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/types/clone_image.h"
#include "pipeline/types/host_memory.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/plain_parameters.h"
#include "tests/support/raw_rigs.h"

namespace parallax::test {
namespace {

class CudaFrameQueueTest : public CudaTest {};

// WideRig's or FisheyeRig's cameras, less sharp: small images, soon matched.
RawRig SmallRig(RawRig rig) {
  for (CameraModel* camera : {&rig.left, &rig.right}) {
    camera->width_px /= 4;
    camera->height_px /= 4;
    for (double* value : {&camera->fx_px, &camera->fy_px, &camera->cx_px, &camera->cy_px}) *value /= 4;
  }
  return rig;
}

struct Frame {
  CameraImage left, right;
  ExtraWork work;
  // What the host makes of it.
  DisparityMap map;
  std::optional<RectifiedPair> rectified;
  HostImage<float> depth_m;
  PointCloud cloud;
};

const MatcherOptions kLargest{.width = 160, .height = 120};

Parameters SomeParameters() {
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 48;
  parameters.reprojection = {.min_depth_m = 0.5F, .max_depth_m = 30.0F};
  return parameters;
}

// A pair of noise in shifted blocks; constant: all pixels are equal.
Frame MakeFrame(int width, int height, int pixel_type, std::uint64_t seed, bool constant = false) {
  SweepCase c = MakeSweepCase(seed);
  c.options.width = width;
  c.options.height = height;
  c.pixel_type = pixel_type;
  c.content = 5;
  SweepPair pair = MakeSweepPair(c);
  Frame frame;
  frame.left = std::move(pair.left);
  frame.right = std::move(pair.right);
  if (constant) {
    frame.left = HostImage<std::uint8_t>(width, height, 77);
    frame.right = HostImage<std::uint8_t>(width, height, 77);
  }
  return frame;
}

void AddTruth(StereoMatcher& matcher, Frame& frame) {
  const Rectifier* rectifier = frame.work.rectifier.get();
  if (rectifier != nullptr) {
    frame.rectified = {rectifier->RectifyLeft(ViewOf(frame.left)),
                       rectifier->RectifyRight(ViewOf(frame.right))};
  }
  const CameraImageView left = ViewOf(rectifier != nullptr ? frame.rectified->left : frame.left);
  const CameraImageView right = ViewOf(rectifier != nullptr ? frame.rectified->right : frame.right);
  matcher.Compute(left, right, frame.map);
  if (rectifier != nullptr) RemoveUnseen(*rectifier->seen(), frame.map);
  if (!frame.work.reprojection) return;
  const StereoRig& rig = frame.work.reprojection->rig;
  frame.depth_m = HostImage<float>(frame.map.disparity.width(), frame.map.disparity.height());
  DepthFromDisparity(frame.map.disparity.ConstView(), rig, SomeParameters().reprojection,
                     frame.depth_m.View());
  if (frame.work.reprojection->cloud) frame.cloud = CloudFromDepth(frame.depth_m.ConstView(), left, rig);
}

bool Same(const CameraImage& a, const CameraImage& b) {
  return std::visit(
      [&]<typename T>(const HostImage<T>& first) {
        const auto* second = std::get_if<HostImage<T>>(&b);
        if (second == nullptr || first.width() != second->width() || first.height() != second->height())
          return false;
        const std::size_t row_bytes = static_cast<std::size_t>(first.width()) * sizeof(T);
        for (int y = 0; y < first.height(); ++y) {
          if (std::memcmp(first.Row(y), second->Row(y), row_bytes) != 0) return false;
        }
        return true;
      },
      a);
}

void ExpectReprojection(const Frame& frame, const std::optional<ReprojectedFrame>& made) {
  ASSERT_EQ(made.has_value(), frame.work.reprojection.has_value());
  if (!made) return;
  HostImage<float> depth_m(made->depth_m.width, made->depth_m.height);
  for (int y = 0; y < depth_m.height(); ++y)
    std::copy_n(made->depth_m.Row(y), depth_m.width(), depth_m.Row(y));
  EXPECT_EQ(DifferenceOf("depth", frame.depth_m, depth_m), "");
  ASSERT_EQ(made->cloud.has_value(), frame.work.reprojection->cloud);
  if (!made->cloud) return;
  EXPECT_TRUE(std::ranges::equal(made->cloud->points, frame.cloud.points));
  EXPECT_TRUE(std::ranges::equal(made->cloud->colors, frame.cloud.colors));
}

// Frames that come rectified and raw ones of two rigs, of all pixel types, with and without depth and cloud.
std::vector<Frame> MixedFrames() {
  const auto wide = std::make_shared<const Rectifier>(SmallRig(WideRig()), RectificationOptions{.zoom = 0});
  const auto fisheye = std::make_shared<const Rectifier>(
      SmallRig(FisheyeRig()), RectificationOptions{.width_px = 131, .height_px = 97, .zoom = 1.3});
  EXPECT_FALSE(wide->seen()->all);
  EXPECT_TRUE(fisheye->seen()->all);
  std::vector<Frame> frames;
  for (int i = 0; i < 18; ++i) {
    const int kind = i % 3;
    Frame frame = kind == 0 ? MakeFrame(130 + i, 100 - i, i / 3 % 3, static_cast<std::uint64_t>(i))
                            : MakeFrame(160, 120, i / 3 % 3, static_cast<std::uint64_t>(i), i == 17);
    if (kind > 0) frame.work.rectifier = kind == 1 ? wide : fisheye;
    const StereoRig rig = kind > 0
                              ? frame.work.rectifier->rectification().rig
                              : StereoRig{.fx_px = 70.0 + i, .cx_px = 66, .cy_px = 50, .baseline_m = 0.3};
    if (i % 4 != 3) frame.work.reprojection = WantedReprojection{rig, i % 4 != 2};
    frames.push_back(std::move(frame));
  }
  const auto matcher = MakeCudaMatcher(SomeParameters(), kLargest);
  for (Frame& frame : frames) AddTruth(*matcher, frame);
  return frames;
}

TEST_F(CudaFrameQueueTest, DoesBesideMatchingWhatTheHostDoes) {
  const std::vector<Frame> frames = MixedFrames();
  for (const int num_in_flight : {1, 2, 4}) {
    SCOPED_TRACE(num_in_flight);
    const auto queue = MakeCudaFrameQueue(SomeParameters(), kLargest, num_in_flight);
    EXPECT_TRUE(queue->rectifies());
    // Results are kept to the end: what is lent stays as it is while later frames are matched.
    std::vector<std::optional<ReprojectedFrame>> reprojected;
    std::vector<FinishedMap> maps;
    const auto collect = [&] {
      const Frame& frame = frames[reprojected.size() % frames.size()];
      maps.push_back(queue->Borrow());
      ExtraResults extra = queue->TakeExtraResults();
      reprojected.push_back(std::move(extra.reprojected));
      ASSERT_EQ(extra.rectified.has_value(), frame.rectified.has_value());
      if (!frame.rectified) return;
      EXPECT_TRUE(Same(extra.rectified->left, frame.rectified->left));
      EXPECT_TRUE(Same(extra.rectified->right, frame.rectified->right));
    };
    for (int round = 0; round < 3; ++round) {
      for (const Frame& frame : frames) {
        if (queue->in_flight() == queue->capacity()) collect();
        queue->SubmitWith(ViewOf(frame.left), ViewOf(frame.right), frame.work);
      }
    }
    while (queue->in_flight() > 0) collect();
    ASSERT_EQ(reprojected.size(), 3 * frames.size());
    for (std::size_t i = 0; i < reprojected.size(); ++i) {
      SCOPED_TRACE(i);
      ExpectReprojection(frames[i % frames.size()], reprojected[i]);
      EXPECT_EQ(DifferenceOf("map", frames[i % frames.size()].map, maps[i].Own()), "");
    }
    EXPECT_FALSE(queue->TakeExtraResults().reprojected);  // once
  }
}

// The device copies such images from where they are, while the queue holds them.
TEST_F(CudaFrameQueueTest, TakesImagesFromPageLockedMemory) {
  struct Pair {
    CameraImage left, right;
  };
  const std::vector<Frame> frames = MixedFrames();
  const auto memory = std::make_shared<cuda::PageLockedMemory>(0);
  for (const int num_in_flight : {1, 3}) {
    SCOPED_TRACE(num_in_flight);
    const auto queue = MakeCudaFrameQueue(SomeParameters(), kLargest, num_in_flight);
    std::size_t num_collected = 0;
    const auto collect = [&] {
      const Frame& frame = frames[num_collected++ % frames.size()];
      EXPECT_EQ(DifferenceOf("map", frame.map, queue->Take()), "");
      ExpectReprojection(frame, queue->TakeExtraResults().reprojected);
    };
    for (std::size_t i = 0; i < 3 * frames.size(); ++i) {
      const Frame& frame = frames[i % frames.size()];
      if (queue->in_flight() == queue->capacity()) collect();
      const auto pair = std::make_shared<Pair>();
      {
        const UseHostMemory use(i % 5 == 4 ? nullptr : memory);
        pair->left = CloneImage(ViewOf(frame.left));
      }
      {
        const UseHostMemory use(i % 7 == 6 ? nullptr : memory);
        pair->right = CloneImage(ViewOf(frame.right));
      }
      ExtraWork work = frame.work;
      if (i % 4 != 3) work.pixels = pair;  // else they are gone at once
      queue->SubmitWith(ViewOf(pair->left), ViewOf(pair->right), work);
    }
    while (queue->in_flight() > 0) collect();
    EXPECT_EQ(num_collected, 3 * frames.size());
  }
}

// Who keeps results finds that later frames go without, and loses nothing.
TEST_F(CudaFrameQueueTest, LendsNoMoreThanItsMemory) {
  Frame frame = MakeFrame(160, 120, 0, 5);
  frame.work.reprojection =
      WantedReprojection{{.fx_px = 70, .cx_px = 66, .cy_px = 50, .baseline_m = 0.3}, true};
  const MatcherOptions large{.width = 3000, .height = 2400};  // 137 MB of depth and cloud
  Parameters parameters = SomeParameters();
  parameters.matching_cost.num_disparities = 16;
  parameters.aggregation.num_paths = 4;
  AddTruth(*MakeCudaMatcher(parameters, large), frame);
  const auto queue = MakeCudaFrameQueue(parameters, large, 1);
  std::vector<std::optional<ReprojectedFrame>> kept;
  for (int i = 0; i < 6; ++i) {
    queue->SubmitWith(ViewOf(frame.left), ViewOf(frame.right), frame.work);
    EXPECT_EQ(DifferenceOf("map", frame.map, queue->Take()), "");
    kept.push_back(queue->TakeExtraResults().reprojected);
    EXPECT_EQ(kept.back().has_value(), i < 4);
  }
  for (const auto& made : kept) {
    if (made) ExpectReprojection(frame, *made);
  }
  kept.clear();
  queue->SubmitWith(ViewOf(frame.left), ViewOf(frame.right), frame.work);
  queue->Collect();
  ExpectReprojection(frame, queue->TakeExtraResults().reprojected);
}

TEST_F(CudaFrameQueueTest, GoesOnAfterWhatItRefuses) {
  const auto rectifier = std::make_shared<const Rectifier>(SmallRig(WideRig()));
  const Frame raw = MakeFrame(160, 120, 0, 3), small = MakeFrame(150, 120, 0, 4);
  for (const int num_in_flight : {1, 3}) {
    const auto queue = MakeCudaFrameQueue(SomeParameters(), {.width = 155, .height = 120}, num_in_flight);
    const auto submit = [&](const Frame& frame, const ExtraWork& work) {
      queue->SubmitWith(ViewOf(frame.left), ViewOf(frame.right), work);
    };
    EXPECT_THROW(submit(raw, {.rectifier = rectifier}), InvalidArgument);    // 160 px rectified, too
    EXPECT_THROW(submit(small, {.rectifier = rectifier}), InvalidArgument);  // not the rig's size
    EXPECT_THROW(submit(small, {.reprojection = WantedReprojection{}}), InvalidArgument);  // no focal length
    EXPECT_EQ(queue->in_flight(), 0U);
    submit(small, {});
    queue->Collect();
    const ExtraResults extra = queue->TakeExtraResults();
    EXPECT_FALSE(extra.rectified || extra.reprojected);
  }
}

// Stages are timed where one frame is in flight.
TEST_F(CudaFrameQueueTest, OneInFlightIsTimed) {
  Frame frame = MakeFrame(160, 120, 0, 5);
  frame.work.reprojection =
      WantedReprojection{{.fx_px = 70, .cx_px = 66, .cy_px = 50, .baseline_m = 0.3}, true};
  const auto queue = MakeCudaFrameQueue(SomeParameters(), kLargest, 1);
  queue->SubmitWith(ViewOf(frame.left), ViewOf(frame.right), frame.work);
  EXPECT_EQ(queue->in_flight(), 1U);
  queue->Collect();
  for (const Stage stage : {Stage::kCensusTransform, Stage::kMatchingCost, Stage::kAggregation,
                            Stage::kConsistency, Stage::kFilter, Stage::kReprojection}) {
    EXPECT_GT(queue->times()[stage], 0.0);
  }
  EXPECT_THROW(queue->Collect(), Error);
}

}  // namespace
}  // namespace parallax::test
