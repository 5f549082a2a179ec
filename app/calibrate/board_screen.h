// The picture that `calibrate --show` shows: both images with what was found in them, and what is still missing.
#pragma once

#include <string>

#include "calibrate/board_session.h"
#include "parallax/image.h"

namespace parallax::app {

// left, right: of one size. session: what was seen so far, of this pair or of one shortly before it. headline, text:
// the largest line below the images, and lines in place of what is missing; empty = the session's advice and needs.
HostImage<Rgb8> BoardScreen(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                            const BoardSession& session, const std::string& headline = "",
                            const std::string& text = "");

}  // namespace parallax::app
