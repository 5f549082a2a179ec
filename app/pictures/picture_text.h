// Words in pictures.
#pragma once

#include <string>

#include "parallax/image.h"

namespace parallax::app {

// Draws ASCII text whose capitals are height_px high and stand on row y; x is its left end. Parts outside the
// picture are cut off.
void DrawText(HostImageView<Rgb8> picture, const std::string& text, int x, int y, int height_px, Rgb8 color);

// Width of such text, px.
int WidthOfText(const std::string& text, int height_px);

}  // namespace parallax::app
