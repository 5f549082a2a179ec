// Recordings as a source: our own ones and other programs'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "datasets/live/recording_source.h"
#include "datasets/source.h"
#include "pipeline/calibration/raw_rig.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/datasets/test_files.h"
#include "tests/support/images.h"
#include "tests/support/recordings.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

constexpr StereoRig kRecordedRig{
    .fx_px = 700.1, .cx_px = 320.3, .cy_px = 240.7, .baseline_m = 0.12345, .doffs_px = 3.3};
constexpr std::int64_t kMillisecond_ns = 1'000'000;

const std::vector<RecordedTopic> kOurTopics = {{std::string(kFrameTopic), kRosString},
                                               {std::string(kLeftInfoTopic), kRosCameraInfo},
                                               {std::string(kRightInfoTopic), kRosCameraInfo},
                                               {std::string(kLeftImageTopic), kRosImage},
                                               {std::string(kRightImageTopic), kRosImage}};

template <typename T>
void WriteOurFrame(McapWriter& writer, const RecordedFrame& frame, std::int64_t time_ns, unsigned seed) {
  const auto time = static_cast<std::uint64_t>(time_ns);
  const CameraImage left = Pattern<T>(31, 17, seed), right = Pattern<T>(31, 17, seed + 1);
  writer.Write(0, time, EncodeText(TextOf(frame)));
  writer.Write(1, time, EncodeCameraInfo(time_ns, 31, 17, frame.rig, StereoSide::kLeft));
  writer.Write(2, time, EncodeCameraInfo(time_ns, 31, 17, frame.rig, StereoSide::kRight));
  writer.Write(3, time, EncodeImage(time_ns, ViewOf(left)));
  writer.Write(4, time, EncodeImage(time_ns, ViewOf(right)));
}

std::vector<StereoFrame> ReadFrames(FrameSource& source) {
  std::vector<StereoFrame> frames;
  while (const std::optional<std::string> name = source.NextName()) {
    frames.push_back(source.Read());
    EXPECT_EQ(frames.back().name, *name);
  }
  return frames;
}

TEST(RecordingSource, OurFramesComeBackWithEveryBit) {
  const TemporaryFolder folder;
  const RecordedFrame first{.name = "000046_10",
                            .timestamp_s = 0.1 + 0.2,
                            .rig = kRecordedRig,
                            .num_disparities_hint = 145,
                            .has_borders = false};
  const RecordedFrame second{
      .name = "x", .timestamp_s = {}, .rig = {}, .num_disparities_hint = {}, .has_borders = false};
  WriteRecording(folder / "a.mcap", kOurTopics, [&](McapWriter& writer) {
    WriteOurFrame<std::uint16_t>(writer, first, 300'000'000, 1);
    WriteOurFrame<std::uint16_t>(writer, second, 300'000'000, 5);  // of the same time
  });
  const auto source = OpenSource({(folder / "a.mcap").string()});
  EXPECT_EQ(source->kind(), SourceKind::kRecording);
  EXPECT_EQ(source->num_frames(), 2U);
  const std::vector<StereoFrame> frames = ReadFrames(*source);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].name, "000046_10");
  EXPECT_EQ(frames[0].timestamp_s, 0.1 + 0.2);
  ASSERT_TRUE(frames[0].rig);
  EXPECT_EQ(frames[0].rig->baseline_m, kRecordedRig.baseline_m);
  EXPECT_EQ(frames[0].rig->doffs_px, kRecordedRig.doffs_px);
  EXPECT_EQ(frames[0].num_disparities_hint, 145);
  EXPECT_EQ(frames[0].note, "");
  EXPECT_TRUE(
      SamePixels(std::get<HostImage<std::uint16_t>>(frames[0].left), Pattern<std::uint16_t>(31, 17, 1)));
  EXPECT_TRUE(
      SamePixels(std::get<HostImage<std::uint16_t>>(frames[1].right), Pattern<std::uint16_t>(31, 17, 6)));
  EXPECT_EQ(frames[1].timestamp_s, std::nullopt);
  EXPECT_FALSE(frames[1].rig);
  EXPECT_THAT(frames[1].rig_note, HasSubstr("without one"));
  EXPECT_NE(frames[0].origin, frames[1].origin);
}

TEST(RecordingSource, NamesAreFitForFilesAndDifferent) {
  const TemporaryFolder folder;
  WriteRecording(folder / "a.mcap", kOurTopics, [&](McapWriter& writer) {
    for (int i = 0; i < 3; ++i)
      WriteOurFrame<std::uint8_t>(writer,
                                  {.name = "../../etc/x",
                                   .timestamp_s = {},
                                   .rig = {},
                                   .num_disparities_hint = {},
                                   .has_borders = false},
                                  i * kMillisecond_ns, 1);
  });
  const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "a.mcap").string()}));
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].name.find('/'), std::string::npos);
  EXPECT_NE(frames[0].name, frames[1].name);
  EXPECT_NE(frames[1].name, frames[2].name);
}

TEST(RecordingSource, CutAtEvery997thByteGivesTheFramesBeforeIt) {
  const TemporaryFolder folder;
  constexpr std::size_t kFrames = 12;
  WriteRecording(folder / "a.mcap", kOurTopics, [&](McapWriter& writer) {
    for (unsigned i = 0; i < kFrames; ++i) {
      WriteOurFrame<Rgb8>(writer,
                          {.name = std::to_string(i),
                           .timestamp_s = {},
                           .rig = kRecordedRig,
                           .num_disparities_hint = {},
                           .has_borders = false},
                          i * 100 * kMillisecond_ns, i);
      writer.EndChunk();
    }
  });
  const std::string whole = ReadText(folder / "a.mcap");
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    WriteText(folder / "cut.mcap", whole.substr(0, size));
    std::vector<StereoFrame> frames;
    try {
      frames = ReadFrames(*OpenSource({(folder / "cut.mcap").string()}));
    } catch (const Error& error) {
      EXPECT_EQ(most, 0U) << error.what();
      EXPECT_THAT(error.what(),
                  ::testing::AnyOf(HasSubstr("was truncated before"), HasSubstr("is not an MCAP")));
      continue;
    }
    EXPECT_THAT(frames.front().note, HasSubstr("is truncated"));
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].name, std::to_string(i));
      EXPECT_TRUE(i == 0 || frames[i].note.empty());
    }
    EXPECT_GE(frames.size(), most);
    most = frames.size();
  }
  EXPECT_GE(most, kFrames - 1);
}

// Other programs' recordings: images, and camera_info behind them.
struct Foreign {
  std::string left = "/camera/left/image_rect", right = "/camera/right/image_rect";
  std::vector<std::int64_t> left_ms{}, right_ms{};
  bool with_info = true;
  bool is_raw = false;
};
void WriteForeign(const std::filesystem::path& path, const Foreign& foreign) {
  WriteRecording(path,
                 {{foreign.left, kRosImage},
                  {foreign.right, kRosImage},
                  {"/camera/left/camera_info", kRosCameraInfo},
                  {"/camera/right/camera_info", kRosCameraInfo},
                  {"/imu", "sensor_msgs/msg/Imu"}},
                 [&](McapWriter& writer) {
                   const auto write = [&](std::uint16_t channel, const std::vector<std::int64_t>& times_ms) {
                     for (const std::int64_t ms : times_ms) {
                       const CameraImage image = Pattern<std::uint8_t>(20, 10, static_cast<unsigned>(ms));
                       writer.Write(channel, static_cast<std::uint64_t>(ms + 7) * kMillisecond_ns,
                                    EncodeImage(ms * kMillisecond_ns, ViewOf(image)));
                     }
                   };
                   writer.Write(4, 0, {});
                   write(0, foreign.left_ms);
                   write(1, foreign.right_ms);
                   if (!foreign.with_info) return;
                   RosMessage left = EncodeCameraInfo(0, 20, 10, kRecordedRig, StereoSide::kLeft);
                   const RosMessage right = EncodeCameraInfo(0, 20, 10, kRecordedRig, StereoSide::kRight);
                   if (foreign.is_raw) {  // the first number of the distortion
                     const double k1 = -0.3;
                     constexpr std::size_t kAt = 4 + 72;
                     std::memcpy(left.data() + kAt, &k1, sizeof(k1));
                     EXPECT_EQ(DecodeCameraInfo(left).distortion[0], k1);
                   }
                   writer.Write(2, 0, left);
                   writer.Write(3, 0, right);
                 });
}

TEST(RecordingSource, PairsOthersImagesByTimeAndReadsTheirCalibration) {
  const TemporaryFolder folder;
  WriteForeign(folder / "bag.mcap",
               {.left_ms = {0, 100, 200, 300, 400}, .right_ms = {3, 160, 201, 260, 399}});
  const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "bag.mcap").string()}));
  ASSERT_EQ(frames.size(), 4U);  // 160 is no more than 50 ms from 200, and not from 100; 260 is from 300
  const auto left_of = [](const StereoFrame& frame) { return std::lround(*frame.timestamp_s * 1000); };
  EXPECT_EQ(left_of(frames[0]), 0);
  EXPECT_EQ(left_of(frames[1]), 200);
  EXPECT_EQ(left_of(frames[3]), 400);
  EXPECT_EQ(frames[0].name, "bag_000000");
  EXPECT_THAT(frames[1].note, HasSubstr("1 images before it"));
  ASSERT_TRUE(frames[0].rig);
  EXPECT_EQ(frames[0].rig->fx_px, kRecordedRig.fx_px);
  EXPECT_NEAR(frames[0].rig->baseline_m, kRecordedRig.baseline_m, 1e-15);
  EXPECT_NEAR(frames[0].rig->doffs_px, kRecordedRig.doffs_px, 1e-12);
}

TEST(RecordingSource, TheFirstPairNeedsNoTolerance) {
  // Images 3 ms apart, left and right by turns: that left ones come every 100 ms is known after the first pair.
  const TemporaryFolder folder;
  WriteRecording(folder / "bag.mcap", {{"/left/image_rect", kRosImage}, {"/right/image_rect", kRosImage}},
                 [&](McapWriter& writer) {
                   for (const std::int64_t ms : {0, 3, 100, 103}) {
                     const CameraImage image = Pattern<std::uint8_t>(20, 10, static_cast<unsigned>(ms));
                     writer.Write(ms % 100 == 0 ? 0 : 1, static_cast<std::uint64_t>(ms * kMillisecond_ns),
                                  EncodeImage(ms * kMillisecond_ns, ViewOf(image)));
                   }
                 });
  const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "bag.mcap").string()}));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_NEAR(*frames[0].timestamp_s, 0, 1e-9);
  EXPECT_NEAR(*frames[1].timestamp_s, 0.1, 1e-9);
}

TEST(RecordingSource, MasksOfBordersComeBack) {
  const TemporaryFolder folder;
  std::vector<RecordedTopic> topics = kOurTopics;
  topics.push_back({std::string(kLeftSeenTopic), kRosImage});
  topics.push_back({std::string(kRightSeenTopic), kRosImage});
  const HostImage<std::uint8_t> left = Pattern<std::uint8_t>(31, 17, 5),
                                right = Pattern<std::uint8_t>(31, 17, 6);
  WriteRecording(folder / "ours.mcap", topics, [&](McapWriter& writer) {
    writer.Write(5, 1, EncodeImage(1, left.ConstView()));
    writer.Write(6, 1, EncodeImage(1, right.ConstView()));
    RecordedFrame frame;
    frame.name = "a", frame.rig = kRecordedRig, frame.has_borders = true;
    WriteOurFrame<std::uint8_t>(writer, frame, 1, 9);
  });
  const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "ours.mcap").string()}));
  ASSERT_EQ(frames.size(), 1U);
  ASSERT_NE(frames[0].seen, nullptr);
  EXPECT_TRUE(SamePixels(frames[0].seen->left.ConstView(), left.ConstView()));
  EXPECT_TRUE(SamePixels(frames[0].seen->right.ConstView(), right.ConstView()));
}

TEST(RecordingSource, RawImagesHaveTheRigOfTheirCameraInfo) {
  const TemporaryFolder folder;
  WriteForeign(folder / "bag.mcap", {.left = "/camera/left/image_raw",
                                     .right = "/camera/right/image_raw",
                                     .left_ms = {0},
                                     .right_ms = {0},
                                     .is_raw = true});
  const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "bag.mcap").string()}));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_FALSE(frames[0].rectified);
  ASSERT_NE(frames[0].raw_rig, nullptr);
  EXPECT_NEAR(frames[0].raw_rig->baseline_m(), kRecordedRig.baseline_m, 1e-12);
  EXPECT_EQ(frames[0].raw_rig->left.lens, LensModel::kPlumbBob);
}

TEST(RecordingSource, TellsWhatIsMissing) {
  const TemporaryFolder folder;
  const auto error_of = [&](const Foreign& foreign) {
    WriteForeign(folder / "bag.mcap", foreign);
    return ErrorOf([&] { ReadFrames(*OpenSource({(folder / "bag.mcap").string()})); });
  };
  const std::string none = error_of({.left = "/a", .right = "/b"});
  EXPECT_THAT(none, HasSubstr("contains no stereo images"));
  EXPECT_THAT(none, HasSubstr("/imu (sensor_msgs/msg/Imu)"));
  EXPECT_THAT(error_of({.left_ms = {0, 100}, .right_ms = {1000, 1100}}),
              HasSubstr("2 left and 2 right images"));
  EXPECT_THAT(error_of({}), HasSubstr("contains no frames"));
  WriteForeign(folder / "bag.mcap", {.left_ms = {0}, .right_ms = {0}, .with_info = false});
  EXPECT_THAT(ReadFrames(*OpenSource({(folder / "bag.mcap").string()}))[0].rig_note,
              HasSubstr("no calibration"));
  WriteRecording(folder / "ros1.mcap",
                 {{"/left/image_rect", kRosImage, "ros1"}, {"/right/image_rect", kRosImage, "ros1"}},
                 [](McapWriter&) {});
  EXPECT_THAT(ErrorOf([&] { OpenSource({(folder / "ros1.mcap").string()}); }), HasSubstr("'ros1'"));
}

TEST(RecordingSource, RectifiedImagesAreTakenBeforeOthers) {
  const TemporaryFolder folder;
  std::vector<RecordedTopic> topics{{"/left/text", kRosString}};
  for (const char* name :
       {"image", "image_raw", "image_rect_color", "image_rect"}) {  // each before those to its left
    for (const char* side : {"/left/", "/right/"}) topics.push_back({std::string(side) + name, kRosImage});
    WriteRecording(folder / "bag.mcap", topics, [&](McapWriter& writer) {
      for (std::uint16_t channel = 1; channel < topics.size(); ++channel) {
        const std::int64_t time_ns = (channel + 1) / 2 * kMillisecond_ns;
        writer.Write(channel, 0, EncodeImage(time_ns, Pattern<std::uint8_t>(20, 10, 1).ConstView()));
      }
    });
    const std::vector<StereoFrame> frames = ReadFrames(*OpenSource({(folder / "bag.mcap").string()}));
    ASSERT_EQ(frames.size(), 1U) << name;
    EXPECT_EQ(frames[0].stamp_ns, static_cast<std::int64_t>(topics.size() / 2) * kMillisecond_ns) << name;
  }
  topics.assign(10, {"/imu", "sensor_msgs/msg/Imu"});
  WriteRecording(folder / "bag.mcap", topics, [](McapWriter&) {});
  EXPECT_THAT(ErrorOf([&] { OpenSource({(folder / "bag.mcap").string()}); }), HasSubstr("Imu) and 2 more"));
  WriteRecording(folder / "bag.mcap", {}, [](McapWriter&) {});
  EXPECT_THAT(ErrorOf([&] { OpenSource({(folder / "bag.mcap").string()}); }), HasSubstr("its topics: none"));
}

// One frame of ours of 31x17, with what stands before it; its error.
TEST(RecordingSource, WhatDoesNotBelongTogetherIsAnError) {
  const TemporaryFolder folder;
  std::vector<RecordedTopic> topics = kOurTopics;
  topics.push_back({std::string(kLeftSeenTopic), kRosImage});
  topics.push_back({std::string(kRightSeenTopic), kRosImage});
  const auto error_of = [&](const CameraImage& right, bool has_borders,
                            const std::vector<CameraImage>& masks) {
    WriteRecording(folder / "a.mcap", topics, [&](McapWriter& writer) {
      for (std::size_t i = 0; i < masks.size(); ++i)
        writer.Write(static_cast<std::uint16_t>(5 + i), 1, EncodeImage(1, ViewOf(masks[i])));
      RecordedFrame frame;
      frame.name = "a", frame.has_borders = has_borders, frame.turn_urad = {5, 6};
      writer.Write(0, 1, EncodeText(TextOf(frame)));
      writer.Write(3, 1, EncodeImage(1, Pattern<std::uint8_t>(31, 17, 1).ConstView()));
      writer.Write(4, 1, EncodeImage(1, ViewOf(right)));
    });
    const auto source = OpenSource({(folder / "a.mcap").string()});
    try {
      const StereoFrame frame = source->Read();
      EXPECT_THAT(frame.rig_note, HasSubstr("made without one"));
      EXPECT_EQ(frame.seen->turn_urad, (RightTurn_urad{5, 6}));
      EXPECT_EQ(frame.seen->all, !has_borders);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    EXPECT_EQ(source->NextOrigin(), "");
    return ErrorOf([&] { source->Read(); });
  };
  const auto gray = [](int width, int height) {
    return CameraImage(Pattern<std::uint8_t>(width, height, 2));
  };
  const auto pair_of = [](CameraImage left, CameraImage right) {
    std::vector<CameraImage> pair;
    pair.push_back(std::move(left)), pair.push_back(std::move(right));
    return pair;
  };
  EXPECT_THAT(error_of(gray(31, 17), false, {}), HasSubstr("has no further frame"));
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(gray(31, 17), gray(31, 17))),
              HasSubstr("no further frame"));
  EXPECT_THAT(error_of(gray(30, 17), false, {}), HasSubstr("differ in size or encoding"));
  EXPECT_THAT(error_of(gray(31, 16), false, {}), HasSubstr("differ in size or encoding"));
  EXPECT_THAT(error_of(Pattern<std::uint16_t>(31, 17, 2), false, {}),
              HasSubstr("differ in size or encoding"));
  const char* missing = "the masks of borders are missing or of another size";
  EXPECT_THAT(error_of(gray(31, 17), true, {}), HasSubstr(missing));
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(gray(30, 17), gray(30, 17))), HasSubstr(missing));
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(gray(31, 16), gray(31, 16))), HasSubstr(missing));
  const char* apart = "the masks of left and right do not belong together";
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(gray(31, 17), gray(31, 16))), HasSubstr(apart));
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(Pattern<std::uint16_t>(31, 17, 2), gray(31, 17))),
              HasSubstr(apart));
  EXPECT_THAT(error_of(gray(31, 17), true, pair_of(gray(31, 17), Pattern<std::uint16_t>(31, 17, 2))),
              HasSubstr(apart));
}

TEST(RecordingSource, OneSideAndTextsWithoutImagesDoNotFillTheMemory) {
  const TemporaryFolder folder;
  WriteRecording(folder / "whole.mcap", kOurTopics, [&](McapWriter& writer) {
    for (std::int64_t i = 1; i <= 3000; ++i) {
      writer.Write(0, static_cast<std::uint64_t>(i), EncodeText("name lost"));
      writer.Write(3, static_cast<std::uint64_t>(i),
                   EncodeImage(i, Pattern<std::uint8_t>(2, 2, 1).ConstView()));
    }
    WriteOurFrame<std::uint8_t>(
        writer,
        {.name = "last", .timestamp_s = {}, .rig = {}, .num_disparities_hint = {}, .has_borders = false},
        1'000'000'000, 1);
  });
  const auto size_bytes = std::filesystem::file_size(folder / "whole.mcap");
  WriteBeginning(folder / "whole.mcap", folder / "a.mcap", size_bytes - 30);
  const auto source = OpenSource({(folder / "a.mcap").string()});
  EXPECT_EQ(source->num_frames(), std::nullopt);  // nothing at its end counts them
  ASSERT_EQ(source->NextName(), "last");
  const StereoFrame frame = source->Read();
  EXPECT_THAT(frame.note, HasSubstr("is truncated"));
  EXPECT_THAT(frame.note, HasSubstr("; 3000 images before it had no other half"));
  const auto cancelled = OpenSource({(folder / "a.mcap").string()});
  cancelled->Cancel();
  EXPECT_THROW(cancelled->NextName(), Cancelled);
}

TEST(RecordingSource, AFrameThatCannotBeReadFailsAlone) {
  const TemporaryFolder folder;
  WriteRecording(folder / "a.mcap", kOurTopics, [&](McapWriter& writer) {
    WriteOurFrame<std::uint8_t>(writer,
                                {.name = "a",
                                 .timestamp_s = {},
                                 .rig = kRecordedRig,
                                 .num_disparities_hint = {},
                                 .has_borders = false},
                                0, 1);
    writer.Write(3, 100, RosMessage{0, 1, 0, 0, 1});
    WriteOurFrame<std::uint8_t>(writer,
                                {.name = "b",
                                 .timestamp_s = {},
                                 .rig = kRecordedRig,
                                 .num_disparities_hint = {},
                                 .has_borders = false},
                                200, 2);
  });
  const auto source = OpenSource({(folder / "a.mcap").string()});
  EXPECT_EQ(source->NextName(), "a");
  source->Read();
  ASSERT_TRUE(source->NextName());
  EXPECT_THAT(ErrorOf([&] { source->Read(); }), HasSubstr("/left/image_rect: the message is cut short"));
  EXPECT_EQ(source->NextName(), "b");
  source->Skip();
  EXPECT_EQ(source->NextName(), std::nullopt);
}

TEST(RecordingSource, FactsOfAFrameAreText) {
  const RecordedFrame frame{.name = "a b",
                            .timestamp_s = 1.0 / 3,
                            .rig = kRecordedRig,
                            .num_disparities_hint = 7,
                            .has_borders = false,
                            .turn_urad = {-123, 4567}};
  const RecordedFrame read = ParseRecordedFrame(TextOf(frame));
  EXPECT_EQ(read.name, "a b");
  EXPECT_EQ(read.timestamp_s, 1.0 / 3);
  EXPECT_EQ(read.rig->cx_px, kRecordedRig.cx_px);
  EXPECT_EQ(read.num_disparities_hint, 7);
  EXPECT_EQ(read.turn_urad, (RightTurn_urad{-123, 4567}));
  for (const char* text : {"turn 1", "turn 1 x", "turn 1 2000000"})
    EXPECT_EQ(ParseRecordedFrame(text).turn_urad, RightTurn_urad{}) << text;
  EXPECT_FALSE(ParseRecordedFrame("rig 1 2\nrig -1 2 3 4 5\ndisparities x\nunknown 3\n").rig);
}

}  // namespace
}  // namespace parallax::test
