// The window's parts on Open3D's GUI. Header only: the window and its scene alone include it.
#pragma once

#include <open3d/geometry/Image.h>
#include <open3d/visualization/gui/Events.h>
#include <open3d/visualization/gui/ImageWidget.h>
#include <open3d/visualization/gui/Label.h>
#include <open3d/visualization/gui/Layout.h>
#include <open3d/visualization/gui/Theme.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/view/window_layout.h"
#include "parallax/image.h"

namespace parallax::app {

namespace gui = open3d::visualization::gui;
using WidgetPtr = std::shared_ptr<gui::Widget>;
using Open3DImage = std::shared_ptr<open3d::geometry::Image>;

// Colours in addition to those of Open3D's theme.
struct Palette {
  gui::Color dim_text{0.62f, 0.66f, 0.70f}, changed_text{1.0f, 0.80f, 0.35f},
      selected_text{0.55f, 0.80f, 1.0f};
  gui::Color scene{0.075f, 0.082f, 0.105f};
  Rgb8 beside_picture{24, 25, 28}, scene_text{170, 178, 190}, grid{112, 120, 132};
};
inline const Palette kPalette{};

inline std::shared_ptr<gui::Label> MakeDimLabel(const char* text = " ") {
  auto label = std::make_shared<gui::Label>(text);
  label->SetTextColor(kPalette.dim_text);
  return label;
}

// Aligns a label with the text of the buttons next to it.
inline WidgetPtr AlignedWithButtons(WidgetPtr label, int em) {
  return std::make_shared<gui::Vert>(0, gui::Margins(0, em / 4, 0, 0),
                                     std::vector<WidgetPtr>{std::move(label)});
}

// ImGui makes no window less than 32 px high; a smaller caption would hide the top of what is below it.
inline int CaptionHeight(int em) { return std::max(2 * em, 32); }

// A caption line and, below it, an image or nothing. Paints its background, so that nothing stale shows.
class Pane : public gui::Widget {
 public:
  Pane(int em, const std::vector<WidgetPtr>& caption, WidgetPtr content)
      : line_(std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 2, em / 2, em / 4), caption)),
        content_(std::move(content)) {
    AddChild(line_);
    if (content_) AddChild(content_);
  }
  void Layout(const gui::LayoutContext& context) override {
    const gui::Rect& frame = GetFrame();
    const int caption = CaptionHeight(context.theme.font_size);
    line_->SetFrame({frame.x, frame.y, frame.width, caption});
    if (content_)
      content_->SetFrame({frame.x + 1, frame.y + caption, frame.width - 2, frame.height - caption});
    gui::Widget::Layout(context);
  }

 private:
  std::shared_ptr<gui::Horiz> line_;
  WidgetPtr content_;
};

// The colours of a view's scale, in the caption of its pane.
class ScaleWidget : public gui::ImageWidget {
 public:
  gui::Size CalcPreferredSize(const gui::LayoutContext& context, const Constraints&) const override {
    return {width_em_ * context.theme.font_size, context.theme.font_size};
  }
  void SetWidth(int em) { width_em_ = em; }

 private:
  int width_em_ = 10;
};

constexpr int kAside_px = -1024;

// Places a widget that precedes the panel among the window's children. An empty one is moved out of sight,
// not hidden: Open3D numbers the visible children, and does not draw a panel whose number changes.
inline void PlaceOrPutAside(gui::Widget& widget, const PaneFrame& frame) {
  widget.SetFrame(frame.Empty() ? gui::Rect(kAside_px, kAside_px, 1, 1)
                                : gui::Rect(frame.x, frame.y, frame.width, frame.height));
}

inline void Place(gui::Widget& widget, const PaneFrame& frame) {
  widget.SetVisible(!frame.Empty());
  widget.SetFrame({frame.x, frame.y, std::max(1, frame.width), std::max(1, frame.height)});
}

}  // namespace parallax::app
