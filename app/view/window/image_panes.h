// The one or two panes with pictures of the frame, and the section "Pictures" of the panel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/view/panes/pane_choices.h"
#include "app/view/panes/picture_zoom.h"
#include "app/view/panes/shown_frame.h"
#include "app/view/window/list_box.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"
#include "app/view/window_layout.h"

namespace open3d::visualization::gui {
class Checkbox;
class NumberEdit;
class Slider;
}  // namespace open3d::visualization::gui

namespace parallax::app {

class ImagePanes : public WindowPart {
 public:
  explicit ImagePanes(const WindowRooms& rooms);

  const std::shared_ptr<Pane>& first() const { return panes_[0].pane; }
  const std::shared_ptr<Pane>& second() const { return panes_[1].pane; }

  void Show(const ViewerFrame& frame) override;
  void Tick() override;
  bool IsBusy() const override { return (is_dirty_ || marks_dirty_) && frame_; }
  // Reports which panes have content, and the shape of the pictures.
  void Tell(WindowParts& parts) const;

  // Marks a pixel of the frame, or removes the mark; does not call on_pick.
  void MarkPixel(std::optional<PixelPosition> pixel);
  // Called with the pixel that the user clicked on.
  std::function<void(PixelPosition pixel)> on_pick;

  PaneChoices& choices() { return choices_; }
  // To be called after choices() were changed, or filled pixels were shown or hidden.
  void ChoicesChanged();
  const std::shared_ptr<const ShownFrame>& frame() const { return frame_; }
  const PanesOfFrame& shown() const { return shown_; }

 private:
  class PictureWidget;
  struct OnePane {
    std::shared_ptr<Pane> pane;
    std::shared_ptr<PictureWidget> picture;
    std::shared_ptr<ListBox> view, set;
    std::shared_ptr<gui::Label> size, low, high;
    std::shared_ptr<ScaleWidget> scale;
    int width_em = 0;               // of the caption, as it was laid out last
    PictureZoom zoom;               // of its own size; both show the same place
    HostImage<Rgb8> drawn, marked;  // the picture without its marks, and with them
    std::vector<PaneView> views;
    std::optional<PaneView> scale_view;
  };
  // The controls of a view's fixed range.
  struct RangeRow {
    PaneView view;
    std::shared_ptr<gui::Checkbox> fixed;
    std::shared_ptr<gui::NumberEdit> low, high;
  };

  void MakePane(int index, const WindowRooms& rooms);
  void MakeSection(const WindowRooms& rooms);
  void AddCommands(const WindowRooms& rooms);
  void AddState(const WindowRooms& rooms);
  void Choose(int index, PaneView view);
  void FixRange(PaneView view, bool fixed);
  void UpdateControls();
  // anew: draws the pictures too, not only their marks.
  void Draw(bool anew);
  void MakeRoom(OnePane& pane, int width_px);
  gui::Widget::EventResult Mouse(int index, const gui::MouseEvent& event);
  void Hover(const std::optional<PixelPosition>& pixel, bool of_b);
  void TellPixel();
  bool IsOfB(int index, int x) const;
  // Changes the zooms of both panes, because a change of one changes the other.
  void ForZooms(const std::function<void(PictureZoom& zoom)>& change);

  const WindowRooms& rooms_;
  OnePane panes_[2];
  std::shared_ptr<gui::Label> pixel_line_;
  std::shared_ptr<ListBox> mode_;
  std::shared_ptr<gui::Slider> position_;
  std::vector<RangeRow> range_rows_;

  PaneChoices choices_;
  PanesOfFrame shown_;
  PaneMarks marks_;
  bool hovers_b_ = false, is_dirty_ = true, marks_dirty_ = false;
  std::shared_ptr<const ShownFrame> frame_;

  enum class Drag { kNone, kPan, kWipe };
  Drag drag_ = Drag::kNone;
  int down_x_ = 0, down_y_ = 0, last_x_ = 0, last_y_ = 0;
  bool has_moved_ = false;
  long num_drawn_ = 0;
};

}  // namespace parallax::app
