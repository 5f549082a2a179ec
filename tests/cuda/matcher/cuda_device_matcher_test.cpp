#include "cuda/matcher/cuda_device_matcher.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "cuda/device/device_buffer.h"
#include "cuda/matcher/cuda_matcher.h"
#include "parallax/error.h"
#include "tests/cuda/require_device.h"
#include "tests/cuda/uploaded_images.h"

namespace parallax::test {
namespace {

class DeviceMatcherTest : public CudaTest {};

template <typename T>
struct Pair {
  HostImage<T> left, right;
};
template <typename T>
Pair<T> RandomPair(int width, int height, std::uint64_t seed) {
  SweepRandom random(seed);
  Pair<T> pair{HostImage<T>(width, height), HostImage<T>(width, height)};
  for (HostImage<T>* image : {&pair.left, &pair.right}) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto value = static_cast<std::uint8_t>(random.Between(0, 255));
        if constexpr (std::is_same_v<T, Rgb8>) {
          (*image)(x, y) = {value, static_cast<std::uint8_t>(value / 2),
                            static_cast<std::uint8_t>(255 - value)};
        } else {
          (*image)(x, y) = static_cast<T>(value * (sizeof(T) == 2 ? 257 : 1));
        }
      }
    }
  }
  return pair;
}

template <typename T>
void ExpectSame(const HostImage<T>& is, const HostImage<T>& wanted) {
  ASSERT_EQ(is.width(), wanted.width());
  ASSERT_EQ(is.height(), wanted.height());
  for (int y = 0; y < is.height(); ++y) {
    const std::size_t bytes = static_cast<std::size_t>(is.width()) * sizeof(T);
    ASSERT_EQ(std::memcmp(is.Row(y), wanted.Row(y), bytes), 0) << "row " << y;
  }
}
void ExpectSame(const DisparityMap& is, const DisparityMap& wanted) {
  ExpectSame(is.disparity, wanted.disparity);
  ExpectSame(is.validity, wanted.validity);
  ExpectSame(is.confidence, wanted.confidence);
}

// gap: pixels between rows on the device.
template <typename T>
void CheckFrame(DeviceMatcher& matcher, StereoMatcher& plain, int width, int height, int gap,
                std::uint64_t seed) {
  const Pair<T> pair = RandomPair<T>(width, height, seed);
  const cuda::Stream stream;
  cuda::DeviceImage<T> left(width + gap, height), right(width + gap, height);
  const std::ptrdiff_t stride = (width + gap) * static_cast<std::ptrdiff_t>(sizeof(T));
  const DeviceImageView<T> on_left(left.View().data, width, height, stride);
  const DeviceImageView<T> on_right(right.View().data, width, height, stride);
  cuda::UploadAsync(pair.left.ConstView(), on_left, stream.get());
  cuda::UploadAsync(pair.right.ConstView(), on_right, stream.get());
  DisparityMap wanted;
  plain.Compute(pair.left.ConstView(), pair.right.ConstView(), wanted);
  // On the matcher's stream, behind the copies, and on the caller's.
  matcher.Order(matcher.stream(), stream.get());
  const auto first = matcher.Enqueue(AsConst(on_left), AsConst(on_right), matcher.stream());
  const auto second = matcher.Enqueue(AsConst(on_left), AsConst(on_right), stream.get());
  ExpectSame(first->Download(), wanted);
  // What another stream does with it comes after it.
  const cuda::Stream reader;
  second->OrderBefore(reader.get());
  HostImage<float> read(width, height);
  cuda::DownloadAsync(AsConst(second->map().disparity), read.View(), reader.get());
  cuda::Check(cudaStreamSynchronize(reader.get()), "cudaStreamSynchronize");
  ExpectSame(read, wanted.disparity);
}

TEST_F(DeviceMatcherTest, GivesTheBitsOfTheOtherMatcher) {
  const MatcherOptions options{.width = 300, .height = 90};
  const auto matcher = MakeCudaDeviceMatcher({}, options);
  const auto plain = MakeCudaMatcher({}, options);
  CheckFrame<std::uint8_t>(*matcher, *plain, 300, 90, 0, 1);
  CheckFrame<std::uint8_t>(*matcher, *plain, 200, 33, 7, 2);
  CheckFrame<std::uint16_t>(*matcher, *plain, 299, 61, 3, 3);
  CheckFrame<Rgb8>(*matcher, *plain, 120, 90, 0, 4);
  CheckFrame<Rgb8>(*matcher, *plain, 121, 80, 5, 5);
  CheckFrame<std::uint8_t>(*matcher, *plain, 2, 1, 0, 6);
  CheckFrame<std::uint8_t>(*matcher, *plain, 1, 1, 0, 7);
  CheckFrame<Rgb8>(*matcher, *plain, 1, 1, 0, 8);
}

// Of images that are constant, or are but for one pixel, in any order; rows with gaps, whose pixels are no
// image's.
template <typename T>
void CheckConstantImages(T value, T other) {
  constexpr int kWidth = 301, kHeight = 83, kGap = 3;
  const MatcherOptions options{.width = kWidth, .height = kHeight};
  const auto matcher = MakeCudaDeviceMatcher({}, options);
  const auto plain = MakeCudaMatcher({}, options);
  const HostImage<T> constant(kWidth, kHeight, value);
  HostImage<T> last(kWidth, kHeight, value), first(kWidth, kHeight, value);
  last(kWidth - 1, kHeight - 1) = other;
  first(0, 0) = other;
  const HostImage<T>* const images[] = {&constant, &last, &first};
  const cuda::Stream stream;
  for (int i = 0; i < 9; ++i) {
    const HostImage<T>&left = *images[i % 3], &right = *images[i / 3];
    HostImage<T> wide_left(kWidth + kGap, kHeight, other), wide_right(kWidth + kGap, kHeight, other);
    for (int y = 0; y < kHeight; ++y) {
      std::copy_n(left.Row(y), kWidth, wide_left.Row(y));
      std::copy_n(right.Row(y), kWidth, wide_right.Row(y));
    }
    const cuda::DeviceImage<T> on_left = Uploaded(wide_left, stream), on_right = Uploaded(wide_right, stream);
    const auto view = [](const cuda::DeviceImage<T>& image) {
      const DeviceImageView<const T> whole = image.ConstView();
      return DeviceImageView<const T>(whole.data, kWidth, kHeight, whole.stride_bytes);
    };
    DisparityMap wanted;
    plain->Compute(left.ConstView(), right.ConstView(), wanted);
    SCOPED_TRACE(i);
    ExpectSame(matcher->Enqueue(view(on_left), view(on_right), matcher->stream())->Download(), wanted);
  }
}

TEST_F(DeviceMatcherTest, ClaimsNothingOfConstantImages) {
  CheckConstantImages<std::uint8_t>(9, 10);
  CheckConstantImages<std::uint16_t>(0x0909, 0x0A09);
  CheckConstantImages<Rgb8>({9, 9, 9}, {9, 9, 8});
}

TEST_F(DeviceMatcherTest, RefusesWhatDoesNotFit) {
  const auto matcher = MakeCudaDeviceMatcher({}, {.width = 30, .height = 20});
  const cuda::DeviceImage<std::uint8_t> small(30, 20), wide(31, 20);
  const cuda::DeviceImage<std::uint16_t> deep(30, 20);
  const auto enqueue = [&](const DeviceCameraImageView& left, const DeviceCameraImageView& right) {
    matcher->Enqueue(left, right, matcher->stream());
  };
  EXPECT_THROW(enqueue(small.ConstView(), wide.ConstView()), InvalidArgument);
  EXPECT_THROW(enqueue(wide.ConstView(), wide.ConstView()), InvalidArgument);
  EXPECT_THROW(enqueue(small.ConstView(), deep.ConstView()), InvalidArgument);
  const DeviceImageView<const std::uint8_t> turned(small.ConstView().data + 30 * 19, 30, 20, -30);
  EXPECT_THROW(enqueue(turned, turned), InvalidArgument);
  EXPECT_NO_THROW(enqueue(small.ConstView(), small.ConstView()));
}

TEST_F(DeviceMatcherTest, ResultsStayApart) {
  const MatcherOptions options{.width = 200, .height = 50};
  const auto matcher = MakeCudaDeviceMatcher({}, options);
  const auto plain = MakeCudaMatcher({}, options);
  const cuda::Stream stream;
  std::vector<std::unique_ptr<DeviceResult>> results;
  std::vector<DisparityMap> wanted(8);
  std::vector<cuda::DeviceImage<std::uint8_t>> images;
  for (std::uint64_t i = 0; i < wanted.size(); ++i) {
    const Pair<std::uint8_t> pair = RandomPair<std::uint8_t>(200, 50, 10 + i);
    plain->Compute(pair.left.ConstView(), pair.right.ConstView(), wanted[i]);
    images.push_back(Uploaded(pair.left, stream));
    images.push_back(Uploaded(pair.right, stream));
    results.push_back(matcher->Enqueue(images[images.size() - 2].ConstView(), images.back().ConstView(),
                                       i % 2 == 0 ? matcher->stream() : stream.get()));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) ExpectSame(results[i]->Download(), wanted[i]);
}

}  // namespace
}  // namespace parallax::test
