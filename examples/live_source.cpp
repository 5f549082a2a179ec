// Matches frames as a camera gives them, the newest one whenever there is time. Put the camera's library where
// RenderedCamera makes its pictures.
//   live_source [FRAMES]
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <parallax/parallax.h>

namespace {

constexpr int kWidth = 320, kHeight = 120, kPeriod_ms = 10;

struct Pair {
  int number = -1;
  parallax::HostImage<std::uint8_t> left, right;
};

// Noise in front of a camera, which comes a pixel nearer with every frame. Frames come whether they are taken
// or not; the newest one is kept.
class RenderedCamera {
 public:
  explicit RenderedCamera(int num_frames) : thread_([this, num_frames] { Run(num_frames); }) {}
  ~RenderedCamera() { thread_.join(); }

  // Waits for a frame that was not taken yet; nothing after the last one.
  std::optional<Pair> TakeNewest() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return newest_ || has_ended_; });
    return std::exchange(newest_, std::nullopt);
  }

 private:
  void Run(int num_frames) {
    for (int number = 0; number < num_frames; ++number) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kPeriod_ms));
      Pair pair{number, {kWidth, kHeight}, {kWidth, kHeight}};
      const int disparity_px = 1 + number % 30;
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          pair.left(x, y) = Noise(x, y);
          pair.right(x, y) = Noise(x + disparity_px, y);
        }
      }
      const std::scoped_lock lock(mutex_);
      newest_ = std::move(pair);
      changed_.notify_one();
    }
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    changed_.notify_one();
  }
  static std::uint8_t Noise(int x, int y) {
    std::uint32_t n =
        static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
    n = (n ^ n >> 15) * 0x2C1B3C6DU;
    return static_cast<std::uint8_t>(n >> 24);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Pair> newest_;
  bool has_ended_ = false;
  std::thread thread_;  // uses the rest
};

void Watch(int num_frames) {
  parallax::Parameters parameters = parallax::Preset("realtime");
  parameters.matching_cost.num_disparities = 32;
  parallax::Matcher matcher(parameters);
  const parallax::StereoRig rig{
      .fx_px = 250, .cx_px = kWidth / 2.0, .cy_px = kHeight / 2.0, .baseline_m = 0.12};
  RenderedCamera camera(num_frames);
  int num_matched = 0;
  while (const std::optional<Pair> pair = camera.TakeNewest()) {
    const parallax::HostImage<float> depth_m = matcher.Compute(pair->left, pair->right).Depth(rig);
    std::cout << "frame " << pair->number << ": " << depth_m(kWidth / 2, kHeight / 2) << " m ahead\n";
    ++num_matched;
  }
  std::cout << num_frames - num_matched << " frames came too fast\n";
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
