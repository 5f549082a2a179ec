// A key of Open3D's GUI as the command table writes it.
#pragma once

#include <string>

namespace open3d::visualization::gui {
struct KeyEvent;
}

namespace parallax::app {

// "N", "Space", "Ctrl+Z", "Shift+Left", "?"; empty for a key that no command has. modifiers: KeyModifier
// bits.
std::string KeyText(const open3d::visualization::gui::KeyEvent& event, int modifiers);

}  // namespace parallax::app
