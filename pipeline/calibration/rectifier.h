// Frames of raw cameras made rectified.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "parallax/disparity_map.h"
#include "pipeline/calibration/rectification.h"
#include "pipeline/calibration/remap.h"
#include "pipeline/types/frame.h"

namespace parallax {

// What the cameras saw of a rectified pair: 255, else 0 (a border).
struct SeenPixelsOfPair {
  HostImage<std::uint8_t> left, right;
  bool all = false;  // both saw everything
};

// Takes away the disparities of pixels that the left camera did not see, and of those whose match is a pixel
// inside the right image that the right camera did not see: NaN, kOutOfRange and not kFilled.
void RemoveUnseen(const SeenPixelsOfPair& seen, DisparityMap& map);

// Rectifies pairs of one rig. Maps are made once.
class Rectifier {
 public:
  // Throws as MakeRectification.
  explicit Rectifier(const RawRig& rig, const RectificationOptions& options = {},
                     ThreadPool* threads = nullptr);

  const Rectification& rectification() const { return rectification_; }
  const std::shared_ptr<const SeenPixelsOfPair>& seen() const { return seen_; }
  const RemapTable& left() const { return left_; }
  const RemapTable& right() const { return right_; }

  // Throws InvalidArgument where the images are not of the rig's size.
  CameraImage RectifyLeft(const CameraImageView& image, ThreadPool* threads = nullptr) const;
  CameraImage RectifyRight(const CameraImageView& image, ThreadPool* threads = nullptr) const;

 private:
  Rectification rectification_;
  RemapTable left_, right_;
  std::shared_ptr<const SeenPixelsOfPair> seen_;
};

// Rectifies frames that have a raw rig, whichever it is: the maps of the last one are kept. For several
// threads at a time.
class FrameRectifier {
 public:
  explicit FrameRectifier(const RectificationOptions& options = {}) : options_(options) {}

  // A frame of raw images with raw_rig becomes a rectified one, with its rig and what the cameras saw; others
  // stay as they are. A rig that does not say how large its images are takes the frame's size. Throws Error
  // where images and rig differ in size, and as MakeRectification.
  void Rectify(StereoFrame& frame);
  // The same, but the images stay raw, and so does the frame, for who rectifies them later by For()'s maps.
  void Prepare(StereoFrame& frame);
  // What rectifies the images of a frame; null where they are rectified, or no rig tells. Throws as Rectify.
  std::shared_ptr<const Rectifier> For(const StereoFrame& frame);

 private:
  const RectificationOptions options_;
  std::mutex mutex_;
  std::optional<RawRig> rig_;
  std::shared_ptr<const Rectifier> rectifier_;  // its
};

}  // namespace parallax
