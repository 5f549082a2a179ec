#include "app/view/window/cloud_scene.h"

#include <open3d/t/geometry/PointCloud.h>
#include <open3d/visualization/rendering/Camera.h>
#include <open3d/visualization/rendering/View.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parallax::app {
namespace {

namespace rendering = open3d::visualization::rendering;
using Eigen::Vector3f;

constexpr char kCloud[] = "cloud";

Vector3f ToEigen(const Point3f& p) { return {p.x, p.y, p.z}; }

}  // namespace

CloudScene::CloudScene(rendering::Renderer& renderer, std::function<void()> redraw,
                       std::function<float()> scaling)
    : redraw_(std::move(redraw)), scaling_(std::move(scaling)), widget_(std::make_shared<CloudWidget>()) {
  widget_->SetScene(std::make_shared<rendering::Open3DScene>(renderer));
  Scene().SetBackground({0.30f, 0.32f, 0.36f, 1.0f});
  Scene().GetView()->SetPostProcessing(false);  // no tone mapping: colours come out as they went in
  widget_->on_moved = [this] {
    view_moved_ = true;
    redraw_();
  };
  material_.shader = "defaultUnlit";
}

void CloudScene::Upload(const UploadFrame& frame) {
  points_ = {};
  if (frame.num_points == 0) {
    if (Scene().HasGeometry(kCloud)) Scene().ShowGeometry(kCloud, false);
    widget_->ForceRedraw();
    return;
  }
  points_ = {static_cast<const Point3f*>(frame.positions.GetDataPtr()), frame.num_points};
  open3d::t::geometry::PointCloud cloud(frame.positions);
  cloud.SetPointColors(frame.colors);
  const auto capacity = static_cast<std::size_t>(frame.positions.GetLength());
  if (capacity == capacity_) {
    Scene().GetScene()->UpdateGeometry(
        kCloud, cloud, rendering::Scene::kUpdatePointsFlag | rendering::Scene::kUpdateColorsFlag);
    Scene().ShowGeometry(kCloud, true);
  } else {
    if (Scene().HasGeometry(kCloud)) Scene().RemoveGeometry(kCloud);
    Scene().AddGeometry(kCloud, &cloud, material_, false);
    Scene().GetScene()->SetGeometryCulling(kCloud, false);  // it would use the box of the first frame
    capacity_ = capacity;
  }
  widget_->ForceRedraw();
}

void CloudScene::FrameNewScene() {
  if (points_.empty() || view_moved_) return;
  const CloudView wanted = WantedView();
  if (!view_ || IsOtherScene(*view_, wanted)) SetView(wanted);
}

void CloudScene::ResetView() {
  if (!points_.empty()) SetView(WantedView());
}

void CloudScene::ScalePoints(float factor) {
  SetPointSize(std::clamp(material_.point_size * factor, 1.0f, 20.0f));
}

CloudView CloudScene::WantedView() const {
  const gui::Rect& frame = widget_->GetFrame();
  const float aspect =
      static_cast<float>(std::max(1, frame.width)) / static_cast<float>(std::max(1, frame.height));
  return FirstView(points_, aspect);
}

void CloudScene::SetView(const CloudView& view) {
  const Vector3f low = ToEigen(view.low), high = ToEigen(view.high), target = ToEigen(view.target);
  const Vector3f margin = Vector3f::Constant(0.1f * (high - low).norm() + 1e-3f);
  const open3d::geometry::AxisAlignedBoundingBox bounds((low - margin).cast<double>(),
                                                        (high + margin).cast<double>());
  widget_->SetupCamera(view.vertical_fov_deg, bounds, target);
  widget_->LookAt(target, ToEigen(view.eye), {0, -1, 0});  // the camera frame's y points down
  widget_->SetCenterOfRotation(target);
  // Points as large as it takes for the surfaces to look closed.
  const gui::Rect& frame = widget_->GetFrame();
  const float area = static_cast<float>(frame.width) * static_cast<float>(frame.height);
  const float size = std::ceil(std::sqrt(area / static_cast<float>(points_.size())));
  SetPointSize(scaling_() * std::clamp(size, 2.0f, 5.0f));
  view_ = view;
  view_moved_ = false;
}

void CloudScene::SetPointSize(float size_px) {
  material_.point_size = size_px;
  if (Scene().HasGeometry(kCloud)) Scene().ModifyGeometryMaterial(kCloud, material_);
  widget_->ForceRedraw();
  redraw_();
}

}  // namespace parallax::app
