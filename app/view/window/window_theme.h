// Dark or light.
#pragma once

#include <string_view>

namespace open3d::visualization::gui {
struct Theme;
}

namespace parallax::app {

// The colours of the window that is made next. name: "light"; anything else leaves Open3D's own, which are
// dark.
void ChooseTheme(std::string_view name, open3d::visualization::gui::Theme& theme);

}  // namespace parallax::app
