// ROS 2 messages in CDR: bytes by hand, and what is written comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <variant>

#include "datasets/formats/png_writer.h"
#include "datasets/formats/ros_cdr.h"
#include "datasets/formats/ros_messages.h"
#include "tests/datasets/test_files.h"
#include "tests/support/recordings.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

constexpr StereoRig kRig{
    .fx_px = 721.5, .cx_px = 609.6, .cy_px = 172.9, .baseline_m = 0.5327, .doffs_px = 12.25};

TEST(RosCdr, NumbersStandAtMultiplesOfTheirSizeBehindTheHead) {
  CdrWriter cdr;
  cdr.Number(std::uint8_t{0xAB})
      .Number(std::uint16_t{0x1234})
      .Number(1.0)
      .Text("ab")
      .Number(std::uint32_t{7});
  const std::vector<std::uint8_t> expected = {
      0,    1, 0,    0,                    // little endian
      0xAB, 0, 0x34, 0x12, 0, 0, 0,    0,  // 8-byte numbers at multiples of 8
      0,    0, 0,    0,    0, 0, 0xF0, 0x3F, 3, 0, 0, 0, 'a', 'b', 0, 0, 7, 0, 0, 0};
  const std::vector<std::uint8_t> bytes = cdr.Take();
  EXPECT_EQ(bytes, expected);
  CdrReader reader(bytes);
  EXPECT_EQ(reader.Number<std::uint8_t>(), 0xAB);
  EXPECT_EQ(reader.Number<std::uint16_t>(), 0x1234);
  EXPECT_EQ(reader.Number<double>(), 1.0);
  EXPECT_EQ(reader.Text(), "ab");
  EXPECT_EQ(reader.Number<std::uint32_t>(), 7U);
  EXPECT_THAT(ErrorOf([&] { reader.Number<std::uint8_t>(); }), HasSubstr("cut short"));
}

TEST(RosCdr, OtherEncodingsAreRefused) {
  const std::vector<std::uint8_t> big_endian = {0, 0, 0, 0, 1};
  EXPECT_THAT(ErrorOf([&] { CdrReader reader(big_endian); }), HasSubstr("encoding 0"));
  EXPECT_THAT(ErrorOf([&] { CdrReader(std::span(big_endian).first(3)).Text(); }), HasSubstr("cut short"));
}

template <typename T>
void ExpectRoundTrip(int width, int height) {
  const CameraImage image = Pattern<T>(width, height, 3);
  const RosImage read = DecodeImage(EncodeImage(1'234'567'890'123, ViewOf(image)));
  EXPECT_EQ(read.stamp_ns, 1'234'567'890'123);
  ASSERT_EQ(read.image.index(), image.index());
  const auto &a = std::get<HostImage<T>>(image), &b = std::get<HostImage<T>>(read.image);
  ASSERT_TRUE(SameSize(a.View(), b.View()));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) ASSERT_EQ(a(x, y), b(x, y)) << x << " " << y;
  }
}

TEST(RosMessages, ImagesOfEveryEncodingKeepTheirBits) {
  for (const auto& [width, height] : {std::pair(1, 1), {1, 7}, {13, 1}, {63, 5}, {65, 33}}) {
    ExpectRoundTrip<std::uint8_t>(width, height);
    ExpectRoundTrip<std::uint16_t>(width, height);
    ExpectRoundTrip<Rgb8>(width, height);
  }
}

// An Image as others write it, of 2 px a row or more: rows with a gap, any encoding.
RosMessage ForeignImage(std::string_view encoding, std::uint32_t step, const std::vector<std::uint8_t>& data,
                        bool is_big_endian = false, std::uint32_t width = 2) {
  CdrWriter cdr;
  cdr.Number(std::int32_t{5}).Number(std::uint32_t{6}).Text("frame");
  cdr.Number(static_cast<std::uint32_t>(data.size() / step)).Number(width).Text(encoding);
  cdr.Number(static_cast<std::uint8_t>(is_big_endian)).Number(step);
  std::ranges::copy(data, cdr.ByteSequence(data.size()).begin());
  return cdr.Take();
}

TEST(RosMessages, ReadsTheEncodingsOfOthers) {
  const auto rgb = [](const RosMessage& message) {
    return std::get<HostImage<Rgb8>>(DecodeImage(message).image)(1, 0);
  };
  EXPECT_EQ(rgb(ForeignImage("bgr8", 8, {1, 2, 3, 4, 5, 6, 0, 0})), (Rgb8{6, 5, 4}));
  EXPECT_EQ(rgb(ForeignImage("rgba8", 8, {1, 2, 3, 9, 4, 5, 6, 9})), (Rgb8{4, 5, 6}));
  EXPECT_EQ(rgb(ForeignImage("bgra8", 8, {1, 2, 3, 9, 4, 5, 6, 9})), (Rgb8{6, 5, 4}));
  const auto gray16 = [](const RosMessage& message) {
    return std::get<HostImage<std::uint16_t>>(DecodeImage(message).image)(1, 0);
  };
  EXPECT_EQ(gray16(ForeignImage("mono16", 4, {0, 0, 0x34, 0x12})), 0x1234);
  EXPECT_EQ(gray16(ForeignImage("16UC1", 4, {0, 0, 0x12, 0x34}, true)), 0x1234);
  EXPECT_EQ(DecodeImage(ForeignImage("8UC1", 2, {7, 9})).stamp_ns, 5'000'000'006);
  EXPECT_THAT(ErrorOf([] { DecodeImage(ForeignImage("32FC1", 8, std::vector<std::uint8_t>(8))); }),
              HasSubstr("'32FC1'"));
  EXPECT_THAT(ErrorOf([] {
                DecodeImage(ForeignImage("mono8", 2, {7, 9}, false, 3));
              }),
              HasSubstr("only 2 bytes"));
  EXPECT_THAT(ErrorOf([] { DecodeImage(ForeignImage("mono8", 1, {7, 9})); }), HasSubstr("1 per row"));
}

TEST(RosMessages, AMosaicTooSmallForColoursIsBlack) {
  const RosImage image = DecodeImage(ForeignImage("bayer_rggb8", 2, {7, 9, 7, 9}));
  EXPECT_EQ(std::get<HostImage<Rgb8>>(image.image)(1, 1), Rgb8{});
}

TEST(RosMessages, ImpossibleSizesAreRefused) {
  for (const auto& [width, height] : {std::pair(0, 0), {65537, 1}, {1, 65537}}) {
    const HostImage<std::uint8_t> image(width, height);
    const RosMessage message = EncodeImage(0, image.ConstView());
    EXPECT_THAT(ErrorOf([&] { DecodeImage(message); }), HasSubstr("is impossible"));
    const RosMessage info = EncodeCameraInfo(0, width, height, {}, StereoSide::kLeft);
    if (width > 0) {
      EXPECT_THAT(ErrorOf([&] { DecodeCameraInfo(info); }), HasSubstr("an impossible size"));
    }
  }
}

TEST(RosMessages, TwoPixelsOfYuvShareTheirColour) {
  // By hand, with u = 90 - 128 and v = 240 - 128: red is (298 (y - 16) + 409 v + 128) / 256, and so on.
  for (const auto& [encoding, bytes] :
       {std::pair<const char*, std::vector<std::uint8_t>>("yuv422", {90, 81, 240, 145}),
        {"uyvy", {90, 81, 240, 145}},
        {"yuv422_yuy2", {81, 90, 145, 240}},
        {"yuyv", {81, 90, 145, 240}}}) {
    const auto image = std::get<HostImage<Rgb8>>(DecodeImage(ForeignImage(encoding, 4, bytes)).image);
    EXPECT_EQ(image(0, 0), (Rgb8{255, 0, 0})) << encoding;
    EXPECT_EQ(image(1, 0), (Rgb8{255, 74, 74})) << encoding;
    EXPECT_THAT(ErrorOf([&encoding = encoding, &bytes = bytes] {
                  DecodeImage(ForeignImage(encoding, 4, bytes, false, 3));
                }),
                HasSubstr("4 per row"));
  }
}

// Rows of two colours in turn: by the name of the mosaic, which is that of its first row and its second.
RosMessage Mosaic(std::string_view encoding, std::size_t value_bytes,
                  const std::function<int(char color, int x, int y)>& value) {
  constexpr int kWidth = 6, kHeight = 6;
  std::vector<std::uint8_t> data;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const int v = value(encoding[static_cast<std::size_t>(6 + 2 * (y % 2) + x % 2)], x, y);
      data.push_back(static_cast<std::uint8_t>(v));
      if (value_bytes == 2) data.push_back(static_cast<std::uint8_t>(v >> 8));
    }
  }
  return ForeignImage(encoding, static_cast<std::uint32_t>(kWidth * value_bytes), data, false, kWidth);
}

TEST(RosMessages, MosaicsBecomeColoursByTheNamesOfRos) {
  for (const std::string name : {"bayer_rggb", "bayer_bggr", "bayer_gbrg", "bayer_grbg"}) {
    const auto even = [](char color, int, int) { return color == 'r' ? 200 : color == 'g' ? 100 : 50; };
    const auto image = std::get<HostImage<Rgb8>>(DecodeImage(Mosaic(name + "8", 1, even)).image);
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 6; ++x)
        EXPECT_EQ(image(x, y), (Rgb8{200, 100, 50})) << name << " " << x << " " << y;
    // 16 bits: gray is 0.299 R + 0.587 G + 0.114 B.
    const auto deep = [](char color, int, int) {
      return color == 'r' ? 40000 : color == 'g' ? 20000 : 10000;
    };
    const auto gray = std::get<HostImage<std::uint16_t>>(DecodeImage(Mosaic(name + "16", 2, deep)).image);
    for (int x = 1; x < 5; ++x) EXPECT_NEAR(gray(x, 3), 11960 + 11740 + 1140, 2) << name;
  }
  // A blue pixel takes the mean of its four diagonal reds and of its four adjacent greens.
  const auto slope = [](char, int x, int y) { return 10 * x + y * y; };
  const auto image = std::get<HostImage<Rgb8>>(DecodeImage(Mosaic("bayer_rggb8", 1, slope)).image);
  EXPECT_EQ(image(3, 3), (Rgb8{(24 + 36 + 44 + 56) / 4, (29 + 49 + 34 + 46 + 2) / 4, 39}));
  EXPECT_EQ(image(2, 2), (Rgb8{24, (14 + 34 + 21 + 29 + 2) / 4, (11 + 31 + 19 + 39) / 4}));
  EXPECT_EQ(image(3, 2), (Rgb8{(24 + 44) / 2, 34, (31 + 39) / 2}));
}

TEST(RosMessages, CompressedImagesHoldAFile) {
  HostImage<std::uint8_t> image(3, 2);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) image(x, y) = static_cast<std::uint8_t>(10 * y + x);
  const auto message = [](const FileBytes& file) {
    CdrWriter cdr;
    cdr.Number(std::int32_t{7}).Number(std::uint32_t{5}).Text("camera").Text("mono8; png compressed");
    const auto to = cdr.ByteSequence(file.size());
    std::copy(file.begin(), file.end(), to.begin());
    return cdr.Take();
  };
  const FileBytes png = EncodePng(image.ConstView());
  const RosImage decoded = DecodeCompressedImage(message(png));
  EXPECT_EQ(decoded.stamp_ns, 7'000'000'005);
  EXPECT_EQ(decoded.frame_id, "camera");
  EXPECT_EQ(std::get<HostImage<std::uint8_t>>(decoded.image)(2, 1), 12);
  const FileBytes cut(png.begin(), png.begin() + 40);
  EXPECT_THAT(ErrorOf([&] { DecodeCompressedImage(message(cut)); }), HasSubstr("mono8; png compressed"));
}

// Behind the header.
CdrReader BodyOf(const RosMessage& message) {
  CdrReader cdr(message);
  cdr.Number<std::int32_t>();
  cdr.Number<std::uint32_t>();
  cdr.Text();
  return cdr;
}

TEST(RosMessages, PointsHaveTheFieldsThatAreGiven) {
  const std::vector<Point3f> points = {{1, 2, 3}, {4, 5, 6}};
  const std::vector<Rgb8> colors = {{1, 2, 3}, {4, 5, 6}};
  const std::vector<float> confidence = {200, 100}, sigma = {0.5F, 0.25F};
  const RosMessage message =
      EncodeCloud(0, {points, colors}, {{"confidence", confidence}, {"sigma_z", sigma}});
  CdrReader cdr = BodyOf(message);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 2U);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 6U);
  std::uint32_t offset = 0;
  for (const char* name : {"x", "y", "z", "rgb", "confidence", "sigma_z"}) {
    EXPECT_EQ(cdr.Text(), name);
    EXPECT_EQ(cdr.Number<std::uint32_t>(), std::exchange(offset, offset + 4));
    EXPECT_EQ(cdr.Number<std::uint8_t>(), 7);
    EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
  }
  EXPECT_FALSE(cdr.Number<bool>());
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 24U);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 48U);
  const std::span<const std::uint8_t> data = cdr.ByteSequence();
  std::vector<float> values(data.size() / sizeof(float));
  std::memcpy(values.data(), data.data(), data.size());
  EXPECT_EQ((std::vector<float>{values[6], values[7], values[8], values[10], values[11]}),
            (std::vector<float>{4, 5, 6, 100, 0.25F}));
  EXPECT_EQ((std::vector<std::uint8_t>(&data[36], &data[40])), (std::vector<std::uint8_t>{6, 5, 4, 0}));
}

TEST(RosMessages, DiagnosticsHoldLevelTextsAndValues) {
  const RosMessage message = EncodeDiagnostics(
      1,
      {.level = RosLevel::kWarning, .name = "n", .message = "m", .hardware_id = "h", .values = {{"k", "v"}}});
  CdrReader cdr = BodyOf(message);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
  EXPECT_EQ(cdr.Number<std::uint8_t>(), 1);
  for (const char* text : {"n", "m", "h"}) EXPECT_EQ(cdr.Text(), text);
  EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
  EXPECT_EQ(cdr.Text(), "k");
  EXPECT_EQ(cdr.Text(), "v");
  EXPECT_ANY_THROW(cdr.Number<std::uint8_t>());
}

TEST(RosMessages, ANodeStatesItsReadersAndWriters) {
  RosNode node{.name_space = "/", .name = "p"};
  node.participant.fill(1);
  node.readers.resize(1);
  node.readers[0].fill(2);
  for (const std::size_t gid_bytes : {std::size_t{16}, std::size_t{24}}) {
    const RosMessage message = EncodeNode(node, gid_bytes);
    CdrReader cdr(message);
    const auto read_gid = [&](std::uint8_t expected) {
      for (std::size_t i = 0; i < gid_bytes; ++i)
        EXPECT_EQ(cdr.Number<std::uint8_t>(), i < 16 ? expected : 0) << i;
    };
    read_gid(1);
    EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
    EXPECT_EQ(cdr.Text(), "/");
    EXPECT_EQ(cdr.Text(), "p");
    EXPECT_EQ(cdr.Number<std::uint32_t>(), 1U);
    read_gid(2);
    EXPECT_EQ(cdr.Number<std::uint32_t>(), 0U);
  }
}

TEST(RosMessages, CameraInfoHoldsTheRectifiedPair) {
  const RosCameraInfo left = DecodeCameraInfo(EncodeCameraInfo(0, 1242, 375, kRig, StereoSide::kLeft));
  const RosCameraInfo right = DecodeCameraInfo(EncodeCameraInfo(0, 1242, 375, kRig, StereoSide::kRight));
  EXPECT_EQ(left.width, 1242);
  EXPECT_EQ(left.height, 375);
  EXPECT_EQ(left.p, (std::array<double, 12>{721.5, 0, 609.6, 0, 0, 721.5, 172.9, 0, 0, 0, 1, 0}));
  EXPECT_EQ(right.p[3], -721.5 * 0.5327);
  EXPECT_EQ(right.p[2], 609.6 + 12.25);
  EXPECT_EQ(left.k, (std::array<double, 9>{721.5, 0, 609.6, 0, 721.5, 172.9, 0, 0, 1}));
  EXPECT_EQ(left.distortion, std::vector<double>(5, 0.0));
  const RosCameraInfo none = DecodeCameraInfo(EncodeCameraInfo(0, 4, 3, std::nullopt, StereoSide::kRight));
  EXPECT_EQ(none.k, (std::array<double, 9>{}));
  EXPECT_EQ(none.p, (std::array<double, 12>{}));
  // The size by the rules of CDR: the encapsulation (4 bytes), the stamp (8), the frame id "c" with its length and padding
  // (8), height and width (8), "plumb_bob" (16), the number of coefficients (8), D, K, R and P (35 doubles), the binning
  // (8) and the region of interest (17).
  EXPECT_EQ(EncodeCameraInfo({0, "c"}, 4, 3, kRig, StereoSide::kLeft).size(),
            4U + 8 + 8 + 8 + 16 + 8 + 35 * 8 + 8 + 17);
}

// The image inside, of floats.
std::vector<float> FloatsOf(const RosMessage& message) {
  CdrReader cdr = BodyOf(message);
  for (int i = 0; i < 2; ++i) cdr.Number<std::uint32_t>();
  EXPECT_EQ(cdr.Text(), "32FC1");
  cdr.Number<std::uint8_t>();
  cdr.Number<std::uint32_t>();
  const std::span<const std::uint8_t> data = cdr.ByteSequence();
  std::vector<float> floats(data.size() / sizeof(float));
  std::memcpy(floats.data(), data.data(), data.size());
  return floats;
}

TEST(RosMessages, DisparitiesAreThoseBetweenPrincipalPoints) {
  HostImage<float> disparity(3, 1);
  disparity(0, 0) = 10.5F;
  disparity(1, 0) = std::numeric_limits<float>::quiet_NaN();
  disparity(2, 0) = 0;
  const RosMessage image = [&] {  // behind the message's own header
    const RosMessage whole = EncodeDisparity(0, disparity.ConstView(), kRig, 2, 64);
    CdrReader cdr(whole);
    cdr.Number<std::int32_t>();
    cdr.Number<std::uint32_t>();
    cdr.Text();
    RosMessage rest = {0, 1, 0, 0};
    // 8 + 4 + text, up to the next multiple of 4
    const std::size_t skipped =
        (4 + 8 + 4 + std::string_view("left_camera_optical_frame").size() + 1 + 3) / 4 * 4;
    rest.insert(rest.end(), whole.begin() + static_cast<std::ptrdiff_t>(skipped), whole.end());
    return rest;
  }();
  EXPECT_EQ(FloatsOf(image), (std::vector<float>{22.75F, 13.25F, 12.25F}));  // none: 2 + 12.25 - 1
}

TEST(RosMessages, DepthInMillimetresLeavesOutWhatItCannotHold) {
  HostImage<float> depth_m(5, 1);
  const float values[] = {1.2346F, std::numeric_limits<float>::quiet_NaN(), 65.535F, 65.6F, 0.0001F};
  for (int x = 0; x < 5; ++x) depth_m(x, 0) = values[x];
  const RosImage read = DecodeImage(EncodeDepthInMm(0, depth_m.ConstView()));
  const auto& mm = std::get<HostImage<std::uint16_t>>(read.image);
  const std::uint16_t expected[] = {1235, 0, 65535, 0, 0};
  for (int x = 0; x < 5; ++x) EXPECT_EQ(mm(x, 0), expected[x]) << x;
  EXPECT_TRUE(std::isnan(FloatsOf(EncodeDepth(0, depth_m.ConstView()))[1]));
}

TEST(RosMessages, EveryTypeHasItsDefinitionWithWhatItUses) {
  for (const std::string_view type : {kRosImage, kRosCameraInfo, kRosDisparityImage, kRosPointCloud2}) {
    const std::string text = RosDefinition(type);
    EXPECT_THAT(text, HasSubstr("MSG: std_msgs/Header\n"));
    EXPECT_THAT(text, HasSubstr("MSG: builtin_interfaces/Time\n"));
  }
  EXPECT_THAT(RosDefinition(kRosPointCloud2), HasSubstr("MSG: sensor_msgs/PointField\n"));
  EXPECT_THROW(RosDefinition("x"), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
