// Why depth is bad: what some frames show of the cameras, of their calibration and of the scene.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/pair_fault.h"
#include "calibrate/row_offsets.h"
#include "pipeline/calibration/raw_rig.h"

namespace parallax {

enum class Fault {
  kNone,
  kTwoScenes,          // the images show different things
  kOtherLayout,        // one picture was cut into its images the wrong way
  kTurnedOver,         // one image is upside down or mirrored
  kExchanged,          // left is right
  kRows,               // a point lies on different rows
  kOtherSize,          // the calibration is for images of another size
  kNotTogether,        // left and right are taken at different times
  kRollingShutter,     // rows are taken one after the other, in motion
  kBelowRange,         // disparities below the smallest one that is searched
  kTooFewDisparities,  // and beyond the largest one
  kTooManyDisparities,
  kExposure,  // of one lens
  kFocus,     // of one lens or both
  kSaturation,
  kTexture,
  kNoise
};

// The result of one check.
struct Finding {
  enum class State { kUnknown, kGood, kNote, kFault };  // kNote: depth does not suffer
  const char* check = "";                               // "rows"
  State state = State::kUnknown;
  Fault fault = Fault::kNone;
  std::string figure;  // what was measured
  std::string effect;  // on depth; in metres where a rig is known
};

// Takes the frames of one source, which are of one size, in their order.
class PairExamination {
 public:
  // Examines the next frame. left, right: rectified. raw: the cameras, if this program rectified the images;
  // may be null.
  void Add(const CameraImageView& left, const CameraImageView& right, const PairFacts& facts,
           const RawRig* raw = nullptr);
  // Returns one finding for each check; causes come before their consequences.
  std::vector<Finding> Findings() const;

  int num_frames() const { return num_frames_; }
  int width() const { return width_; }
  int height() const { return height_; }
  const std::optional<StereoRig>& rig() const { return facts_.rig; }
  // The matches of frames whose images show one scene.
  std::vector<PointMatch> Matches() const;
  // The disparities of matches on consistent rows, px, sorted.
  std::vector<double> Disparities() const;

 private:
  struct Seen {
    PointMatch match;
    int frame = 0;
    std::optional<Vector2> flow;  // of the left point to the next frame, px
  };
  // The brightness of one image of one frame.
  struct Light {
    double mean = 0, noise = 0, saturated = 0, even = 0;  // gray levels; shares of the pixels
    double gradient = 0;                                  // rms along rows where there is texture
    double edge_px = 0;                                   // width (sigma) of the strongest edges; 0 = unknown
  };
  struct RowModel;

  void LookAtScene(const SmallPicture& left, const SmallPicture& right);
  void Track(const cv::Mat& from, const cv::Mat& to, int frame, double sign);
  RowModel RowsOf(bool with_time) const;
  std::string OffBy(double error_px) const;
  double Median(double Light::*value, int camera) const;

  Finding Scene() const;
  Finding Order() const;
  Finding Rows() const;
  Finding Size() const;
  Finding Time() const;
  Finding Shutter() const;
  Finding Range() const;
  Finding Exposure() const;
  Finding Focus() const;
  Finding Saturation() const;
  Finding Texture() const;
  Finding Noise() const;

  PairFacts facts_;
  std::optional<RawRig> raw_;
  int num_frames_ = 0, width_ = 0, height_ = 0;
  std::vector<double> shares_found_;  // of frames with features
  Fault scene_ = Fault::kNone;
  std::string scene_text_;
  std::vector<Seen> seen_;
  std::vector<Light> lights_[2];
  cv::Mat previous_;
};

}  // namespace parallax
