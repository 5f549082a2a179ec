// Detects input that gives every pixel a wrong disparity: images exchanged or cut wrongly, rows that differ,
// a calibration for another image size, too small a range of disparities.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "datasets/live/live_options.h"
#include "parallax/rig.h"
#include "pipeline/types/frame.h"

namespace parallax {

// What is known about a pair, apart from its images.
struct PairFacts {
  std::optional<StereoRig> rig;                  // of the rectified pair
  bool is_rectified_here = false;                // from raw images, by the rig
  std::optional<PictureLayout> layout = {};      // where left and right may come from one picture
  int min_disparity = 0, num_disparities = 128;  // that are searched, px
};

inline constexpr int kLiveFramesPassedOver = 5;  // until cameras have found their exposure
inline constexpr int kSmallestSide_px =
    64;  // of images that can be judged: features need 31 px on every side

// How many times as large the images of a calibration are, by its principal point, if they clearly have another size.
std::optional<double> ScaleOfOtherSize(double cx_px, double cy_px, int width, int height);

// Whether disparities are those of exchanged images. disparities: sorted, at least one.
bool LookExchanged(const std::vector<double>& disparities, const PairFacts& facts);

// An image scaled to 800 px, to be judged after the image itself is gone.
struct SmallPicture {
  int width = 0, height = 0;       // of the image
  cv::Mat gray;                    // brought to the same brightness and contrast as all others
  double scale = 1;                // px of the image that are one of this
  double mean = 0, deviation = 0;  // of the image
  CameraImageView View() const { return Part({0, 0, gray.cols, gray.rows}); }
  CameraImageView Part(const cv::Rect& part) const {
    return HostImageView<const std::uint8_t>(gray.ptr(part.y) + part.x, part.width, part.height,
                                             static_cast<std::ptrdiff_t>(gray.step[0]));
  }
};

SmallPicture Shrunk(const CameraImageView& image);

// The fault of a pair. Front ends add the remedy, because each has its own names for options and parameters.
struct PairFault {
  enum class Kind {
    kNone,
    kEmptyImage,
    kTwoScenes,
    kTopBottom,   // the picture that was cut into left and right holds one above the other,
    kSideBySide,  // one next to the other
    kRowsOfRig,   // of a rectified pair: the rig does not fit
    kRows,
    kRigSize,
    kExchanged,
    kBelowRange,  // many disparities are below those that are searched,
    kAboveRange,  // or above
    kBrightness
  };
  Kind kind = Kind::kNone;
  std::string text;  // what was found, with its figures, without a full stop
  // The value that would repair it. kBelowRange: min_disparity; kAboveRange: num_disparities; kRigSize: the
  // factor of fx, cx, cy.
  double remedy = 0;
};

// The fault of a pair; nullopt if the images have too little texture to decide. Both images have one size.
std::optional<PairFault> FaultOf(const SmallPicture& left, const SmallPicture& right, const PairFacts& facts);

// The disparities to search.
struct SearchRange {
  int min_disparity = 0, num_disparities = 128;
};
// A range for nearly all of these disparities and for twice as large ones, because surfaces without features,
// such as a road, may be nearer. The smallest is below 0 only if disparities are. Both numbers are multiples
// of 16.
SearchRange RangeFor(std::vector<double> disparities);

// The range for a pair; nullopt if it shows too little, or looks as if its disparities were not those of the scene.
std::optional<SearchRange> RangeOf(const SmallPicture& left, const SmallPicture& right,
                                   const PairFacts& facts);

}  // namespace parallax
