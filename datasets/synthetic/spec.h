// The user's specification: "synthetic:SCENE[,key=value...]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::synthetic {

struct SyntheticSpec {
  std::string scene;
  int width = 640;        // px; drive: 1242
  int height = 480;       // px; drive: 375
  std::int64_t seed = 1;  // seed of the scene and the noise
  int frames = 1;         // drive: 10; the other scenes have a new arrangement in each frame
  int disparities = 0;    // every true disparity + doffs is below it; 0 = in proportion to the width
  int objects = -1;       // in front of the background; -1 = a number that suits the scene
  int shift = 0;          // px, of the scene shift
  double noise = 0;       // standard deviation of both cameras' noise, 8-bit gray levels
  double gain = 1;        // of the right camera
  double offset = 0;      // of the right camera, 8-bit gray levels
  double doffs = 0;       // px, of the rig: cx_right - cx_left
  int color = 0;          // 1 = 8-bit colour
  int bits = 8;           // of gray: 8 or 16
  int still = 0;          // 1 = every frame shows the first one's scene with new noise
  int samples = 4;        // rays per pixel and direction
  int threads = 0;        // 0 = one per hardware thread; does not change the result
};

// The scenes and the keys, for help texts and errors; a key's meaning includes its range.
struct Named {
  std::string name, meaning;
};
const std::vector<Named>& Scenes();
const std::vector<Named>& KeyHelp();

// Reads the part after "synthetic:". Throws InvalidArgument for an unknown scene or key (with the known
// ones), a value that is not a number, or one out of range.
SyntheticSpec ParseSpec(std::string_view text);

}  // namespace parallax::synthetic
