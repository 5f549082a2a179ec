// Matches frames as a camera gives them, the newest one whenever there is time: a source of one's own on the
// road of frames. Put the camera's library where RenderedCamera makes its pictures.
//   live_source [FRAMES]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "parallax.h"

namespace {

constexpr int kWidth = 320, kHeight = 120, kPeriod_ms = 10;

// Noise in front of the camera, which comes a pixel nearer with every frame.
class RenderedCamera : public parallax::FrameSource {
 public:
  explicit RenderedCamera(int num_frames) : num_frames_(num_frames) {}
  parallax::SourceKind kind() const override { return parallax::SourceKind::kCamera; }
  bool is_live() const override { return true; }  // frames come whether they are taken or not
  std::optional<std::size_t> num_frames() const override { return std::nullopt; }
  std::optional<std::string> NextName() override {
    if (next_ == num_frames_) return std::nullopt;
    return "frame " + std::to_string(next_);
  }
  void Skip() override { ++next_; }
  parallax::StereoFrame Read() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(kPeriod_ms));  // until the camera has a picture
    const int disparity_px = 1 + next_ % 30;
    parallax::HostImage<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) left(x, y) = Noise(x, y), right(x, y) = Noise(x + disparity_px, y);
    }
    parallax::StereoFrame frame;
    frame.name = *NextName();
    frame.left = std::move(left);
    frame.right = std::move(right);
    frame.rig =
        parallax::StereoRig{.fx_px = 250, .cx_px = kWidth / 2.0, .cy_px = kHeight / 2.0, .baseline_m = 0.12};
    ++next_;
    return frame;
  }

 private:
  static std::uint8_t Noise(int x, int y) {
    std::uint32_t n =
        static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
    n = (n ^ n >> 15) * 0x2C1B3C6DU;
    return static_cast<std::uint8_t>(n >> 24);
  }

  const int num_frames_;
  int next_ = 0;
};

// Metres to what is nearest to the middle of the picture.
float DistanceAhead_m(const parallax::MatchedFrame& matched) {
  const parallax::HostImageView<const float> disparity = matched.map.disparity();
  parallax::HostImage<float> depth_m(disparity.width, disparity.height);
  DepthFromDisparity(disparity, *matched.frame.rig, matched.parameters.reprojection, depth_m.View());
  return depth_m(kWidth / 2, kHeight / 2);
}

void Watch(int num_frames) {
  parallax::FrameSteps steps;
  steps.parameters_for = [](const parallax::StereoFrame&) {
    parallax::Parameters parameters;
    parameters.matching_cost.num_disparities = 32;
    return parameters;
  };
  steps.make_matcher = [](const parallax::Parameters& parameters, const parallax::MatcherOptions& options) {
    return parallax::MakeMatcherQueue("auto", parameters, options, 1);
  };
  steps.observe = [](const std::shared_ptr<const parallax::MatchedFrame>& matched) {
    std::cout << matched->frame.name << ": " << DistanceAhead_m(*matched) << " m ahead\n";
  };
  steps.report = [](const parallax::FrameReport& report) {
    if (!report.error.empty()) std::cerr << report.name << ": " << report.error << '\n';
  };
  const parallax::RoadTotals totals = RunFrames(std::make_shared<RenderedCamera>(num_frames), steps);
  std::cout << totals.num_dropped << " frames came too fast\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Watch(argc > 1 ? std::max(1, std::atoi(argv[1])) : 30);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "live_source: " << error.what() << '\n';
    return 1;
  }
}
