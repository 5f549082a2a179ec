// The cloud's part of the window: its scene, its caption line, its commands and its section of the panel.
#pragma once

#include <open3d/visualization/gui/Checkbox.h>
#include <open3d/visualization/gui/NumberEdit.h>
#include <open3d/visualization/gui/Slider.h>
#include <open3d/visualization/rendering/Renderer.h>

#include <functional>
#include <memory>
#include <string>

#include "app/view/window/cloud_scene.h"
#include "app/view/window/list_box.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class CloudPane : public WindowPart {
 public:
  // draws_in_software: see CloudScene.
  CloudPane(const WindowRooms& rooms, open3d::visualization::rendering::Renderer& renderer,
            bool draws_in_software);

  // The scene's widget must be a child of the window itself: below another one it is not drawn.
  const std::shared_ptr<Pane>& caption() const { return caption_; }
  const std::shared_ptr<CloudWidget>& scene() const { return scene_.widget(); }

  // Called when the user picks a point; -1, -1 for a point that comes from no pixel.
  std::function<void(int x, int y)> on_pick;
  // Marks the point of a pixel of the picture; -1, -1 removes the mark.
  void MarkPixel(int x, int y);

  // To be called after filled pixels were shown or hidden in the window.
  void FilledChanged();

  void Show(const ViewerFrame& frame) override;
  void Tick() override;
  bool IsBusy() const override { return scene_.IsBusy(); }
  // Called once the scene has its size.
  void AfterLayout() { scene_.AfterLayout(); }
  // To be called in every drawing of the window.
  void AfterDraw() { scene_.AfterDraw(); }

 private:
  void AddCommands();
  void AddSection();
  void Recolor(CloudColoring coloring);
  void SetRange(double near_m, double far_m);  // 0: no limit
  void Update();                               // the caption of the cloud

  const WindowRooms& rooms_;
  CloudScene scene_;
  std::string about_;           // the cloud
  std::size_t num_points_ = 0;  // of the frame, filled ones too
  int width_em_ = 0;            // of the caption, as it was laid out last
  bool had_distances_ = false;
  std::shared_ptr<gui::Label> text_, scale_low_, scale_high_, scale_label_, near_name_, far_name_;
  std::shared_ptr<ScaleWidget> scale_;
  std::shared_ptr<Pane> caption_;
  std::shared_ptr<ListBox> coloring_;
  std::shared_ptr<gui::Slider> size_;
  std::shared_ptr<gui::NumberEdit> near_, far_;
  std::shared_ptr<gui::Checkbox> frustum_, grid_, ruler_;
};

}  // namespace parallax::app
