// Words in pictures.
#pragma once

#include <string>

#include "parallax/image.h"

namespace parallax::app {

// ASCII text whose capitals are height_px high, standing on the row y; x is its left end. What lies
// outside the picture is cut off.
void DrawText(HostImageView<Rgb8> picture, const std::string& text, int x, int y, int height_px, Rgb8 color);

// Width of such text, px.
int WidthOfText(const std::string& text, int height_px);

}  // namespace parallax::app
