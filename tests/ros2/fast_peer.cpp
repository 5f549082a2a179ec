// A stereo camera by Fast DDS, ROS 2's usual DDS, as a process of its own: its images go through shared memory. The
// right image is the left one, moved by 16 px.
//
//   parallax_ros2_fast_peer DOMAIN NUM_FRAMES
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "datasets/formats/ros_messages.h"
#include "datasets/live/ros2_node.h"

int main(int argc, char** argv) try {
  using namespace parallax;
  if (argc != 3) return 2;
  constexpr int kWidth = 1280, kHeight = 720, kShift = 16;
  constexpr std::int64_t kFirst_ns = 1'700'000'000'000'000'000, kPeriod_ns = 100'000'000;
  const auto node = Ros2Node::Join(std::atoi(argv[1]));
  const StereoRig rig{.fx_px = 500, .cx_px = 640, .cy_px = 360, .baseline_m = 0.1, .doffs_px = 0};
  struct Side {
    std::unique_ptr<DdsWriter> images, infos;
    HostImage<std::uint8_t> image;
  } sides[2];
  for (int side = 0; side < 2; ++side) {
    const std::string name = side == 0 ? "/stereo/left" : "/stereo/right";
    sides[side] = {node->Advertise(name + "/image_raw", kRosImage),
                   node->Advertise(name + "/camera_info", kRosCameraInfo),
                   HostImage<std::uint8_t>(kWidth, kHeight)};
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        std::uint32_t h = static_cast<std::uint32_t>(x + side * kShift) * 374761393U +
                          static_cast<std::uint32_t>(y) * 668265263U;
        h = (h ^ (h >> 13)) * 1274126177U;
        sides[side].image(x, y) = static_cast<std::uint8_t>(h >> 24);
      }
    }
  }
  const auto period = std::chrono::nanoseconds(kPeriod_ns);
  while (!sides[0].images->HasReaders() || !sides[1].images->HasReaders())
    std::this_thread::sleep_for(period);
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const RosHeader header(kFirst_ns + i * kPeriod_ns, "fast");
    for (int side = 0; side < 2; ++side) {
      sides[side].infos->Write(
          EncodeCameraInfo(header, kWidth, kHeight, rig, side == 0 ? StereoSide::kLeft : StereoSide::kRight));
      sides[side].images->Write(EncodeImage(header, sides[side].image.ConstView()));
    }
    std::this_thread::sleep_for(period);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "ros2_fast_peer: %s\n", error.what());
  return 1;
}
