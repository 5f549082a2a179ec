#include "app/view/window/image_panes.h"

#include <fmt/format.h>
#include <open3d/visualization/gui/Checkbox.h>
#include <open3d/visualization/gui/NumberEdit.h>
#include <open3d/visualization/gui/Slider.h>
#include <open3d/visualization/gui/UIImage.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "app/view/panes/pixel_info.h"
#include "app/view/window/side_panel.h"

namespace parallax::app {
namespace {

constexpr PaneView kRangedViews[] = {PaneView::kDisparity, PaneView::kDepth, PaneView::kDifference,
                                     PaneView::kUncertainty};
constexpr const char* kPaneNames[] = {"first", "second"};
// A caption shows the ends of its scale, their colours and the frame's size only if it is at least this
// wide.
constexpr int kLeastForValues_em = 13, kLeastForColors_em = 19, kLeastForSize_em = 34;

Open3DImage ToOpen3D(const HostImage<Rgb8>& image) {
  auto result = std::make_shared<open3d::geometry::Image>();
  result->Prepare(image.width(), image.height(), 3, 1);
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(result->data_.data() + static_cast<std::size_t>(y) * row_bytes, image.Row(y), row_bytes);
  }
  return result;
}

std::string RangeText(PaneView view, float value) {
  if (view == PaneView::kError) return value > 0 ? "> 48" : "0";
  const int digits = view == PaneView::kDepth         ? 2
                     : view == PaneView::kUncertainty ? 2
                     : view == PaneView::kConfidence  ? 0
                                                      : 1;
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

// A picture that is drawn pixel by pixel for its place in the window. Its size goes in steps, so that
// dragging the window's border does not make a texture a pixel: Open3D keeps them all.
class ImagePanes::PictureWidget : public gui::ImageWidget {
 public:
  std::function<EventResult(const gui::MouseEvent& event)> on_mouse;
  std::function<void()> on_resize;

  void SetFrame(const gui::Rect& frame) override {
    constexpr int kStep = 8;
    const auto stepped = [](int size) { return std::max(1, size / kStep * kStep); };
    const gui::Rect place(frame.x, frame.y, stepped(frame.width), stepped(frame.height));
    const bool resized = place.width != GetFrame().width || place.height != GetFrame().height;
    gui::ImageWidget::SetFrame(place);
    if (resized) on_resize();
  }

  void Show(const HostImage<Rgb8>& picture) {
    UpdateImage(ToOpen3D(picture));
    GetUIImage()->SetScaling(gui::UIImage::Scaling::ANY);
  }

  EventResult Mouse(const gui::MouseEvent& event) override { return on_mouse(event); }
};

ImagePanes::ImagePanes(const WindowRooms& rooms) : rooms_(rooms), pixel_line_(MakeDimLabel()) {
  MakePane(0, rooms);
  MakePane(1, rooms);
  const int em = rooms.em();
  rooms.add_row(std::make_shared<gui::Horiz>(0, gui::Margins(em / 2, em / 4, em / 2, 0),
                                             std::vector<WidgetPtr>{pixel_line_}));
  MakeSection(rooms);
  AddCommands(rooms);
  AddState(rooms);
}

void ImagePanes::MakePane(int index, const WindowRooms& rooms) {
  OnePane& pane = panes_[index];
  pane.picture = std::make_shared<PictureWidget>();
  pane.picture->on_mouse = [this, index](const gui::MouseEvent& event) { return Mouse(index, event); };
  pane.picture->on_resize = [this] { is_dirty_ = true; };
  pane.view = std::make_shared<ListBox>();
  pane.view->SetOnValueChanged([this, index](const char*, int item) {
    if (item >= 0) Choose(index, panes_[index].views[static_cast<std::size_t>(item)]);
  });
  pane.set = std::make_shared<ListBox>(std::vector<const char*>{"A", "B"});
  pane.set->SetVisible(false);
  pane.set->SetOnValueChanged([this, index](const char*, int item) {
    (index == 0 ? choices_.first : choices_.second).of_b = item == 1;
    ChoicesChanged();
  });
  pane.size = MakeDimLabel();
  pane.low = MakeDimLabel();
  pane.high = MakeDimLabel();
  pane.scale = std::make_shared<ScaleWidget>();
  pane.scale->SetVisible(false);
  pane.pane = std::make_shared<Pane>(
      rooms.em(),
      std::vector<WidgetPtr>{pane.view, pane.set, AlignedWithButtons(pane.size, rooms.em()),
                             gui::Horiz::MakeStretch(), AlignedWithButtons(pane.low, rooms.em()), pane.scale,
                             AlignedWithButtons(pane.high, rooms.em())},
      pane.picture);
  const std::string name = std::string("pane.") + kPaneNames[index];
  rooms.add_control(name + ".view", pane.view);
  rooms.add_control(name + ".set", pane.set);
}

void ImagePanes::MakeSection(const WindowRooms& rooms) {
  const int em = rooms.em();
  const auto section = rooms.panel.AddSection("Pictures", true);
  mode_ = std::make_shared<ListBox>();
  for (const std::string_view name : kPaneModeNames) mode_->AddItem(std::string(name).c_str());
  mode_->SetTooltip(
      "one picture, two side by side, one mixed with the other, or a line to wipe from one to the other");
  mode_->SetOnValueChanged([this](const char*, int item) {
    choices_.mode = static_cast<PaneMode>(item);
    ChoicesChanged();
  });
  position_ = std::make_shared<gui::Slider>(gui::Slider::DOUBLE);
  position_->SetLimits(0, 1);
  position_->SetTooltip("for blend and wipe: share of the second picture, or place of the line");
  position_->SetOnValueChanged([this](double value) {
    choices_.position = static_cast<float>(value);
    ChoicesChanged();
  });
  section->AddChild(mode_);
  section->AddChild(position_);
  rooms.add_control("Pictures.mode", mode_);
  rooms.add_control("Pictures.position", position_);
  for (const PaneView view : kRangedViews) {
    RangeRow row{view, std::make_shared<gui::Checkbox>(("fix " + std::string(InfoOf(view).title)).c_str()),
                 std::make_shared<gui::NumberEdit>(gui::NumberEdit::DOUBLE),
                 std::make_shared<gui::NumberEdit>(gui::NumberEdit::DOUBLE)};
    row.fixed->SetTooltip("the colours span the same values in every frame");
    row.fixed->SetOnChecked([this, view](bool fixed) { FixRange(view, fixed); });
    for (const bool is_low : {true, false}) {
      const auto& edit = is_low ? row.low : row.high;
      edit->SetDecimalPrecision(2);
      edit->SetPreferredWidth(5 * em);
      edit->SetOnValueChanged([this, view, is_low](double value) {
        ValueRange range = frame_ ? RangeOf(*frame_, {view, false}, choices_.ranges) : ValueRange{};
        (is_low ? range.low : range.high) = static_cast<float>(value);
        choices_.ranges[view] = range;
        ChoicesChanged();
      });
    }
    section->AddChild(std::make_shared<gui::Horiz>(
        em / 4, gui::Margins(),
        std::vector<WidgetPtr>{row.fixed, gui::Horiz::MakeStretch(), row.low, row.high}));
    const std::string name = "Pictures." + std::string(InfoOf(view).name);
    rooms.add_control(name + ".fixed", row.fixed);
    rooms.add_control(name + ".low", row.low);
    rooms.add_control(name + ".high", row.high);
    range_rows_.push_back(std::move(row));
  }
}

void ImagePanes::AddCommands(const WindowRooms& rooms) {
  for (std::size_t i = 0; i < kNumPaneViews; ++i) {
    const auto view = static_cast<PaneView>(i);
    const std::string key = std::to_string((i + 1) % 10), name(InfoOf(view).name);
    rooms.commands.Add({"first_" + name, key, "first picture: " + std::string(InfoOf(view).title),
                        [this, view] { Choose(0, view); }});
  }
  for (std::size_t i = 0; i < kNumPaneViews; ++i) {
    const auto view = static_cast<PaneView>(i);
    const std::string key = std::to_string((i + 1) % 10), name(InfoOf(view).name);
    rooms.commands.Add({"second_" + name, "Ctrl+" + key, i == 0 ? "Ctrl with 1 to 0: second picture" : "",
                        [this, view] { Choose(1, view); }});
  }
  const auto add = [&](const char* name, const char* keys, const char* help, std::function<void()> action) {
    rooms.commands.Add({name, keys, help, [this, action = std::move(action)] {
                          action();
                          ChoicesChanged();
                        }});
  };
  add("swap_pictures", "V", "swap both pictures", [this] { std::swap(choices_.first, choices_.second); });
  add("picture_mode", "M", "one picture, side by side, blend, wipe",
      [this] { choices_.mode = static_cast<PaneMode>((static_cast<int>(choices_.mode) + 1) % 4); });
  add("less_second", "[", "less of the second picture",
      [this] { choices_.position = std::max(0.0F, choices_.position - 0.05F); });
  add("more_second", "]", "more of the second picture",
      [this] { choices_.position = std::min(1.0F, choices_.position + 0.05F); });
  add("set_of_first", "B", "first picture of the other set, A or B", [this] { choices_.first.of_b ^= true; });
  add("set_of_second", "Shift+B", "second picture of the other set, A or B",
      [this] { choices_.second.of_b ^= true; });
  add("fix_scales", "S", "fix the colours' scales, or let them follow", [this] {
    const bool fixed = choices_.ranges[PaneView::kDisparity].has_value();
    for (const PaneView view : kRangedViews) FixRange(view, !fixed);
  });
  add("fit", "Z", "whole picture", [this] { ForZooms([](PictureZoom& zoom) { zoom.Fit(); }); });
  add("pixel_to_pixel", "X", "a pixel of the picture on a pixel of the screen",
      [this] { ForZooms([](PictureZoom& zoom) { zoom.PixelToPixel(); }); });
  const auto zoom_middle = [this](double factor) {
    ForZooms([factor](PictureZoom& zoom) { zoom.ZoomAt(zoom.ToPane(zoom.centre()), factor); });
  };
  add("zoom_in", "Ctrl+=", "picture larger", [zoom_middle] { zoom_middle(1.25); });
  add("zoom_out", "Ctrl+-", "picture smaller", [zoom_middle] { zoom_middle(0.8); });
  const auto pan = [this](double dx, double dy) {
    ForZooms([dx, dy](PictureZoom& zoom) { zoom.Pan(dx, dy); });
  };
  add("pan_left", "Ctrl+Left", "Ctrl with arrows: shift the picture", [pan] { pan(48, 0); });
  add("pan_right", "Ctrl+Right", "", [pan] { pan(-48, 0); });
  add("pan_up", "Ctrl+Up", "", [pan] { pan(0, 48); });
  add("pan_down", "Ctrl+Down", "", [pan] { pan(0, -48); });
}

void ImagePanes::AddState(const WindowRooms& rooms) {
  rooms.state.Add("pictures", [this] {
    OrderedJson json = {{"mode", NameOf(shown_.mode)}, {"position", choices_.position}};
    for (int i = 0; i < 2; ++i) {
      const auto& choice = i == 0 ? shown_.first : shown_.second;
      if (!choice || !frame_) continue;
      const ValueRange range = RangeOf(*frame_, *choice, choices_.ranges);
      OrderedJson& pane = json[kPaneNames[i]] = {{"view", InfoOf(choice->view).name},
                                                 {"set", choice->of_b ? "B" : "A"},
                                                 {"low", range.low},
                                                 {"high", range.high},
                                                 {"fixed", choices_.ranges[choice->view].has_value()}};
      const gui::Rect& place = panes_[i].picture->GetFrame();
      if (i == 0 || shown_.mode == PaneMode::kSide)
        pane["place"] = {place.x, place.y, place.width, place.height};
    }
    json["scale"] = panes_[0].zoom.scale();
    json["centre"] = {panes_[0].zoom.centre().u, panes_[0].zoom.centre().v};
    json["drawn"] = num_drawn_;
    return json;
  });
  const auto json_of = [this](const std::optional<PixelPosition>& pixel) -> OrderedJson {
    if (!pixel || !frame_ || !frame_->HasPixel(pixel->x, pixel->y)) return nullptr;
    const PixelInfo info = PixelInfoAt(*frame_, hovers_b_, pixel->x, pixel->y);
    return {{"x", info.x},
            {"y", info.y},
            {"disparity_px", info.disparity_px},
            {"depth_m", info.depth_m},
            {"x_m", info.x_m},
            {"y_m", info.y_m},
            {"z_m", info.z_m},
            {"truth_px", info.truth_px},
            {"sigma_px", info.sigma_px},
            {"confidence", info.confidence},
            {"validity", info.validity}};
  };
  rooms.state.Add("pixel", [this, json_of] { return json_of(marks_.hovered); });
  rooms.state.Add("picked", [this, json_of] { return json_of(marks_.picked); });
}

void ImagePanes::Choose(int index, PaneView view) {
  (index == 0 ? choices_.first : choices_.second).view = view;
  if (index == 1 && choices_.mode == PaneMode::kSingle) choices_.mode = PaneMode::kSide;
  ChoicesChanged();
}

void ImagePanes::FixRange(PaneView view, bool fixed) {
  if (!fixed) {
    choices_.ranges[view].reset();
  } else if (frame_) {
    choices_.ranges[view] = RangeOf(*frame_, {view, false}, choices_.ranges);
  }
  ChoicesChanged();
}

void ImagePanes::ForZooms(const std::function<void(PictureZoom& zoom)>& change) {
  for (OnePane& pane : panes_) change(pane.zoom);
  is_dirty_ = true;
}

void ImagePanes::ChoicesChanged() {
  if (frame_) shown_ = PanesFor(choices_, *frame_);
  UpdateControls();
  is_dirty_ = true;
  rooms_.relayout();
}

void ImagePanes::Show(const ViewerFrame& frame) {
  frame_ = frame.shown;
  shown_ = frame_ ? PanesFor(choices_, *frame_) : PanesOfFrame{};
  if (frame_) {
    const auto outside = [&](const std::optional<PixelPosition>& pixel) {
      return pixel && !frame_->HasPixel(pixel->x, pixel->y);
    };
    if (outside(marks_.hovered)) marks_.hovered.reset();
    if (outside(marks_.picked)) marks_.picked.reset();
  }
  TellPixel();
  UpdateControls();
  is_dirty_ = true;
}

void ImagePanes::UpdateControls() {
  mode_->SetSelectedIndex(static_cast<int>(choices_.mode));
  position_->SetValue(choices_.position);
  if (!frame_) return;
  const std::vector<PaneView> views = ViewsOf(*frame_);
  for (int i = 0; i < 2; ++i) {
    OnePane& pane = panes_[i];
    const auto& choice = i == 0 ? shown_.first : shown_.second;
    if (pane.views != views) {
      pane.views = views;
      pane.view->ClearItems();
      for (const PaneView view : views) {
        const bool is_other = view == PaneView::kLeft && !frame_->left_title.empty();
        pane.view->AddItem((is_other ? frame_->left_title : std::string(InfoOf(view).title)).c_str());
      }
    }
    pane.size->SetText(fmt::format("{} x {}", frame_->width, frame_->height).c_str());
    if (!choice) continue;
    const auto item = std::find(views.begin(), views.end(), choice->view) - views.begin();
    pane.view->SetSelectedIndex(static_cast<int>(item));
    pane.set->SetVisible(frame_->b && InfoOf(choice->view).of_a_set);
    pane.set->SetSelectedIndex(choice->of_b ? 1 : 0);
    const bool has_scale = !InfoOf(choice->view).unit.empty();
    // Above a narrow picture the line has no room for everything.
    const bool has_values = has_scale && pane.width_em >= kLeastForValues_em;
    const bool has_colors = has_scale && pane.width_em >= kLeastForColors_em;
    pane.size->SetVisible(pane.width_em >= kLeastForSize_em);
    pane.scale->SetVisible(has_colors);
    pane.scale->SetWidth(std::clamp(pane.width_em - (pane.size->IsVisible() ? 26 : 20), 3, 10));
    pane.low->SetVisible(has_values);
    pane.high->SetVisible(has_values);
    if (!has_scale) continue;
    if (pane.scale_view != choice->view) {
      const HostImage<Rgb8> colors = ScaleColors(choice->view);
      pane.scale->UpdateImage(ToOpen3D(colors));
      pane.scale->GetUIImage()->SetScaling(gui::UIImage::Scaling::ANY);
      pane.scale_view = choice->view;
    }
    const ValueRange range = RangeOf(*frame_, *choice, choices_.ranges);
    pane.low->SetText(RangeText(choice->view, range.low).c_str());
    std::string high = RangeText(choice->view, range.high);
    if (has_colors) high += " " + std::string(InfoOf(choice->view).unit);
    if (has_colors && choices_.ranges[choice->view]) high += ", fixed";
    pane.high->SetText(high.c_str());
  }
  for (const RangeRow& row : range_rows_) {
    row.fixed->SetChecked(choices_.ranges[row.view].has_value());
    if (!IsThere(*frame_, row.view)) continue;
    const ValueRange range = RangeOf(*frame_, {row.view, false}, choices_.ranges);
    row.low->SetValue(range.low);
    row.high->SetValue(range.high);
  }
}

void ImagePanes::Tell(WindowParts& parts) const {
  parts.image = shown_.first.has_value();
  parts.disparity = shown_.second.has_value() && shown_.mode == PaneMode::kSide;
  if (frame_ && frame_->height > 0) {
    parts.aspect = static_cast<float>(frame_->width) / static_cast<float>(frame_->height);
  }
}

void ImagePanes::Tick() {
  if (marks_.hovered) {
    const gui::Point mouse = rooms_.mouse();
    const auto over = [&](const OnePane& pane) { return pane.picture->GetFrame().Contains(mouse); };
    if (!over(panes_[0]) && !over(panes_[1])) Hover(std::nullopt, hovers_b_);
  }
  const bool anew = std::exchange(is_dirty_, false), marks = std::exchange(marks_dirty_, false);
  if ((!anew && !marks) || !frame_) return;
  Draw(anew);
  rooms_.redraw();
}

void ImagePanes::Draw(bool anew) {
  for (int i = 0; i < 2; ++i) {
    OnePane& pane = panes_[i];
    const gui::Rect& place = pane.picture->GetFrame();
    const auto& choice = i == 0 ? shown_.first : shown_.second;
    const bool is_shown =
        choice && place.width > 0 && place.height > 0 && (i == 0 || shown_.mode == PaneMode::kSide);
    if (!is_shown) continue;
    MakeRoom(pane, place.width);
    pane.zoom.SetSizes(place.width, place.height, frame_->width, frame_->height);
    PanePicture what{.frame = *frame_,
                     .zoom = pane.zoom,
                     .ranges = choices_.ranges,
                     .marks = {},
                     .show_filled = rooms_.show_filled(),
                     .text_px = 0.6F * static_cast<float>(rooms_.em()),
                     .background = kPalette.beside_picture};
    if (anew || pane.drawn.width() != place.width || pane.drawn.height() != place.height) {
      const bool two = i == 0 && shown_.second && shown_.mode != PaneMode::kSide;
      pane.drawn = two ? DrawPane(what, *shown_.first, *shown_.second, shown_.mode, choices_.position,
                                  place.width, place.height)
                       : DrawPane(what, *choice, place.width, place.height);
    }
    what.marks = marks_;
    pane.marked = pane.drawn.Clone();
    DrawPaneMarks(what, pane.marked);
    pane.picture->Show(pane.marked);
  }
  ++num_drawn_;
}

void ImagePanes::MakeRoom(OnePane& pane, int width_px) {
  const int width_em = width_px / std::max(1, rooms_.em());
  if (std::exchange(pane.width_em, width_em) == width_em) return;
  UpdateControls();
  rooms_.relayout();
}

bool ImagePanes::IsOfB(int index, int x) const {
  const bool is_second =
      index == 1 ||
      (shown_.second && shown_.mode == PaneMode::kWipe &&
       static_cast<float>(x) >= choices_.position * static_cast<float>(panes_[0].picture->GetFrame().width));
  const auto& choice = is_second ? shown_.second : shown_.first;
  return choice && choice->of_b;
}

gui::Widget::EventResult ImagePanes::Mouse(int index, const gui::MouseEvent& event) {
  using Result = gui::Widget::EventResult;
  if (!frame_) return Result::IGNORED;
  OnePane& pane = panes_[index];
  const gui::Rect& place = pane.picture->GetFrame();
  const int x = event.x - place.x, y = event.y - place.y;
  const PicturePoint at = pane.zoom.ToPicture({x + 0.5, y + 0.5});
  const PixelPosition pixel{static_cast<int>(std::floor(at.u)), static_cast<int>(std::floor(at.v))};
  const bool is_pixel = frame_->HasPixel(pixel.x, pixel.y);
  switch (event.type) {
    case gui::MouseEvent::MOVE:
      Hover(is_pixel ? std::optional(pixel) : std::nullopt, IsOfB(index, x));
      break;
    case gui::MouseEvent::WHEEL:
      if (event.wheel.dy != 0) {
        // The other pane's zoom has its own size; it follows to the same place.
        const double factor = std::pow(1.25, event.wheel.dy);
        for (OnePane& other : panes_) {
          const bool is_this = &other == &pane;
          other.zoom.ZoomAt(is_this ? PicturePoint{x + 0.5, y + 0.5} : other.zoom.ToPane(at), factor);
        }
        is_dirty_ = true;
      }
      break;
    case gui::MouseEvent::BUTTON_DOWN: {
      down_x_ = last_x_ = x, down_y_ = last_y_ = y;
      has_moved_ = false;
      const float line = choices_.position * static_cast<float>(place.width);
      const bool on_line =
          shown_.mode == PaneMode::kWipe && std::fabs(line - static_cast<float>(x)) < 8 * rooms_.scaling();
      drag_ = on_line ? Drag::kWipe : Drag::kPan;
      break;
    }
    case gui::MouseEvent::DRAG:
      has_moved_ |= std::abs(x - down_x_) + std::abs(y - down_y_) > 3;
      if (!has_moved_) break;
      if (drag_ == Drag::kPan) {
        const int dx = x - last_x_, dy = y - last_y_;
        ForZooms([&](PictureZoom& zoom) { zoom.Pan(dx, dy); });
      } else if (drag_ == Drag::kWipe) {
        choices_.position =
            std::clamp(static_cast<float>(x) / static_cast<float>(std::max(1, place.width)), 0.0F, 1.0F);
        UpdateControls();
      }
      last_x_ = x, last_y_ = y;
      is_dirty_ = true;
      break;
    case gui::MouseEvent::BUTTON_UP:
      if (!has_moved_ && drag_ == Drag::kPan) {
        MarkPixel(is_pixel ? std::optional(pixel) : std::nullopt);
        if (is_pixel && on_pick) on_pick(pixel);
      }
      drag_ = Drag::kNone;
      marks_dirty_ = true;
      break;
  }
  return Result::CONSUMED;
}

void ImagePanes::MarkPixel(std::optional<PixelPosition> pixel) {
  marks_.picked = pixel;
  TellPixel();
  marks_dirty_ = true;
}

void ImagePanes::Hover(const std::optional<PixelPosition>& pixel, bool of_b) {
  if (pixel == marks_.hovered && of_b == hovers_b_) return;
  marks_.hovered = pixel;
  hovers_b_ = of_b;
  TellPixel();
  marks_dirty_ = true;
}

// Shows the pixel under the mouse, otherwise the marked one.
void ImagePanes::TellPixel() {
  const auto& pixel = marks_.hovered ? marks_.hovered : marks_.picked;
  std::string text = " ";
  if (pixel && frame_ && frame_->HasPixel(pixel->x, pixel->y)) {
    text = TextOf(PixelInfoAt(*frame_, hovers_b_, pixel->x, pixel->y));
  }
  if (text == pixel_line_->GetText()) return;
  pixel_line_->SetText(text.c_str());
  rooms_.relayout();
}

}  // namespace parallax::app
