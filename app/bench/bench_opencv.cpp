#include "app/bench/bench_opencv.h"

#include <opencv2/calib3d.hpp>

#include "calibrate/gray_mat.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr struct {
  const char* name;
  int mode;
} kModes[] = {{"opencv:hh", cv::StereoSGBM::MODE_HH},
              {"opencv:sgbm", cv::StereoSGBM::MODE_SGBM},
              {"opencv:3way", cv::StereoSGBM::MODE_SGBM_3WAY},
              {"opencv:hh4", cv::StereoSGBM::MODE_HH4}};

// OpenCV takes multiples of 16.
int RoundedUp(int num_disparities) { return (num_disparities + 15) / 16 * 16; }

class Sgbm final : public OpencvMatcher {
 public:
  Sgbm(int mode, int num_disparities)
      : matcher_(
            cv::StereoSGBM::create(0, RoundedUp(num_disparities), 5, 200, 800, 1, 63, 10, 100, 2, mode)) {}
  void Compute(const StereoFrame& frame) override {
    if (frame_ != &frame) {  // conversion is not what is measured
      left_ = GrayMat(ViewOf(frame.left));
      right_ = GrayMat(ViewOf(frame.right));
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
