// The cloud in the window: its geometry, its points' size and where it is seen from.
#pragma once

#include <open3d/visualization/rendering/MaterialRecord.h>
#include <open3d/visualization/rendering/Open3DScene.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "app/pictures/cloud_view.h"
#include "app/view/window/upload_frame.h"
#include "app/view/window/widgets.h"

namespace parallax::app {

class CloudScene {
 public:
  // redraw: called when a new drawing is wanted. scaling: of the display.
  CloudScene(open3d::visualization::rendering::Renderer& renderer, std::function<void()> redraw,
             std::function<float()> scaling);

  const std::shared_ptr<CloudWidget>& widget() const { return widget_; }

  // The same geometry is updated from frame to frame; it is added again only where it must grow. The tensors
  // of a frame are read later: they must live until the next but one is uploaded, and `points`, which stay
  // those of the cloud that is shown, until the next is.
  void Upload(const UploadFrame& frame);

  // Frames the cloud, unless somebody has turned it or it still is the scene in view.
  void FrameNewScene();
  void ResetView();
  void ScalePoints(float factor);

 private:
  open3d::visualization::rendering::Open3DScene& Scene() { return *widget_->GetScene(); }
  CloudView WantedView() const;
  void SetView(const CloudView& view);
  void SetPointSize(float size_px);

  std::function<void()> redraw_;
  std::function<float()> scaling_;
  std::shared_ptr<CloudWidget> widget_;
  open3d::visualization::rendering::MaterialRecord material_;
  std::size_t capacity_ = 0;         // points of the geometry in the scene
  std::span<const Point3f> points_;  // of the frame that is shown
  std::optional<CloudView> view_;    // set last
  bool view_moved_ = false;          // by the mouse since then
};

}  // namespace parallax::app
