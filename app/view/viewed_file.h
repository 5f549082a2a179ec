// Single files as `parallax view` shows them.
#pragma once

#include <filesystem>
#include <string>

#include "app/view/panes/pane_view.h"
#include "app/view/viewer.h"

namespace parallax::app {

enum class FileKind { kNone, kCloud, kDisparity, kDepth, kImage };

// The content of a file, from its name and its pixels, or as `as` states ("image", "disparity", "depth",
// "cloud"; empty: unspecified); kNone for a source of frames. Throws Error for an image that cannot be read.
FileKind KindOfViewedFile(const std::filesystem::path& path, const std::string& as);

// The file's image, disparity or depth in colours, and its cloud. Throws Error on a file that cannot be read.
ViewerFrame ReadViewedFile(const std::filesystem::path& path, FileKind kind);

// The frame in the colours that the view has for its own range. Sets the frame's size.
HostImage<Rgb8> ColorsOf(ShownFrame& shown, PaneView view);

// Two clouds at once: the first in the colours of the distance of its points to the second, which is gray.
// Throws what ReadInputCloud and CompareClouds throw.
ViewerFrame ReadTwoClouds(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace parallax::app
