// Mistakes with images and cost volumes that do not compile, each with what does.
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "parallax/image.h"
#include "pipeline/types/cost_volume.h"

namespace parallax {
namespace {

// What a view or an image hands out at a pixel can be written.
template <typename Image>
concept PixelsCanBeWritten = requires(Image image) {
  image(0, 0) = 1;
};
template <typename Image>
concept ViewCanBeWritten = requires(Image image) {
  image.View()(0, 0) = 1;
};

// Images are copied by Clone() only, never by accident.
using Image = HostImage<float>;
static_assert(!std::is_copy_constructible_v<Image> && !std::is_copy_assignable_v<Image>);
static_assert(std::is_move_constructible_v<Image> && std::is_move_assignable_v<Image>);
static_assert(std::same_as<decltype(std::declval<const Image&>().Clone()), Image>);

// A cost volume of a hundred megabytes is not copied by accident.
static_assert(!std::is_copy_constructible_v<HostCostVolume<int>>);
static_assert(std::is_move_constructible_v<HostCostVolume<int>>);

// Const is not lost on the way to a function, and pixels of a const view or image are read only.
static_assert(!std::is_convertible_v<HostImageView<const float>, HostImageView<float>>);
static_assert(std::same_as<decltype(AsConst(HostImageView<float>())), HostImageView<const float>>);
static_assert(!PixelsCanBeWritten<HostImageView<const float>> && PixelsCanBeWritten<HostImageView<float>>);
static_assert(!ViewCanBeWritten<const Image&> && ViewCanBeWritten<Image&>);

// The kind of memory is part of the type: the host does not follow a pointer of the device, nor a kernel one
// of the host.
static_assert(!std::is_convertible_v<DeviceImageView<float>, HostImageView<float>>);
static_assert(!std::is_convertible_v<HostImageView<const float>, DeviceImageView<const float>>);
static_assert(std::same_as<decltype(AsConst(DeviceImageView<float>())), DeviceImageView<const float>>);
static_assert(!std::is_convertible_v<DeviceCostVolumeView<int>, HostCostVolumeView<int>>);
static_assert(std::is_convertible_v<HostCostVolumeView<int>, HostCostVolumeView<int>>);

// 16-bit pixels are not read as 8-bit ones.
using ViewOf16 = decltype(std::declval<const HostImage<std::uint16_t>&>().View());
static_assert(std::is_convertible_v<ViewOf16, HostImageView<const std::uint16_t>>);
static_assert(!std::is_convertible_v<ViewOf16, HostImageView<const std::uint8_t>>);

}  // namespace
}  // namespace parallax
