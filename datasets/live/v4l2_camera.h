// Cameras of Linux (Video4Linux 2).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "datasets/live/live_device.h"

namespace parallax {

struct CameraChoice {
  std::string device;         // "/dev/video0"
  int width = 0, height = 0;  // px; 0 = what the camera is set to
  double frames_per_s = 0;    // 0 = what the camera is set to
  std::string pixel_format;   // four characters, as "MJPG"; empty = the one with the most frames a second
  int bits = 0;               // that data in 16-bit words (Y16) have, the lower ones; 0 = all
};

// Opens it and lets pictures flow: gray (8 bits, or 16, of which data of fewer bits fill the upper ones) or
// RGB, with the driver's time of capture. label: in
// messages. Throws Error, with the remedy, where there is no such camera, it is in use, may not be opened,
// is none, or has no such size or a format that is read here.
std::unique_ptr<LiveDevice> OpenV4l2Camera(const CameraChoice& choice, const std::string& label);

// The cameras of this machine: "/dev/video0 (HD Webcam), /dev/video2 (...)"; empty where there is none.
std::string ListV4l2Cameras();

}  // namespace parallax
