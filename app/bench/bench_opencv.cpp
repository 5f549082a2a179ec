#include "app/bench/bench_opencv.h"

#include "parallax/error.h"

#ifdef PARALLAX_WITH_OPENCV_CALIB3D

#include <opencv2/calib3d.hpp>

#include "pipeline/rules/pixel_math.h"

namespace parallax::app {
namespace {

constexpr struct {
  const char* name;
  int mode;
} kModes[] = {{"opencv:hh", cv::StereoSGBM::MODE_HH},
              {"opencv:sgbm", cv::StereoSGBM::MODE_SGBM},
              {"opencv:3way", cv::StereoSGBM::MODE_SGBM_3WAY},
              {"opencv:hh4", cv::StereoSGBM::MODE_HH4}};

std::uint8_t Gray(std::uint8_t v) { return v; }
std::uint8_t Gray(std::uint16_t v) { return static_cast<std::uint8_t>(v >> 8); }
std::uint8_t Gray(Rgb8 v) { return GrayOf(v); }

cv::Mat GrayCopy(const CameraImage& image) {
  return std::visit(
      [](const auto& i) {
        cv::Mat gray(i.height(), i.width(), CV_8UC1);
        for (int y = 0; y < i.height(); ++y) {
          for (int x = 0; x < i.width(); ++x) gray.at<std::uint8_t>(y, x) = Gray(i(x, y));
        }
        return gray;
      },
      image);
}

// OpenCV takes multiples of 16.
int RoundedUp(int num_disparities) { return (num_disparities + 15) / 16 * 16; }

class Sgbm final : public OpencvMatcher {
 public:
  Sgbm(int mode, int num_disparities)
      : matcher_(
            cv::StereoSGBM::create(0, RoundedUp(num_disparities), 5, 200, 800, 1, 63, 10, 100, 2, mode)) {}
  void Compute(const StereoFrame& frame) override {
    if (frame_ != &frame) {  // conversion is not what is measured
      left_ = GrayCopy(frame.left);
      right_ = GrayCopy(frame.right);
      frame_ = &frame;
    }
    matcher_->compute(left_, right_, disparity_);
  }

 private:
  cv::Ptr<cv::StereoSGBM> matcher_;
  const StereoFrame* frame_ = nullptr;
  cv::Mat left_, right_, disparity_;
};

}  // namespace

std::vector<std::string> OpencvModes() {
  std::vector<std::string> names;
  for (const auto& mode : kModes) names.emplace_back(mode.name);
  return names;
}

bool OpencvCanMatch(int width, int num_disparities) { return width > RoundedUp(num_disparities); }

std::unique_ptr<OpencvMatcher> MakeOpencvMatcher(const std::string& mode, int num_disparities) {
  for (const auto& known : kModes) {
    if (mode == known.name) return std::make_unique<Sgbm>(known.mode, num_disparities);
  }
  throw InvalidArgument("unknown OpenCV mode '" + mode + "'");
}

}  // namespace parallax::app

#else

namespace parallax::app {

std::vector<std::string> OpencvModes() { return {}; }
bool OpencvCanMatch(int, int) { return false; }

std::unique_ptr<OpencvMatcher> MakeOpencvMatcher(const std::string&, int) {
  throw Error(
      "this program was built without OpenCV's calib3d: install libopencv-calib3d-dev and build again");
}

}  // namespace parallax::app

#endif
