// Matching: two rectified images in, disparity, depth, uncertainty and points out.
//
//   parallax::Matcher matcher("kitti");
//   const parallax::MatchResult result = matcher.Compute(left, right);
//   result.disparity(x, y)                                             // px, NaN = no value
//   const parallax::HostImage<float> depth_m = result.Depth(rig);
//   parallax::MatchResult result = matcher.Compute(raw_left, raw_right, parallax::Rig::Load("rig.yaml"));
//   const parallax::PointCloud cloud_m = result.Cloud();
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "parallax/parameters.h"
#include "parallax/rig.h"

namespace parallax {

class DeviceResult;  // parallax/device_images.h

struct BackendState {
  std::string_view name;  // "reference", "cpu", "cuda"
  bool usable = false;    // it was built and its hardware answers
  std::string note;       // its description; if it is not usable, the reason and the remedy
};
// All back ends, the fastest first.
std::vector<BackendState> Backends();

// How the matcher runs. All back ends give the same bits.
struct Machine {
  std::string backend = "auto";  // or "cuda", "cpu", "reference"; auto: cuda if a device answers, else cpu
  int num_threads = 0;           // of cpu and reference; 0 = all cores
  int device = 0;                // of cuda, as `parallax info` numbers them
  // Working memory of cpu, bytes; 0 = 2.5 bytes * W * H * D + 64 MB. With less, frames are matched in bands:
  // slower, with the same bits.
  std::size_t memory_limit_bytes = 0;
};

// A disparity map (disparity, validity, confidence: W x H) with the parameters that made it.
struct MatchResult : DisparityMap {
  // Metres, W x H. NaN where the disparity is NaN, and outside reprojection.min_depth_m .. max_depth_m.
  // Without an argument, uses the rig of Compute. Throws InvalidArgument for a rig without focal length or
  // baseline.
  HostImage<float> Depth(const StereoRig& rig = {}) const;
  // The points of the pixels with a depth, in reading order, coloured from the left image, by default
  // rectified.left. Throws what Depth throws, and for an image of another size than the map.
  PointCloud Cloud(const StereoRig& rig = {}, const CameraImageView& left = {}) const;
  // One standard deviation of every disparity, px, W x H, NaN without a value. It comes from the preset's
  // table, which was fitted to ground truth (docs/uncertainty.md).
  HostImage<float> Sigma() const;
  // The same for every depth, metres: Z^2 / (fx * baseline) * Sigma(), to first order. Throws what Depth
  // throws.
  HostImage<float> DepthSigma(const StereoRig& rig = {}) const;
  const Parameters& parameters() const;  // that made the map

  // The map's geometry, set by Compute with a rig. Its images are those that were matched if they are not the
  // given ones: rectified, or reduced (live.decimation).
  RectifiedPair rectified;

  struct Settings;  // of the matcher
  std::shared_ptr<const Settings> settings;
};

// Matches pairs of any sizes with one set of parameters, one pair at a time; calls from several threads wait
// for one another. The first pair of a size takes longer, because its memory is allocated. With parameters of
// the section live, the pairs of one Matcher count as consecutive frames of one camera.
class Matcher {
 public:
  // preset_or_file: see Preset; it also has the table of Sigma(). Throws InvalidArgument for invalid
  // parameters and an unknown back end, Error if this machine cannot run the back end.
  explicit Matcher(const std::string& preset_or_file = "default", const Machine& machine = {});
  // Sigma() uses the table of sigma_preset. Throws what the constructor above throws.
  explicit Matcher(const Parameters& parameters, const Machine& machine = {},
                   const std::string& sigma_preset = "default");
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  // Matches a rectified pair of one size and pixel type; the pixels are only borrowed during the call. Throws
  // InvalidArgument if the images do not fit each other, Error for live.near_m and live.far_m, which need a
  // rig.
  MatchResult Compute(const CameraImageView& left, const CameraImageView& right);
  // Rectifies raw images first; pixels that a camera did not see get no disparity. Images of the rig's
  // rectified size are matched unchanged. Also throws what Rig::Rectify throws.
  MatchResult Compute(const CameraImageView& left, const CameraImageView& right, const Rig& rig);

  // Matches images in a GPU's memory, in order with the caller's work there: parallax/device_images.h. The
  // section live is not applied.
  std::shared_ptr<DeviceResult> Enqueue(const DeviceCameraImageView& left, const DeviceCameraImageView& right,
                                        void* stream);
  void* stream();  // the Matcher's own, for Enqueue
  // Work launched on `stream` from now on starts after the work now on `after`. Does not wait.
  void Order(void* stream, void* after);

  const Parameters& parameters() const;
  std::string_view backend() const;  // "cuda", "cpu", "reference"

 private:
  friend class PairQueue;
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace parallax
