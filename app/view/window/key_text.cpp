#include "app/view/window/key_text.h"

#include <open3d/visualization/gui/Events.h>

#include <cctype>
#include <cstdint>

namespace parallax::app {
namespace {

namespace gui = open3d::visualization::gui;

std::string NameOf(std::uint32_t key) {
  switch (key) {
    case gui::KEY_SPACE:
      return "Space";
    case gui::KEY_ESCAPE:
      return "Esc";
    case gui::KEY_ENTER:
      return "Enter";
    case gui::KEY_TAB:
      return "Tab";
    case gui::KEY_BACKSPACE:
      return "Backspace";
    case gui::KEY_DELETE:
      return "Delete";
    case gui::KEY_LEFT:
      return "Left";
    case gui::KEY_RIGHT:
      return "Right";
    case gui::KEY_UP:
      return "Up";
    case gui::KEY_DOWN:
      return "Down";
    case gui::KEY_HOME:
      return "Home";
    case gui::KEY_END:
      return "End";
    case gui::KEY_PAGEUP:
      return "PageUp";
    case gui::KEY_PAGEDOWN:
      return "PageDown";
    default:
      break;
  }
  if (key >= gui::KEY_F1 && key <= gui::KEY_F12) return "F" + std::to_string(key - gui::KEY_F1 + 1);
  if (key > ' ' && key < gui::KEY_DELETE) {
    return std::string(1, static_cast<char>(std::toupper(static_cast<int>(key))));
  }
  return {};
}

}  // namespace

std::string KeyText(const gui::KeyEvent& event, int modifiers) {
  const auto held = [&](gui::KeyModifier modifier) { return (modifiers & static_cast<int>(modifier)) != 0; };
  std::string name = NameOf(event.key);
  if (name.empty()) return {};
  const bool shift = held(gui::KeyModifier::SHIFT);
  // The event names the key by its place on an American keyboard, not by the character that it gives.
  if (name == "/" && shift) name = "?";
  const bool is_named = name.size() > 1 || std::isupper(static_cast<unsigned char>(name[0])) != 0;
  std::string text;
  if (held(gui::KeyModifier::CTRL)) text += "Ctrl+";
  if (held(gui::KeyModifier::ALT)) text += "Alt+";
  if (shift && is_named) text += "Shift+";
  return text + name;
}

}  // namespace parallax::app
