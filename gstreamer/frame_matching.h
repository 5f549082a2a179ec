// The element's work on a pair of images: matching, and the result in the output format. Independent of
// GStreamer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parallax/matcher.h"

namespace parallax::gstreamer {

enum class Output { kDisparity, kDepth, kColor };

// The matching settings, from the element's properties.
struct Settings {
  std::string preset = "default";
  std::string parameters;  // "key=value,key=value"
  std::string backend = "auto";
  int threads = 0;
  int device = 0;
  bool operator==(const Settings&) const = default;
};

// The output, and the values that its format needs.
struct Form {
  Output output = Output::kDisparity;
  StereoRig rig;             // of depth: fx, baseline, doffs; 0 = not set
  double color_max = 0;      // px, the lightest colour; 0 = the largest disparity searched
  bool show_filled = false;  // in colours: filled pixels are not paler
};

// The destination: rows stride_bytes apart.
struct OutImage {
  std::uint8_t* data = nullptr;
  std::size_t num_bytes = 0;
  std::ptrdiff_t stride_bytes = 0;
};

class FrameMatching {
 public:
  // Throws what Matcher, Preset and SetByKey throw.
  explicit FrameMatching(const Settings& settings);

  const Settings& settings() const { return settings_; }

  // Disparity: 16 bits, px * 256, 0 = none (KITTI's form). Depth: 16 bits, mm, 0 = none or beyond 65.535 m.
  // Color: 8-bit RGB, black = none. Throws InvalidArgument for images of different sizes, for an output
  // without enough room, and for depth without a rig.
  void Match(const CameraImageView& left, const CameraImageView& right, const Form& form, const OutImage& to);

  std::string_view backend() const { return matcher_.backend(); }

 private:
  Settings settings_;
  Matcher matcher_;
};

}  // namespace parallax::gstreamer
