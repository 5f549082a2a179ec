// Cameras of Linux (Video4Linux 2).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "datasets/live/live_device.h"

namespace parallax {

struct CameraChoice {
  std::string device;         // "/dev/video0"
  int width = 0, height = 0;  // px; 0 = the camera's setting
  double frames_per_s = 0;    // 0 = the camera's setting
  std::string pixel_format;   // four characters, such as "MJPG"; empty = the one with the most frames a
                              // second
  int bits = 0;               // used bits, the lower ones, of 16-bit words (Y16); 0 = all
};

// Opens it and starts the pictures: gray (8 bits, or 16, with data of fewer bits moved to the upper ones) or
// RGB, with the driver's time of capture. label: in messages. Throws Error with the remedy if there is no
// such camera, it is in use, access is denied, it is no camera, or it lacks the size or a supported format.
std::unique_ptr<LiveDevice> OpenV4l2Camera(const CameraChoice& choice, const std::string& label);

// The cameras of this machine: "/dev/video0 (HD Webcam), /dev/video2 (...)"; empty if there is none.
std::string ListV4l2Cameras();

}  // namespace parallax
