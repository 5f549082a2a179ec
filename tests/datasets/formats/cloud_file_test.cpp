#include "datasets/formats/cloud_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::string_literals;

PointCloud SomeCloud(bool colored) {
  PointCloud cloud;
  for (int i = 0; i < 1000; ++i) {
    const auto t = static_cast<float>(i);
    cloud.points.push_back({0.1F * t, -1e-7F * t, 3.3F + 1.0F / (t + 1)});
    if (colored)
      cloud.colors.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), 128});
  }
  cloud.points[3] = {std::numeric_limits<float>::quiet_NaN(), 0, std::numeric_limits<float>::infinity()};
  return cloud;
}

void ExpectSame(const PointCloud& a, const PointCloud& b) {
  ASSERT_EQ(a.points.size(), b.points.size());
  EXPECT_EQ(a.colors, b.colors);
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (std::isnan(b.points[i].x)) {
      EXPECT_TRUE(std::isnan(a.points[i].x));
    } else {
      EXPECT_EQ(a.points[i], b.points[i]) << "point " << i;
    }
  }
}

TEST(CloudFile, RoundTripToTheBit) {
  const TemporaryFolder dir;
  for (const char* name : {"a.ply", "a.pcd"}) {
    for (const auto encoding : {CloudEncoding::kBinary, CloudEncoding::kAscii}) {
      for (const bool colored : {true, false}) {
        const PointCloud cloud = SomeCloud(colored);
        WriteCloud(dir / name, cloud, encoding);
        ExpectSame(ReadCloud(dir / name), cloud);
      }
      WriteCloud(dir / name, PointCloud(), encoding);
      EXPECT_EQ(ReadCloud(dir / name).size(), 0U);
    }
  }
}

TEST(ReadPly, PropertiesInAnyOrderAndType) {
  const TemporaryFolder dir;
  const auto cloud =
      ReadPly(WriteText(dir / "a.ply",
                        "ply\r\nformat ascii 1.0\r\ncomment x\r\nobj_info y\r\nelement vertex 2\r\n"
                        "property double z\r\nproperty uint8 blue\r\nproperty uint8 green\r\n"
                        "property uint8 red\r\nproperty float nx\r\nproperty float x\r\n"
                        "property int y\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\n"
                        "end_header\r\n3 30 20 10 0 1 2\r\n6 0 0 255 0 4 +5\r\n3 0 1 1\r\n"));
  ASSERT_EQ(cloud.size(), 2U);
  EXPECT_EQ(cloud.points[0], (Point3f{1, 2, 3}));
  EXPECT_EQ(cloud.points[1], (Point3f{4, 5, 6}));
  EXPECT_EQ(cloud.colors[0], (Rgb8{10, 20, 30}));
  EXPECT_EQ(cloud.colors[1], (Rgb8{255, 0, 0}));
}

TEST(ReadPly, ColoursOfOtherTypesAreScaledToBytes) {
  const TemporaryFolder dir;
  const auto color_of = [&](const std::string& type, const std::string& values) {
    WriteText(dir / "a.ply",
              "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
              "property float z\nproperty " +
                  type + " red\nproperty " + type + " green\nproperty " + type + " blue\nend_header\n1 2 3 " +
                  values + "\n");
    return ReadPly(dir / "a.ply").colors.at(0);
  };
  EXPECT_EQ(color_of("float", "0.2 0.5 1"), (Rgb8{51, 128, 255}));  // 0 .. 1, to the nearest
  EXPECT_EQ(color_of("double", "-1 2 0"), (Rgb8{0, 255, 0}));
  EXPECT_EQ(color_of("ushort", "65535 256 255"), (Rgb8{255, 1, 0}));
}

TEST(ReadPly, BinaryByHand) {
  const TemporaryFolder dir;
  // One point (1, 2, -1) with an 8-bit property between the coordinates.
  const auto cloud =
      ReadPly(WriteText(dir / "a.ply",
                        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n"
                        "property char skipped\nproperty float y\nproperty short z\nend_header\n"
                        "\x00\x00\x80\x3F\x07\x00\x00\x00\x40\xFF\xFF"s));
  ASSERT_EQ(cloud.size(), 1U);
  EXPECT_EQ(cloud.points[0], (Point3f{1, 2, -1}));
  EXPECT_TRUE(cloud.colors.empty());
}

constexpr char kPlyHead[] = "ply\nformat binary_little_endian 1.0\nelement vertex ";
constexpr char kPlyXyz[] = "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";

TEST(ReadPly, BadInputIsNamed) {
  const TemporaryFolder dir;
  const auto error = [&](const std::string& content) {
    return ErrorOf([&] { ReadPly(WriteText(dir / "bad.ply", content)); });
  };
  EXPECT_THAT(error(""), HasSubstr("bad.ply: the file is empty"));
  EXPECT_THAT(error("plx\n"), HasSubstr("is not a PLY"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\nelement vertex 1\n"), HasSubstr("does not end"));
  EXPECT_THAT(error(kPlyHead + "1000000000"s + kPlyXyz + "123"),
              HasSubstr("says 1000000000 points, but the file has only 3"));
  EXPECT_THAT(error(kPlyHead + "18446744073709551615"s + kPlyXyz + "123"),
              HasSubstr("but the file has only 3"));
  EXPECT_THAT(error(kPlyHead + "99999999999999999999"s + kPlyXyz), HasSubstr("no valid number of vertices"));
  EXPECT_THAT(error(kPlyHead + "-1"s + kPlyXyz), HasSubstr("no valid number of vertices"));
  EXPECT_THAT(error(kPlyHead + "1"s + kPlyXyz + "12345678901"), HasSubstr("truncated"));
  EXPECT_THAT(error("ply\nformat binary_big_endian 1.0\nelement vertex 0"s + kPlyXyz),
              HasSubstr("binary_little_endian"));
  EXPECT_THAT(error(kPlyHead + "0\nproperty float x\nend_header\n"s), HasSubstr("lack a field x, y or z"));
  EXPECT_THAT(error(kPlyHead + "0\nproperty list uchar int x\nend_header\n"s), HasSubstr("type 'list'"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\nelement vertex 2"s + kPlyXyz + "1 2 3\n4 5"),
              HasSubstr("truncated"));
  EXPECT_THAT(error(kPlyHead + "1"s + kPlyXyz + "123456789012" + "123456789012"),
              HasSubstr("says 1 points of 3 values, but more follow: its header is wrong"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\nelement vertex 2"s + kPlyXyz + "1 2 3 9\n4 5 6 9\n"),
              HasSubstr("says 2 points of 3 values, but more follow"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\nelement vertex 1"s + kPlyXyz + "1 two 3\n"),
              HasSubstr("'two' where a number"));
  EXPECT_THAT(error("ply\nformat ascii 1.0\nelement vertex 1000000000"s + kPlyXyz + "1 2 3\n"),
              HasSubstr("1000000000"));
}

TEST(ReadPly, PaddingBehindThePointsIsNoMatter) {
  const TemporaryFolder dir;
  const std::string point = "\x00\x00\x80\x3F\x00\x00\x00\x40\x00\x00\x40\x40"s;
  for (const std::string& padding : {"\n"s, std::string(100, '\0')}) {
    const PointCloud cloud = ReadPly(WriteText(dir / "a.ply", kPlyHead + "1"s + kPlyXyz + point + padding));
    ASSERT_EQ(cloud.size(), 1U);
    EXPECT_EQ(cloud.points[0], (Point3f{1, 2, 3}));
  }
}

TEST(ReadPcd, FieldsOfPclWithPackedColour) {
  const TemporaryFolder dir;
  // A colour declared as float is written as the float whose bits it is.
  const float packed = std::bit_cast<float>(0x00102030U);
  char colour[32];
  std::snprintf(colour, sizeof(colour), "%.9g", static_cast<double>(packed));
  const auto cloud =
      ReadPcd(WriteText(dir / "a.pcd",
                        "# .PCD v.7\nVERSION .7\nFIELDS x y z rgb h\nSIZE 4 4 4 4 4\nTYPE F F F F F\n"
                        "COUNT 1 1 1 1 2\nWIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\n"
                        "DATA ascii\n1 nan 3 "s +
                            colour + " 8 9\n"));
  ASSERT_EQ(cloud.size(), 1U);
  EXPECT_EQ(cloud.points[0].x, 1);
  EXPECT_TRUE(std::isnan(cloud.points[0].y));
  EXPECT_EQ(cloud.colors[0], (Rgb8{0x10, 0x20, 0x30}));
}

TEST(ReadPcd, EveryTypeOfNumber) {
  const TemporaryFolder dir;
  const auto read = [&]<typename T>(char type, T x) {
    const T xyz[] = {x, 2, 3};
    const std::string sizes = std::to_string(sizeof(T)), types(1, type);
    return ReadPcd(WriteText(dir / "a.pcd", "FIELDS x y z\nSIZE " + sizes + ' ' + sizes + ' ' + sizes +
                                                "\nTYPE " + types + ' ' + types + ' ' + types +
                                                "\nPOINTS 1\nDATA binary\n" +
                                                std::string(reinterpret_cast<const char*>(xyz), sizeof(xyz))))
        .points.at(0);
  };
  const Point3f minus_one{-1, 2, 3};
  EXPECT_EQ(read('I', std::int8_t{-1}), minus_one);
  EXPECT_EQ(read('I', std::int16_t{-1}), minus_one);
  EXPECT_EQ(read('I', std::int32_t{-1}), minus_one);
  EXPECT_EQ(read('I', std::int64_t{-1}), minus_one);
  EXPECT_EQ(read('F', -1.0F), minus_one);
  EXPECT_EQ(read('F', -1.0), minus_one);
  EXPECT_EQ(read('U', std::uint8_t{255}), (Point3f{255, 2, 3}));
  EXPECT_EQ(read('U', std::uint16_t{65535}), (Point3f{65535, 2, 3}));
  EXPECT_EQ(read('U', ~std::uint32_t{0}), (Point3f{0x1p32F, 2, 3}));
  EXPECT_EQ(read('U', ~std::uint64_t{0}), (Point3f{0x1p64F, 2, 3}));
}

TEST(ReadPcd, BadInputIsNamed) {
  const TemporaryFolder dir;
  const std::string fields = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
  const auto error = [&](const std::string& content) {
    return ErrorOf([&] { ReadPcd(WriteText(dir / "bad.pcd", content)); });
  };
  EXPECT_THAT(error(""), HasSubstr("bad.pcd: the file is empty"));
  EXPECT_THAT(error("text"), HasSubstr("is not a PCD"));
  EXPECT_THAT(error(fields + "POINTS 1\n"), HasSubstr("cut short"));
  EXPECT_THAT(error(fields + "DATA binary\n"), HasSubstr("POINTS"));
  EXPECT_THAT(error(fields + "POINTS 1000000000\nDATA binary\n123"), HasSubstr("says 1000000000 points"));
  EXPECT_THAT(error(fields + "POINTS 1\nDATA binary\n12345678901"), HasSubstr("truncated"));
  EXPECT_THAT(error(fields + "POINTS 1\nDATA binary\n123456789012123456789012"),
              HasSubstr("but more follow"));
  EXPECT_THAT(error(fields + "POINTS 1\nDATA ascii\n1 2 3\n4 5 6\n"), HasSubstr("but more follow"));
  EXPECT_THAT(error(fields + "WIDTH 4\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n"),
              HasSubstr("says WIDTH 4, HEIGHT 1 and POINTS 1, which do not agree"));
  EXPECT_THAT(error(fields + "POINTS 1\nDATA binary_compressed\n"), HasSubstr("write it as ascii or binary"));
  EXPECT_THAT(error("FIELDS x y z\nSIZE 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n"),
              HasSubstr("differ in length"));
  EXPECT_THAT(error("FIELDS x y z\nSIZE 4 4 3\nTYPE F F F\nPOINTS 1\nDATA ascii\n"), HasSubstr("field 'z'"));
  for (const char* count : {"0", "65537", "x"}) {
    EXPECT_THAT(
        error("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 "s + count + "\nPOINTS 1\nDATA ascii\n"),
        HasSubstr("field 'z'"));
  }
}

TEST(WriteCloud, AScalarIsTheFieldQuality) {
  const TemporaryFolder dir;
  const std::vector<float> values = {0.5F, 2, std::numeric_limits<float>::quiet_NaN()};
  PointCloud cloud;
  cloud.points = {{0, 0, 1}, {0.25F, -1, 2}, {3, 4, 5}};
  for (const bool colored : {false, true}) {
    if (colored) cloud.colors = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    for (const char* name : {"a.ply", "a.pcd"}) {
      for (const auto encoding : {CloudEncoding::kBinary, CloudEncoding::kAscii}) {
        WriteCloud(dir / name, cloud, encoding, {"density, points / m^2", values});
        ExpectSame(ReadCloud(dir / name), cloud);  // readers pass over it
      }
    }
  }
  EXPECT_THAT(test::ReadText(dir / "a.ply"),
              AllOf(HasSubstr("comment quality: density, points / m^2\n"),
                    HasSubstr("property uchar blue\nproperty float quality\nend_header"),
                    HasSubstr("end_header\n0 0 1 1 2 3 0.5\n0.25 -1 2 4 5 6 2\n3 4 5 7 8 9 nan\n")));
  EXPECT_THAT(test::ReadText(dir / "a.pcd"),
              AllOf(HasSubstr("FIELDS x y z rgb quality\nSIZE 4 4 4 4 4\nTYPE F F F U F\n"
                              "COUNT 1 1 1 1 1\n"),
                    HasSubstr("DATA ascii\n0 0 1 66051 0.5\n")));
  WriteCloud(dir / "c.ply", cloud, CloudEncoding::kAscii, {"of z, m", values, "sigma_z"});
  EXPECT_THAT(test::ReadText(dir / "c.ply"), AllOf(HasSubstr("comment sigma_z: of z, m\n"),
                                                   HasSubstr("property float sigma_z\nend_header")));
  WriteCloud(dir / "b.ply", cloud, CloudEncoding::kBinary, {"density", values});
  const std::string binary = test::ReadText(dir / "b.ply");
  EXPECT_EQ(binary.size(), binary.find("end_header\n") + 11 + 3 * (12 + 3 + 4));
}

TEST(WritePlyLines, EdgesFollowTheVertices) {
  const TemporaryFolder dir;
  PointCloud cloud;
  cloud.points = {{0, 0, 1}, {0, 0, 2}, {0, 1, 2}};
  const std::vector<CloudEdge> edges = {{0, 1}, {1, 2}};
  WritePlyLines(dir / "a.ply", cloud, edges, CloudEncoding::kAscii);
  ExpectSame(ReadPly(dir / "a.ply"), cloud);
  EXPECT_THAT(test::ReadText(dir / "a.ply"),
              AllOf(HasSubstr("element vertex 3\n"),
                    HasSubstr("element edge 2\nproperty int vertex1\nproperty int vertex2\nend_header\n"),
                    testing::EndsWith("0 1 2\n0 1\n1 2\n")));
  WritePlyLines(dir / "b.ply", cloud, edges);
  ExpectSame(ReadPly(dir / "b.ply"), cloud);
  const std::string binary = test::ReadText(dir / "b.ply");
  EXPECT_EQ(binary.size(), binary.find("end_header\n") + 11 + 3 * 12 + 2 * 8);
  const std::vector<CloudEdge> wrong = {{0, 3}};
  EXPECT_THAT(ErrorOf([&] { WritePlyLines(dir / "c.ply", cloud, wrong); }),
              HasSubstr("ends at point 3 of 3"));
}

TEST(WriteCloud, WrongArguments) {
  const TemporaryFolder dir;
  EXPECT_THAT(ErrorOf([&] { WriteCloud(dir / "a.xyz", PointCloud()); }), HasSubstr(".ply or .pcd"));
  EXPECT_THAT(ErrorOf([&] { ReadCloud(dir / "a.xyz"); }), HasSubstr(".ply or .pcd"));
  PointCloud cloud = SomeCloud(true);
  cloud.colors.pop_back();
  EXPECT_THAT(ErrorOf([&] { WriteCloud(dir / "a.ply", cloud); }), HasSubstr("1000 points has 999 colours"));
  const std::vector<float> values(999);
  EXPECT_THAT(ErrorOf([&] {
                WriteCloud(dir / "a.ply", SomeCloud(false), CloudEncoding::kBinary, {"error", values});
              }),
              HasSubstr("1000 points has 999 values (error)"));
}

}  // namespace
}  // namespace parallax
