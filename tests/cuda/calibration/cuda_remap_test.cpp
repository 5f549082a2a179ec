// Rectification on the device against pipeline/calibration.
#include "cuda/calibration/cuda_remap.h"

#include <cstring>
#include <type_traits>

#include "cuda/calibration/device_rectifier.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"
#include "tests/support/raw_rigs.h"

namespace parallax::test {
namespace {

class CudaRemapTest : public CudaTest {};

// Positions anywhere in the source, its last columns and rows among them, and nowhere.
RemapTable RandomTable(int width, int height, int source_width, int source_height, SweepRandom& random) {
  RemapTable table{
      RandomImage<std::int32_t>(width, height, 0, ((source_width - 1) << kRemapBits) - 1, random),
      RandomImage<std::int32_t>(width, height, 0, ((source_height - 1) << kRemapBits) - 1, random),
      source_width, source_height};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (random.OneIn(9)) table.x(x, y) = table.y(x, y) = -1;
      if (!random.OneIn(9)) continue;
      table.x(x, y) = ((source_width - 1) << kRemapBits) - 1;
      table.y(x, y) = ((source_height - 1) << kRemapBits) - 1;
    }
  }
  return table;
}

template <typename T>
HostImage<T> RandomPixels(int width, int height, SweepRandom& random) {
  HostImage<T> image(width, height);
  for (int y = 0; y < height; ++y) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(image.Row(y));
    for (std::size_t i = 0; i < static_cast<std::size_t>(width) * sizeof(T); ++i)
      bytes[i] = static_cast<std::uint8_t>(random.Between(0, 255));
  }
  return image;
}

template <typename T>
bool Same(const HostImage<T>& a, const HostImage<T>& b) {
  for (int y = 0; y < a.height(); ++y) {
    if (std::memcmp(a.Row(y), b.Row(y), static_cast<std::size_t>(a.width()) * sizeof(T)) != 0) return false;
  }
  return a.width() == b.width() && a.height() == b.height();
}

// A table on the device, with the memory.
struct UploadedTable {
  UploadedTable(const RemapTable& table, const cuda::Stream& stream)
      : x(Uploaded(table.x, stream)), y(Uploaded(table.y, stream)) {}
  cuda::DeviceRemapTable View() const { return {x.ConstView(), y.ConstView()}; }
  cuda::DeviceImage<std::int32_t> x, y;
};

template <typename T>
void ExpectSameAsReference(int width, int height, int source_width, int source_height, std::uint64_t seed) {
  SweepRandom random(seed);
  const cuda::Stream stream;
  const RemapTable left_table = RandomTable(width, height, source_width, source_height, random);
  const RemapTable right_table = RandomTable(width, height, source_width, source_height, random);
  const HostImage<T> left = RandomPixels<T>(source_width, source_height, random);
  const HostImage<T> right = RandomPixels<T>(source_width, source_height, random);
  HostImage<T> wanted_left(width, height), wanted_right(width, height);
  RemapReference(left.ConstView(), left_table, wanted_left.View());
  RemapReference(right.ConstView(), right_table, wanted_right.View());
  const UploadedTable on_left(left_table, stream), on_right(right_table, stream);
  const cuda::DeviceImage<T> from_left = Uploaded(left, stream), from_right = Uploaded(right, stream);
  cuda::DeviceImage<T> to_left(width, height), to_right(width, height);
  cuda::RemapPair(from_left.ConstView(), from_right.ConstView(), {on_left.View(), on_right.View()},
                  to_left.View().data, to_right.View().data, stream.get());
  EXPECT_TRUE(Same(Downloaded(to_left, stream), wanted_left)) << width << "x" << height;
  EXPECT_TRUE(Same(Downloaded(to_right, stream), wanted_right)) << width << "x" << height;
}

TEST_F(CudaRemapTest, EqualsTheReference) {
  std::uint64_t seed = 0;
  for (const auto& [width, height] : {std::pair(1, 1), {63, 4}, {64, 5}, {65, 3}, {301, 77}}) {
    for (const auto& [source_width, source_height] : {std::pair(2, 2), {3, 5}, {199, 123}}) {
      ExpectSameAsReference<std::uint8_t>(width, height, source_width, source_height, ++seed);
      ExpectSameAsReference<std::uint16_t>(width, height, source_width, source_height, ++seed);
      ExpectSameAsReference<Rgb8>(width, height, source_width, source_height, ++seed);
    }
  }
}

TEST_F(CudaRemapTest, MasksWhatNoCameraSaw) {
  const cuda::Stream stream;
  for (int number = 0; number < 20; ++number) {
    SweepRandom random(static_cast<std::uint64_t>(100 + number));
    const auto [width, height] = RandomSize(number, random);
    const RemapTable left_table = RandomTable(width, height, 9, 7, random);
    const RemapTable right_table = RandomTable(width, height, 9, 7, random);
    DisparityMap map = RandomMap(width, height, random);
    if (random.OneIn(2)) map.disparity(0, 0) = -1.5F;
    UploadedMap uploaded(map, stream);
    RemoveUnseen({.left = SeenPixels(left_table), .right = SeenPixels(right_table)}, map);
    const UploadedTable on_left(left_table, stream), on_right(right_table, stream);
    cuda::RemoveUnseen({on_left.View(), on_right.View()}, uploaded.View(), stream.get());
    EXPECT_EQ(DifferenceOf("map", map, uploaded.Download(stream)), "") << width << "x" << height;
  }
}

TEST_F(CudaRemapTest, RefusesImagesOfAnotherRig) {
  const cuda::Stream stream;
  const cuda::DeviceRectifier rectifier(std::make_shared<const Rectifier>(WideRig()), stream.get());
  const HostImage<std::uint8_t> fits(640, 480, 1), small(639, 480, 1);
  const HostImage<Rgb8> colored(640, 480);
  EXPECT_NO_THROW(rectifier.CheckRaw(fits.ConstView(), fits.ConstView()));
  EXPECT_THROW(rectifier.CheckRaw(fits.ConstView(), small.ConstView()), InvalidArgument);
  EXPECT_THROW(rectifier.CheckRaw(small.ConstView(), fits.ConstView()), InvalidArgument);
  EXPECT_THROW(rectifier.CheckRaw(fits.ConstView(), colored.ConstView()), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
