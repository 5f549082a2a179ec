#include "app/view/window/cloud_pane.h"

#include <vector>

namespace parallax::app {

CloudPane::CloudPane(const WindowRooms& rooms, open3d::visualization::rendering::Renderer& renderer)
    : scene_(renderer, rooms.redraw, rooms.scaling),
      text_(MakeDimLabel()),
      caption_(std::make_shared<Pane>(rooms.em(), std::vector<WidgetPtr>{text_}, nullptr)) {
  rooms.commands.Add({"reset_view", "R", "look at the cloud as at first", [this] { scene_.ResetView(); }});
  rooms.commands.Add({"larger_points", "+ =", "larger points", [this] { scene_.ScalePoints(1.25f); }});
  rooms.commands.Add({"smaller_points", "-", "smaller points", [this] { scene_.ScalePoints(0.8f); }});
}

void CloudPane::Show(const UploadFrame& frame) {
  text_->SetText(frame.cloud_caption.c_str());
  scene_.Upload(frame);
}

}  // namespace parallax::app
