// A box whose list opens at a click.
#pragma once

#include <open3d/visualization/gui/Combobox.h>

namespace parallax::app {

// Open3D's list box requests drawings for as long as its list is open. This one stops when the list rests;
// mouse movement requests a drawing.
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
