#include "datasets/synthetic/synthetic_source.h"

#include <gtest/gtest.h>

#include <set>

#include "datasets/synthetic/random.h"
#include "datasets/synthetic/spec.h"
#include "parallax/error.h"
#include "tests/datasets/synthetic_frames.h"

namespace parallax {
namespace {

using test::RenderFrame;
using test::SameFrame;
using test::SamePixels;

TEST(SyntheticSource, DeliversNamedFramesWithRigAndTime) {
  const auto source = OpenSyntheticSource("synthetic:drive,width=50,height=20,frames=3,samples=1", {});
  EXPECT_EQ(source->kind(), SourceKind::kSynthetic);
  EXPECT_EQ(source->num_frames(), 3U);
  EXPECT_EQ(source->NextName(), "000000_10");
  const StereoFrame first = source->Read();
  EXPECT_EQ(first.name, "000000_10");
  EXPECT_EQ(first.timestamp_s, 0.0);
  EXPECT_FALSE(first.truth.has_value()) << "truth was not asked for";
  EXPECT_FALSE(OpenSyntheticSource("shift,width=50,height=20,samples=1", {})->Read().truth.has_value());
  ASSERT_TRUE(first.rig.has_value());
  EXPECT_GT(first.rig->baseline_m, 0);
  source->Skip();
  EXPECT_EQ(source->NextName(), "000002_10");
  EXPECT_DOUBLE_EQ(source->Read().timestamp_s.value(), 0.2);
  EXPECT_EQ(source->NextName(), std::nullopt);
  EXPECT_THROW(source->Read(), Error);
}

TEST(SyntheticSource, DriveHasKittisRig) {
  const StereoRig rig = OpenSyntheticSource("drive,samples=1", {})->Read().rig.value();
  EXPECT_DOUBLE_EQ(rig.fx_px, 721.5377);
  EXPECT_DOUBLE_EQ(rig.cx_px, 609.5593);
  EXPECT_DOUBLE_EQ(rig.cy_px, 172.854);
  EXPECT_DOUBLE_EQ(rig.baseline_m, 0.5327);
}

TEST(SyntheticSource, SameSpecSameBytesOnAnyNumberOfThreads) {
  for (const std::string scene : {"planes", "slanted", "spheres", "boxes", "drive", "shift"}) {
    const std::string spec = scene + ",width=97,height=41,noise=3";
    const StereoFrame one = RenderFrame(spec + ",threads=1");
    EXPECT_TRUE(SameFrame(one, RenderFrame(spec + ",threads=1"))) << scene;
    EXPECT_TRUE(SameFrame(one, RenderFrame(spec + ",threads=2"))) << scene;
    EXPECT_TRUE(SameFrame(one, RenderFrame(spec + ",threads=7"))) << scene;
    EXPECT_FALSE(SameFrame(one, RenderFrame(spec + ",seed=2"))) << scene;
  }
}

TEST(SyntheticSource, SkippedFramesDoNotChangeTheNext) {
  const auto source =
      OpenSyntheticSource("drive,width=97,height=41,frames=3", {.kind = "", .with_truth = true});
  const StereoFrame first = source->Read(), second = source->Read(), third = source->Read();
  EXPECT_TRUE(SameFrame(third, RenderFrame("drive,width=97,height=41,frames=3", 2)));
  EXPECT_FALSE(SameFrame(first, second));
}

TEST(SyntheticSource, AStillSceneDiffersInNoiseAlone) {
  for (const std::string scene : {"boxes", "drive", "shift"}) {
    const std::string spec = scene + ",width=97,height=41,frames=3,still=1";
    EXPECT_TRUE(SameFrame(RenderFrame(spec), RenderFrame(spec, 2))) << scene;
    EXPECT_TRUE(SameFrame(RenderFrame(spec), RenderFrame(scene + ",width=97,height=41,frames=3"))) << scene;
    const auto source = OpenSyntheticSource(spec + ",noise=3", {.kind = "", .with_truth = true});
    const StereoFrame first = source->Read(), second = source->Read();
    EXPECT_TRUE(SamePixels(first.truth->disparity, second.truth->disparity)) << scene;
    EXPECT_FALSE(SamePixels(test::Gray(first.left), test::Gray(second.left))) << scene;
    EXPECT_TRUE(SameFrame(second, RenderFrame(spec + ",noise=3", 1))) << scene;
  }
}

TEST(SyntheticSource, AnySizeRenders) {
  for (const std::string scene : {"planes", "slanted", "spheres", "boxes", "drive", "shift"}) {
    for (const auto& [w, h] : {std::pair{1, 1}, {1, 37}, {37, 1}, {2, 3}, {63, 65}}) {
      const StereoFrame frame =
          RenderFrame(scene + ",width=" + std::to_string(w) + ",height=" + std::to_string(h));
      EXPECT_EQ(WidthOf(ViewOf(frame.left)), w);
      EXPECT_EQ(HeightOf(ViewOf(frame.right)), h);
      EXPECT_EQ(frame.truth->disparity.width(), w);
    }
  }
}

TEST(SyntheticSource, DepthsAndColoursAgree) {
  const StereoFrame gray = RenderFrame("planes,width=80,height=60");
  const StereoFrame deep = RenderFrame("planes,width=80,height=60,bits=16");
  const StereoFrame color = RenderFrame("planes,width=80,height=60,color=1");
  const auto& g8 = std::get<HostImage<std::uint8_t>>(gray.left);
  const auto& g16 = std::get<HostImage<std::uint16_t>>(deep.left);
  const auto& rgb = std::get<HostImage<Rgb8>>(color.left);
  std::set<int> low_bytes;
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 80; ++x) {
      ASSERT_NEAR(g8(x, y), g16(x, y) / 257.0, 0.51) << x << ' ' << y;
      const Rgb8 c = rgb(x, y);
      ASSERT_NEAR(g8(x, y), 0.299 * c.r + 0.587 * c.g + 0.114 * c.b, 1.01) << x << ' ' << y;
      low_bytes.insert(g16(x, y) % 257);
    }
  }
  EXPECT_GT(low_bytes.size(), 200U) << "16-bit images have more than 8 bits in them";
}

TEST(SyntheticSource, TooMuchLightIsTheLargestValue) {
  const StereoFrame frame = RenderFrame("spheres,width=40,height=30,bits=16,offset=255");
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 40; ++x) ASSERT_EQ(std::get<HostImage<std::uint16_t>>(frame.right)(x, y), 65535);
  }
}

TEST(SyntheticSource, NoiseGainAndOffsetAreAsAsked) {
  const std::string spec = "spheres,width=300,height=200,bits=16";
  const StereoFrame clean = RenderFrame(spec);
  const StereoFrame noisy = RenderFrame(spec + ",noise=2");
  const StereoFrame bright = RenderFrame(spec + ",gain=0.8,offset=5");
  const auto image = [](const CameraImage& i) -> const HostImage<std::uint16_t>& {
    return std::get<HostImage<std::uint16_t>>(i);
  };
  EXPECT_TRUE(test::SamePixels(image(clean.left), image(bright.left)))
      << "gain and offset are the right camera's";
  double sum = 0, squares = 0, product = 0, count = 0;
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 300; ++x) {
      const double light = image(clean.right)(x, y) / 257.0;
      ASSERT_NEAR(image(bright.right)(x, y) / 257.0, 0.8 * light + 5, 0.01);
      if (light < 15 || light > 240) continue;  // not clipped
      const double right = image(noisy.right)(x, y) / 257.0 - light;
      const double left = (image(noisy.left)(x, y) - image(clean.left)(x, y)) / 257.0;
      sum += right, squares += right * right, product += left * right, ++count;
    }
  }
  ASSERT_GT(count, 40000);
  EXPECT_NEAR(sum / count, 0, 0.05);
  EXPECT_NEAR(std::sqrt(squares / count), 2, 0.05);
  EXPECT_NEAR(product / count, 0, 0.1) << "the cameras' noise is independent";
}

TEST(SyntheticSource, TextureIsRichAndHasWeakRegions) {
  for (const std::string scene : {"planes", "slanted", "spheres", "boxes", "drive"}) {
    const StereoFrame frame = RenderFrame(scene + ",width=320,height=160");
    const auto& left = test::Gray(frame.left);
    int rich = 0, weak = 0, clipped = 0, count = 0;
    for (int y = 2; y + 2 < left.height(); ++y) {
      for (int x = 2; x + 2 < left.width(); ++x, ++count) {
        int low = 255, high = 0;
        for (int j = -2; j <= 2; ++j) {
          for (int i = -2; i <= 2; ++i) {
            low = std::min<int>(low, left(x + i, y + j));
            high = std::max<int>(high, left(x + i, y + j));
          }
        }
        rich += high - low >= 12;
        weak += high - low <= 5;
        clipped += left(x, y) == 0 || left(x, y) == 255;
      }
    }
    EXPECT_GT(rich, count / 3) << scene;
    EXPECT_GT(weak, count / 100) << scene;
    EXPECT_LT(clipped, count / 50) << scene;
  }
}

TEST(StandardNormal, HasMeanZeroAndVarianceOne) {
  double sum = 0, squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double value = synthetic::StandardNormal(static_cast<std::uint64_t>(i));
    sum += value, squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

}  // namespace
}  // namespace parallax
