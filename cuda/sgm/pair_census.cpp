#include "cuda/sgm/pair_census.h"

#include <utility>
#include <variant>

namespace parallax::cuda {

CensusMemory CensusMemory::Take(Arena& arena, CensusWindow window, std::size_t num_pixels) {
  CensusMemory memory;
  memory.gray_left = arena.Take<std::uint8_t>(num_pixels);
  memory.gray_right = arena.Take<std::uint8_t>(num_pixels);
  if (HasCode32(window)) {
    memory.left32 = arena.Take<std::uint32_t>(num_pixels);
    memory.right32 = arena.Take<std::uint32_t>(num_pixels);
  } else {
    memory.left64 = arena.Take<std::uint64_t>(num_pixels);
    memory.right64 = arena.Take<std::uint64_t>(num_pixels);
  }
  return memory;
}

PairCensus MakePairCensus(const DeviceCameraImage& left, const DeviceCameraImage& right, CensusWindow window,
                          const CensusMemory& memory, bool with_gray_right, cudaStream_t stream) {
  const auto [width, height] =
      std::visit([](const auto& image) { return std::pair(image.width, image.height); }, left);
  const auto image = [w = width, h = height]<typename T>(T* data) { return DeviceImageView<T>{data, w, h}; };
  const DeviceImageView<std::uint8_t> gray_left = image(memory.gray_left),
                                      gray_right = image(memory.gray_right);
  PairCensus made{{image(memory.left32), image(memory.right32), image(memory.left64), image(memory.right64)},
                  AsConst(gray_left),
                  AsConst(gray_right)};
  if (const auto* gray = std::get_if<DeviceImageView<const std::uint8_t>>(&left)) {
    made.gray_left = *gray;
    made.gray_right = std::get<DeviceImageView<const std::uint8_t>>(right);
    CensusTransform(made.gray_left, made.gray_right, window, made.codes, stream);
  } else if (const auto* gray16 = std::get_if<DeviceImageView<const std::uint16_t>>(&left)) {
    const auto& gray16_right = std::get<DeviceImageView<const std::uint16_t>>(right);
    GuideFromGray16(*gray16, gray_left, stream);
    if (with_gray_right) GuideFromGray16(gray16_right, gray_right, stream);
    CensusTransform(*gray16, gray16_right, window, made.codes, stream);
  } else {
    GrayFromColor(std::get<DeviceImageView<const Rgb8>>(left), gray_left, stream);
    GrayFromColor(std::get<DeviceImageView<const Rgb8>>(right), gray_right, stream);
    CensusTransform(made.gray_left, made.gray_right, window, made.codes, stream);
  }
  return made;
}

}  // namespace parallax::cuda
