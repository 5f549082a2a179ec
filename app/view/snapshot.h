// Saves what the window shows as files, with the data behind it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/view/cloud/cloud_frame.h"
#include "app/view/panes/shown_frame.h"
#include "parallax/image.h"

namespace parallax::app {

struct Snapshot {
  HostImage<Rgb8> window;                   // its pixels
  std::string state;                        // as JSON: what is shown of the data, and how
  std::shared_ptr<const ShownFrame> frame;  // null if there is only a cloud
  std::shared_ptr<const CloudFrame> cloud;  // null if there is none
  bool show_filled = false;                 // save the points of filled pixels, too
};

// Makes the folder, which must not be there, with window.png and state.json and, as far as the frame has
// them, left.png, right.png, disparity.pfm, depth.pfm, sigma.pfm, truth.pfm, confidence.png, validity.png,
// parameters.yaml, cloud.ply; of a second set of parameters b-disparity.pfm, b-parameters.yaml ... Floats are
// the bits that the window shows. Throws Error if something cannot be written.
void WriteSnapshot(const std::filesystem::path& folder, const Snapshot& snapshot);

}  // namespace parallax::app
