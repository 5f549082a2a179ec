#include "datasets/formats/cloud_file.h"
#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {
namespace {

PointCloud SmallCloud(bool with_colors) {
  PointCloud cloud;
  cloud.points = {{0, 0, 1}, {-1.5F, 2.25F, 3}, {1e-3F, -1e6F, 80}};
  if (with_colors) cloud.colors = {{1, 2, 3}, {255, 0, 128}, {9, 8, 7}};
  return cloud;
}

template <typename Write>
std::vector<Bytes> SeedsOf(const Write& write, std::string_view name) {
  std::vector<Bytes> seeds;
  for (const CloudEncoding encoding : {CloudEncoding::kBinary, CloudEncoding::kAscii}) {
    for (const bool with_colors : {false, true}) {
      const PointCloud cloud = SmallCloud(with_colors);
      seeds.push_back(
          WrittenBytes([&](const auto& path) { write(path, cloud, encoding, ScalarField{}); }, name));
    }
  }
  return seeds;
}

void RequireSound(const PointCloud& cloud, std::size_t file_size_bytes) {
  Require(cloud.colors.empty() || cloud.colors.size() == cloud.points.size(), "none or one colour per point");
  // The shortest point: "0 0 0\n" in text, three bytes in binary.
  Require(cloud.size() * 3 <= file_size_bytes, "all points come from the file");
}

void FeedPly(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [&](const auto& path) { RequireSound(ReadPly(path), bytes.size()); });
}
void FeedPcd(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [&](const auto& path) { RequireSound(ReadPcd(path), bytes.size()); });
}

}  // namespace

const Target kPly{"ply", FeedPly, [] { return SeedsOf(WritePly, "cloud.ply"); }};
const Target kPcd{"pcd", FeedPcd, [] { return SeedsOf(WritePcd, "cloud.pcd"); }};

}  // namespace parallax::fuzz
