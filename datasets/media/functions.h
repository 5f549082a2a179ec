// The module's functions, declared in datasets/formats/image_decoders.h and datasets/live/players.h.
#pragma once

#include "datasets/formats/image_decoders.h"
#include "datasets/live/players.h"

namespace parallax::media {

CameraImage DecodeImage(const std::filesystem::path& path, const FileBytes& bytes);
HostImage<std::uint8_t> DecodeGray8(const std::filesystem::path& path, const FileBytes& bytes);
HostImage<std::uint16_t> DecodeGray16(const std::filesystem::path& path, const FileBytes& bytes);
FileBytes EncodeWebp(HostImageView<const Rgb8> picture, int quality);
HostImage<Rgb8> ColorsOfMosaic(HostImageView<const std::uint8_t> mosaic, MosaicBegin begin);
HostImage<std::uint16_t> GrayOfMosaic(HostImageView<const std::uint16_t> mosaic, MosaicBegin begin);

std::unique_ptr<FrameSource> OpenVideo(const std::vector<std::string>& files, PictureLayout layout);
std::unique_ptr<LiveDevice> OpenStream(const std::string& line, const std::string& label,
                                       std::shared_ptr<HostMemory> image_memory);

}  // namespace parallax::media
