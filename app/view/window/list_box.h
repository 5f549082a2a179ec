// A box whose list opens at a click.
#pragma once

#include <open3d/visualization/gui/Combobox.h>

namespace parallax::app {

// Open3D's asks for one drawing after the other for as long as its list is open. This one leaves off when the
// list has settled; the mouse asks for a drawing whenever it moves.
class ListBox : public open3d::visualization::gui::Combobox {
 public:
  using Combobox::Combobox;

  DrawResult Draw(const open3d::visualization::gui::DrawContext& context) override {
    constexpr int kSettled = 3;  // its size, its place, its entries
    const int before = GetSelectedIndex();
    const DrawResult result = Combobox::Draw(context);
    num_asked_ = result == DrawResult::NONE ? 0 : num_asked_ + 1;
    return num_asked_ > kSettled && before == GetSelectedIndex() ? DrawResult::NONE : result;
  }

 private:
  int num_asked_ = 0;  // one after the other
};

}  // namespace parallax::app
