// The picture that `calibrate --show` shows: both images with what was found in them, and what is still missing.
#pragma once

#include <string>

#include "calibrate/board_session.h"
#include "parallax/image.h"

namespace parallax::app {

// left, right: of one size. session: what was seen so far. is_last_pair: these are images of session.last();
// corners of an earlier pair are drawn faintly. headline: the largest line below the images; empty = the
// session's advice. text: the lines below it; empty = what the session still needs.
HostImage<Rgb8> BoardScreen(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                            const BoardSession& session, bool is_last_pair = true,
                            const std::string& headline = "", const std::string& text = "");

}  // namespace parallax::app
