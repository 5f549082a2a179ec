// Locates the crossing of two edges of a board by fitting a model image of the crossing.
#pragma once

#include <cstdint>
#include <optional>

#include "parallax/image.h"
#include "pipeline/calibration/vectors.h"

namespace parallax {

// The place of a corner near `start`, from the pixels within radius_px of it. nullopt if they do not look
// like a corner of four squares: the start is further than a third of the radius away (1.5 px at least), an
// edge is missing, the contrast is small, or the window leaves the image.
//
// Least squares over x, y, the directions of both edges, their blur, two brightnesses and the slope of the
// lighting: brightness = m + g (p - corner) + a erf(d1 / s) erf(d2 / s), with d1, d2 the distances from the
// edges, averaged over each pixel's square. Gradients of pixels (cv::cornerSubPix) move corners of sharp
// images by up to a tenth of a pixel, depending on the corner's place within its pixel. The error is the same
// in every picture of a resting board, so more pictures do not reduce it.
std::optional<Vector2> FitCorner(HostImageView<const std::uint8_t> gray, Vector2 start, double radius_px);

}  // namespace parallax
