// Rectification of frames of raw cameras.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "parallax/disparity_map.h"
#include "pipeline/calibration/rectification.h"
#include "pipeline/calibration/remap.h"
#include "pipeline/types/frame.h"

namespace parallax {

// The turn of the right camera since its calibration that rectification corrects: about x and z of the rectified
// frame, microradians. Whole numbers, so that files keep them exactly.
using RightTurn_urad = std::array<int, 2>;
// The same as a rotation vector, radians.
inline Vector3 RotationVectorOf(const RightTurn_urad& turn) { return {1e-6 * turn[0], 0, 1e-6 * turn[1]}; }

// Which pixels of a rectified pair the cameras saw: 255, else 0 (a border).
struct SeenPixelsOfPair {
  HostImage<std::uint8_t> left, right;
  bool all = false;            // both saw everything; the images may then be empty
  RightTurn_urad turn_urad{};  // that the right image was corrected for
};

// Removes the disparities of pixels that the left camera did not see, and of those whose match is a pixel
// inside the right image that the right camera did not see: NaN, kOutOfRange and not kFilled.
void RemoveUnseen(const SeenPixelsOfPair& seen, DisparityMap& map);

// Rectifies pairs of one rig. Tables are made once.
class Rectifier {
 public:
  // Throws what MakeRectification throws.
  explicit Rectifier(const RawRig& rig, const RectificationOptions& options = {},
                     ThreadPool* threads = nullptr);
  // Like other, which was made from `rig`, but corrects a turn of the right camera.
  Rectifier(const Rectifier& other, const RawRig& rig, const RightTurn_urad& turn);

  const Rectification& rectification() const { return rectification_; }
  const std::shared_ptr<const SeenPixelsOfPair>& seen() const { return seen_; }
  const RemapTable& left() const { return *left_; }
  const RemapTable& right() const { return right_; }

  // Throws InvalidArgument if the images do not have the rig's size.
  CameraImage RectifyLeft(const CameraImageView& image, ThreadPool* threads = nullptr) const;
  CameraImage RectifyRight(const CameraImageView& image, ThreadPool* threads = nullptr) const;

 private:
  void FindSeen(const RightTurn_urad& turn);

  Rectification rectification_;
  std::shared_ptr<const RemapTable> left_;
  RemapTable right_;
  std::shared_ptr<const SeenPixelsOfPair> seen_;
};

// Rectifies frames with any raw rig and keeps the tables of the last one. Thread-safe.
class FrameRectifier {
 public:
  explicit FrameRectifier(const RectificationOptions& options = {}) : options_(options) {}

  // Rectifies a frame of raw images with raw_rig and gives it its rig and masks; other frames stay unchanged.
  // A rig without an image size takes the frame's. Throws Error if images and rig differ in size, and what
  // MakeRectification throws.
  void Rectify(StereoFrame& frame);
  // Does the same, but leaves the frame and its images raw, for a later rectification with the tables of
  // For().
  void Prepare(StereoFrame& frame);
  // The rectifier of a frame's images; null if they are rectified, or there is no rig. Throws what Rectify
  // throws.
  std::shared_ptr<const Rectifier> For(const StereoFrame& frame);
  // Corrects this turn in all following frames. Makes the new tables at once if the rig is already known.
  void SetTurn(const RightTurn_urad& turn);

 private:
  const RectificationOptions options_;
  std::mutex mutex_;
  std::optional<RawRig> rig_;
  std::shared_ptr<const Rectifier> rectifier_;  // for rig_ and turn_
  RightTurn_urad turn_{};
};

}  // namespace parallax
