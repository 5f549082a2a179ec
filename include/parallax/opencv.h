// parallax as a cv::StereoSGBM: a program that uses OpenCV's changes one line,
//
//   cv::Ptr<cv::StereoSGBM> matcher = parallax::StereoSGBM::create(0, 64, 3);
//
// Link parallax::parallax and OpenCV's core, imgproc and calib3d. docs/opencv.md says what each setter does.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/opencv_modules.hpp>
#include <optional>
#include <string>
#include <utility>

#include "parallax/device_images.h"
#include "parallax/error.h"
#include "parallax/matcher.h"

// A GpuMat is matched where it is; needs an OpenCV with CUDA (Debian's has none).
#if !defined(PARALLAX_OPENCV_CUDA) && defined(HAVE_OPENCV_CUDAARITHM)
#define PARALLAX_OPENCV_CUDA 1
#endif

namespace parallax {

// Not thread-safe. Throws cv::Exception, as OpenCV does, with the library's message.
//
// left, right: CV_8UC1 and CV_16UC1 are borrowed, rows with gaps too; CV_8UC3 (BGR) is converted. disparity:
// CV_16S in steps of 1/16 px, (minDisparity - 1) * 16 for none; or CV_32F in px, minDisparity - 1 for none,
// if setDispType says so or the destination has that fixed type, such as a cv::Mat1f.
class StereoSGBM : public cv::StereoSGBM {
 public:
  // The parameters are those of cv::StereoSGBM::create.
  static cv::Ptr<StereoSGBM> create(int min_disparity = 0, int num_disparities = 16, int block_size = 3,
                                    int p1 = 0, int p2 = 0, int disp12_max_diff = 0, int pre_filter_cap = 0,
                                    int uniqueness_ratio = 0, int speckle_window_size = 0,
                                    int speckle_range = 0, int mode = MODE_SGBM) {
    auto matcher = create(Parameters{});
    matcher->setFill(false);  // OpenCV's leaves holes
    matcher->setMinDisparity(min_disparity);
    matcher->setNumDisparities(num_disparities);
    matcher->setBlockSize(block_size);
    matcher->setP1(p1);
    matcher->setP2(p2);
    matcher->setDisp12MaxDiff(disp12_max_diff);
    matcher->setPreFilterCap(pre_filter_cap);
    matcher->setUniquenessRatio(uniqueness_ratio);
    matcher->setSpeckleWindowSize(speckle_window_size);
    matcher->setSpeckleRange(speckle_range);
    matcher->setMode(mode);
    return matcher;
  }
  // Takes parallax's own parameters, such as Preset("kitti"); setters change them afterwards.
  static cv::Ptr<StereoSGBM> create(const Parameters& parameters, const Machine& machine = {}) {
    return cv::Ptr<StereoSGBM>(new StereoSGBM(parameters, machine));
  }

  void compute(cv::InputArray left, cv::InputArray right, cv::OutputArray disparity) override {
#ifdef PARALLAX_OPENCV_CUDA
    if (left.isGpuMat()) {
      compute(left.getGpuMat(), right.getGpuMat(), disparity.getGpuMatRef(), cv::cuda::Stream::Null());
      cv::cuda::Stream::Null().waitForCompletion();
      return;
    }
#endif
    try {
      Match(left.getMat(), right.getMat(), disparity);
    } catch (const InvalidArgument& error) {
      CV_Error(cv::Error::StsBadArg, error.what());
    } catch (const Error& error) {
      CV_Error(cv::Error::StsError, error.what());
    }
  }

#ifdef PARALLAX_OPENCV_CUDA
  // Matches on the device, in order with stream, and returns before it is done. disparity: CV_32F, px, NaN =
  // no value.
  void compute(const cv::cuda::GpuMat& left, const cv::cuda::GpuMat& right, cv::cuda::GpuMat& disparity,
               cv::cuda::Stream& stream) {
    try {
      auto result =
          MatcherFor(left.channels()).Enqueue(DeviceViewOf(left), DeviceViewOf(right), stream.cudaPtr());
      const auto& map = result->map().disparity;
      cv::cuda::GpuMat(map.height, map.width, CV_32F, map.data, static_cast<std::size_t>(map.stride_bytes))
          .copyTo(disparity, stream);
      device_result_ = std::move(result);  // valid until the next call; the destructor waits
    } catch (const Error& error) {
      CV_Error(cv::Error::StsError, error.what());
    }
  }
#endif

  // --- what OpenCV's have ----------------------------------------------------------------------------------
  int getMinDisparity() const override { return parameters_.matching_cost.min_disparity; }
  void setMinDisparity(int value) override { parameters_.matching_cost.min_disparity = value; }
  int getNumDisparities() const override { return parameters_.matching_cost.num_disparities; }
  void setNumDisparities(int value) override { parameters_.matching_cost.num_disparities = value; }
  int getBlockSize() const override { return block_size_; }
  void setBlockSize(int value) override { block_size_ = value; }
  int getSpeckleWindowSize() const override { return parameters_.filter.speckle_size; }
  void setSpeckleWindowSize(int value) override { parameters_.filter.speckle_size = std::max(value, 0); }
  int getSpeckleRange() const override { return static_cast<int>(parameters_.filter.speckle_range); }
  void setSpeckleRange(int value) override {
    parameters_.filter.speckle_range = static_cast<float>(std::max(value, 0));
  }
  int getDisp12MaxDiff() const override { return disp12_max_diff_; }
  void setDisp12MaxDiff(int value) override {
    disp12_max_diff_ = value;
    parameters_.consistency.max_difference = value > 0 ? value : -1;
  }
  int getPreFilterCap() const override { return pre_filter_cap_; }
  void setPreFilterCap(int value) override { pre_filter_cap_ = value; }
  int getUniquenessRatio() const override { return parameters_.selection.uniqueness_percent; }
  void setUniquenessRatio(int value) override {
    parameters_.selection.uniqueness_percent = std::clamp(value, 0, 99);
  }
  int getP1() const override { return p1_; }
  void setP1(int value) override { p1_ = value; }
  int getP2() const override { return p2_; }
  void setP2(int value) override { p2_ = value; }
  int getMode() const override { return mode_; }
  void setMode(int value) override {
    mode_ = value;
    parameters_.aggregation.num_paths = value == MODE_SGBM_3WAY || value == MODE_HH4 ? 4 : 8;
  }

  // --- beyond cv::StereoSGBM -------------------------------------------------------------------------------
  int getDispType() const { return type_; }  // CV_16S or CV_32F
  void setDispType(int type) {
    CV_Assert(type == CV_16S || type == CV_32F);
    type_ = type;
  }
  bool getFill() const { return parameters_.filter.fill; }
  void setFill(bool fill) {  // rejected pixels are interpolated
    parameters_.filter.fill = fill;
    parameters_.refinement.planes = fill;
  }
  // All parameters; for images with this many channels, including P1, P2, block size and cap.
  const Parameters& parameters() const { return parameters_; }
  Parameters ParametersFor(int channels) const {
    Parameters parameters = parameters_;
    // OpenCV's usual P1 = 8 unit and P2 = 32 unit stand for parallax's own p1 and p2; others in proportion.
    const double unit = channels * std::max(block_size_, 1) * std::max(block_size_, 1);
    AggregationParameters& aggregation = parameters.aggregation;
    const auto scaled = [unit](int value, int usual, int own) {
      const long penalty = std::lround(value / (usual * unit) * own);
      return static_cast<int>(std::clamp(penalty, 1L, static_cast<long>(8000)));
    };
    if (p1_ > 0) aggregation.p1 = scaled(p1_, 8, aggregation.p1);
    if (p2_ > 0) aggregation.p2 = scaled(p2_, 32, aggregation.p2);
    aggregation.p2 = std::max(aggregation.p2, aggregation.p1);
    aggregation.p2_min = std::min(aggregation.p2_min, aggregation.p2);
    // 63, the value in OpenCV's samples, means the largest possible cap; it has an effect where gradients add
    // costs.
    if (pre_filter_cap_ > 0) {
      const int cap = static_cast<int>(std::lround(pre_filter_cap_ * 15.0 / 63.0));
      parameters.matching_cost.gradient_cap = std::clamp(cap, 1, 15);
    }
    return parameters;
  }

  cv::String getDefaultName() const override { return "StereoMatcher.parallax"; }

 protected:
  StereoSGBM(const Parameters& parameters, const Machine& machine)
      : parameters_(parameters), machine_(machine) {}

 private:
  static CameraImageView ViewOf(const cv::Mat& image) {
    const auto stride = static_cast<std::ptrdiff_t>(image.step[0]);
    switch (image.type()) {
      case CV_8UC1:
        return HostImageView<const std::uint8_t>{image.ptr<std::uint8_t>(), image.cols, image.rows, stride};
      case CV_16UC1:
        return HostImageView<const std::uint16_t>{image.ptr<std::uint16_t>(), image.cols, image.rows, stride};
      case CV_8UC3:
        return HostImageView<const Rgb8>{reinterpret_cast<const Rgb8*>(image.ptr()), image.cols, image.rows,
                                         stride};
      default:
        throw InvalidArgument("images of type " + cv::typeToString(image.type()) +
                              ": give CV_8UC1, CV_16UC1 or CV_8UC3");
    }
  }

  void Match(const cv::Mat& left, const cv::Mat& right, cv::OutputArray disparity) {
    if (left.dims > 2 || right.dims > 2) throw InvalidArgument("images have more than two axes");
    const bool is_color = left.type() == CV_8UC3 && right.type() == CV_8UC3;
    if (is_color) {  // true for OpenCV's order of channels
      cv::cvtColor(left, rgb_left_, cv::COLOR_BGR2RGB);
      cv::cvtColor(right, rgb_right_, cv::COLOR_BGR2RGB);
    }
    const CameraImageView left_view = ViewOf(is_color ? rgb_left_ : left);
    const CameraImageView right_view = ViewOf(is_color ? rgb_right_ : right);
    Write(MatcherFor(left.channels()).Compute(left_view, right_view).disparity, disparity);
  }

  // The matcher for images with this many channels, made anew if a setter has changed the parameters.
  Matcher& MatcherFor(int channels) {
    const Parameters parameters = ParametersFor(channels);
    if (!matcher_ || matcher_->parameters() != parameters) matcher_.emplace(parameters, machine_);
    return *matcher_;
  }

  void Write(const HostImageView<const float>& from, cv::OutputArray disparity) const {
    const int type = disparity.fixedType() ? CV_MAT_TYPE(disparity.type()) : type_;
    if (type != CV_16S && type != CV_32F) {
      throw InvalidArgument("disparities of type " + cv::typeToString(type) + ": give CV_16S or CV_32F");
    }
    disparity.create(from.height, from.width, type);
    cv::Mat to = disparity.getMat();
    const int lowest = parameters_.matching_cost.min_disparity;
    const auto stride = static_cast<std::ptrdiff_t>(to.step[0]);
    if (type == CV_16S) {
      ToFixedPoint(from, lowest, {to.ptr<std::int16_t>(), from.width, from.height, stride});
      return;
    }
    for (int y = 0; y < from.height; ++y) {
      std::transform(from.Row(y), from.Row(y) + from.width, to.ptr<float>(y), [lowest](float value) {
        return std::isnan(value) ? static_cast<float>(lowest - 1) : value;
      });
    }
  }

#ifdef PARALLAX_OPENCV_CUDA
  static DeviceCameraImageView DeviceViewOf(const cv::cuda::GpuMat& image) {
    const auto stride = static_cast<std::ptrdiff_t>(image.step);
    if (image.type() == CV_8UC1) {
      return DeviceImageView<const std::uint8_t>{image.ptr<std::uint8_t>(), image.cols, image.rows, stride};
    }
    if (image.type() == CV_16UC1) {
      return DeviceImageView<const std::uint16_t>{image.ptr<std::uint16_t>(), image.cols, image.rows, stride};
    }
    throw InvalidArgument("images on the device of type " + cv::typeToString(image.type()) +
                          ": give CV_8UC1 or CV_16UC1");
  }

  std::shared_ptr<DeviceResult> device_result_;
#endif

  Parameters parameters_;
  int p1_ = 0, p2_ = 0, block_size_ = 3, disp12_max_diff_ = 0, pre_filter_cap_ = 0, mode_ = MODE_SGBM;
  int type_ = CV_16S;
  const Machine machine_;
  std::optional<Matcher> matcher_;
  cv::Mat rgb_left_, rgb_right_;
};

}  // namespace parallax
