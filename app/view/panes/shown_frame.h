// A frame with everything that the panes show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/pictures/robust_range.h"
#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::app {

// An image of values that is computed when it is first shown. Thread-safe.
class ImageOnDemand {
 public:
  explicit ImageOnDemand(std::function<HostImage<float>()> make) : make_(std::move(make)) {}
  const HostImage<float>& image() const;
  const ValueRange& range() const;  // from 0, without outliers

 private:
  void Make() const;
  const std::function<HostImage<float>()> make_;
  mutable std::once_flag made_;
  mutable HostImage<float> image_;
  mutable ValueRange range_{0, 1};
};

// The results of one set of parameters. Images have the frame's size, or are empty if unknown.
struct ShownSet {
  HostImageView<const float> disparity;                    // px, NaN = no value
  HostImageView<const std::uint8_t> validity, confidence;  // see DisparityMap
  HostImage<float> depth_m;                                // NaN = none; empty without calibration
  std::shared_ptr<const ImageOnDemand> sigma_px;           // of the disparities; null: unknown
  ValueRange disparity_range{0, 1}, depth_range{0, 1};     // without outliers
  Parameters parameters;
  std::string backend;  // empty: not matched here
  StageTimes times;
  double match_ms = 0;
  // The score of this frame by the data set's own metric; the name is empty if the frame has no truth.
  std::string score_name;
  double score = 0;
  double density_percent = 0;         // of the pixels that have a value
  std::shared_ptr<const void> owner;  // of the views
};

// Never changes once it is shown.
struct ShownFrame {
  std::string name;
  std::size_t index = 0;
  int width = 0, height = 0;           // px, of all that is not empty
  HostImage<Rgb8> left, right;         // as people look at them
  std::string left_title{};            // of a picture that stands in place of the left image
  std::optional<StereoRig> rig;        // absent: no true scale
  const GroundTruth* truth = nullptr;  // null: no truth
  ShownSet a;
  std::optional<ShownSet> b;  // of the second set of parameters, while it is compared
  double read_ms = 0;
  std::shared_ptr<const void> owner;  // of the truth

  const ShownSet& SetOf(bool of_b) const { return of_b && b ? *b : a; }
  bool HasPixel(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
};

// The set of a disparity map; its views point into `owner`. rig: absent = no depth.
ShownSet MakeShownSet(HostImageView<const float> disparity, HostImageView<const std::uint8_t> validity,
                      HostImageView<const std::uint8_t> confidence, const std::optional<StereoRig>& rig,
                      const Parameters& parameters, std::shared_ptr<const void> owner);

// The frame and its set A.
ShownFrame MakeShownFrame(const std::shared_ptr<const MatchedFrame>& matched, const std::string& backend);

}  // namespace parallax::app
