// The cloud's part of the window: its scene, its caption line, its commands.
#pragma once

#include <open3d/visualization/rendering/Renderer.h>

#include <memory>

#include "app/view/window/cloud_scene.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

namespace parallax::app {

class CloudPane : public WindowPart {
 public:
  CloudPane(const WindowRooms& rooms, open3d::visualization::rendering::Renderer& renderer);

  // The scene's widget must be a child of the window itself: below another one it is not drawn.
  const std::shared_ptr<Pane>& caption() const { return caption_; }
  const std::shared_ptr<CloudWidget>& scene() const { return scene_.widget(); }

  void Show(const UploadFrame& frame) override;
  // Once the scene has its size.
  void AfterLayout() { scene_.FrameNewScene(); }

 private:
  CloudScene scene_;
  std::shared_ptr<gui::Label> text_;
  std::shared_ptr<Pane> caption_;
};

}  // namespace parallax::app
