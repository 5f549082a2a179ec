#include "app/view/window/window_theme.h"

#include <open3d/visualization/gui/Theme.h>

#include "app/view/window/widgets.h"

namespace parallax::app {

void ChooseTheme(std::string_view name, gui::Theme& theme) {
  if (name != "light") return;
  ThePalette() = kLightPalette;
  const auto gray = [](float value) { return gui::Color(value, value, value); };
  const gui::Color text(0.10f, 0.11f, 0.13f), accent(0.16f, 0.44f, 0.80f), accent_light(0.62f, 0.77f, 0.94f),
      white = gray(1), background(0.94f, 0.945f, 0.95f);
  theme.background_color = background;
  theme.text_color = text;
  theme.border_color = gray(0.72f);
  theme.menubar_border_color = gray(0.72f);
  theme.button_color = gray(0.82f);
  theme.button_hover_color = gray(0.76f);
  theme.button_active_color = gray(0.68f);
  theme.button_on_color = accent_light;
  theme.button_on_hover_color = accent_light;
  theme.button_on_active_color = accent_light;
  theme.button_on_text_color = text;
  theme.checkbox_background_off_color = gray(0.80f);
  theme.checkbox_background_on_color = accent_light;
  theme.checkbox_background_hover_off_color = gray(0.74f);
  theme.checkbox_background_hover_on_color = accent_light;
  theme.checkbox_check_color = text;
  theme.combobox_background_color = white;
  theme.combobox_hover_color = accent_light;
  theme.combobox_arrow_background_color = gray(0.80f);
  theme.slider_grab_color = accent;
  theme.text_edit_background_color = white;
  theme.list_background_color = white;
  theme.list_hover_color = accent_light;
  theme.list_selected_color = accent_light;
  theme.tree_background_color = white;
  theme.tree_selected_color = accent_light;
  theme.tab_inactive_color = gray(0.86f);
  theme.tab_hover_color = gray(0.78f);
  theme.tab_active_color = gray(0.72f);
}

}  // namespace parallax::app
