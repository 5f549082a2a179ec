#include <algorithm>
#include <cstdlib>

#include "pipeline/reference/stages.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::reference {
namespace {

template <typename T>
T Clamped(HostImageView<const T> image, int x, int y) {
  return image(std::clamp(x, 0, image.width - 1), std::clamp(y, 0, image.height - 1));
}

// One bit for each neighbour, 1 where it is darker than the centre.
template <typename T>
std::uint64_t FullCode(HostImageView<const T> image, int x, int y, int radius_x, int radius_y) {
  std::uint64_t code = 0;
  int bit = 0;
  for (int dy = -radius_y; dy <= radius_y; ++dy) {
    for (int dx = -radius_x; dx <= radius_x; ++dx) {
      if (dx == 0 && dy == 0) continue;
      code |= std::uint64_t{Clamped(image, x + dx, y + dy) < image(x, y)} << bit++;
    }
  }
  return code;
}

// One bit for each pair of opposite pixels: those before the centre in reading order against their mirror
// images.
template <typename T>
std::uint64_t CenterSymmetricCode(HostImageView<const T> image, int x, int y, int radius_x, int radius_y) {
  std::uint64_t code = 0;
  int bit = 0;
  for (int dy = -radius_y; dy <= 0; ++dy) {
    for (int dx = -radius_x; dx <= radius_x; ++dx) {
      if (dy == 0 && dx >= 0) break;
      code |= std::uint64_t{Clamped(image, x + dx, y + dy) > Clamped(image, x - dx, y - dy)} << bit++;
    }
  }
  return code;
}

// 3x3 binomial sums (weights 1 2 1, 2 4 2, 1 2 1): of 8-bit images as they are, of 16-bit ones by 16.
template <typename T>
HostImage<std::uint16_t> Smooth(HostImageView<const T> image) {
  HostImage<std::uint16_t> smoothed(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto row = [&](int dy) {
        return std::uint32_t{Clamped(image, x - 1, y + dy)} + 2U * Clamped(image, x, y + dy) +
               Clamped(image, x + 1, y + dy);
      };
      const std::uint32_t sum = row(-1) + 2 * row(0) + row(1);
      smoothed(x, y) = static_cast<std::uint16_t>(sizeof(T) == 1 ? sum : sum / 16);
    }
  }
  return smoothed;
}

// One bit for each neighbour, 1 where it is darker than the centre: those of a 9x7 window that lie on the
// centre's colour of a chessboard, then, all in the smoothed image, every second pixel around.
template <typename T>
std::uint64_t TwoScaleCode(HostImageView<const T> image, HostImageView<const std::uint16_t> smoothed, int x,
                           int y) {
  std::uint64_t code = 0;
  int bit = 0;
  for (int dy = -3; dy <= 3; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if ((dx + dy) % 2 != 0 || (dx == 0 && dy == 0)) continue;
      code |= std::uint64_t{Clamped(image, x + dx, y + dy) < image(x, y)} << bit++;
    }
  }
  for (int dy = -4; dy <= 4; dy += 2) {
    for (int dx = -6; dx <= 6; dx += 2) {
      if (dx == 0 && dy == 0) continue;
      code |= std::uint64_t{Clamped(smoothed, x + dx, y + dy) < smoothed(x, y)} << bit++;
    }
  }
  return code;
}

// One bit for each pair of opposite pixels of a 9x7 window: those of the 3x3 around the centre, then, in the
// smoothed image, the others.
template <typename T>
std::uint64_t CenterSymmetricTwoScaleCode(HostImageView<const T> image,
                                          HostImageView<const std::uint16_t> smoothed, int x, int y) {
  std::uint64_t code = CenterSymmetricCode(image, x, y, 1, 1);
  int bit = 4;
  for (int dy = -3; dy <= 0; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if (dy == 0 && dx >= 0) break;
      if (std::abs(dx) <= 1 && dy >= -1) continue;
      code |= std::uint64_t{Clamped(smoothed, x + dx, y + dy) > Clamped(smoothed, x - dx, y - dy)} << bit++;
    }
  }
  return code;
}

template <typename T>
void Transform(HostImageView<const T> image, CensusWindow window, HostImageView<std::uint64_t> census,
               ThreadPool& threads) {
  HostImage<std::uint16_t> smoothed;
  if (HasTwoScales(window)) smoothed = Smooth(image);
  threads.ParallelFor(image.height, [&](int y) {
    for (int x = 0; x < image.width; ++x) {
      switch (window) {
        case CensusWindow::k5x5:
          census(x, y) = FullCode(image, x, y, 2, 2);
          break;
        case CensusWindow::k7x7:
          census(x, y) = FullCode(image, x, y, 3, 3);
          break;
        case CensusWindow::k9x7:
          census(x, y) = FullCode(image, x, y, 4, 3);
          break;
        case CensusWindow::kCenterSymmetric9x7:
          census(x, y) = CenterSymmetricCode(image, x, y, 4, 3);
          break;
        case CensusWindow::kTwoScale:
          census(x, y) = TwoScaleCode(image, smoothed.ConstView(), x, y);
          break;
        case CensusWindow::kCenterSymmetricTwoScale:
          census(x, y) = CenterSymmetricTwoScaleCode(image, smoothed.ConstView(), x, y);
          break;
      }
    }
  });
}

}  // namespace

HostImage<std::uint8_t> GrayFromColor(HostImageView<const Rgb8> color) {
  HostImage<std::uint8_t> gray(color.width, color.height);
  for (int y = 0; y < color.height; ++y) {
    std::transform(color.Row(y), color.Row(y) + color.width, gray.Row(y), GrayOf);
  }
  return gray;
}

HostImage<std::uint8_t> GuideFromGray16(HostImageView<const std::uint16_t> gray) {
  HostImage<std::uint8_t> guide(gray.width, gray.height);
  for (int y = 0; y < gray.height; ++y) {
    std::transform(gray.Row(y), gray.Row(y) + gray.width, guide.Row(y),
                   [](std::uint16_t v) { return static_cast<std::uint8_t>(v >> 8); });
  }
  return guide;
}

void CensusTransform(HostImageView<const std::uint8_t> gray, CensusWindow window,
                     HostImageView<std::uint64_t> census, ThreadPool& threads) {
  Transform(gray, window, census, threads);
}
void CensusTransform(HostImageView<const std::uint16_t> gray, CensusWindow window,
                     HostImageView<std::uint64_t> census, ThreadPool& threads) {
  Transform(gray, window, census, threads);
}

}  // namespace parallax::reference
