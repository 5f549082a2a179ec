// The picture that `calibrate --show` shows: both images with what was found in them, and what is still missing.
#pragma once

#include <string>

#include "calibrate/board_session.h"
#include "parallax/image.h"

namespace parallax::app {

// left, right: of one size. session: what was seen so far. is_last_pair: these are the images of session.last(); the
// corners of an earlier pair are drawn faintly. headline, text: the largest line below the images, and lines in place
// of what is missing; empty = the session's advice and needs.
HostImage<Rgb8> BoardScreen(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                            const BoardSession& session, bool is_last_pair = true,
                            const std::string& headline = "", const std::string& text = "");

}  // namespace parallax::app
