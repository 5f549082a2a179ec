// The cloud in the window: its geometry, the lines drawn with it, and the viewpoint.
#pragma once

#include <open3d/core/Tensor.h>
#include <open3d/visualization/gui/Label3D.h>
#include <open3d/visualization/rendering/MaterialRecord.h>
#include <open3d/visualization/rendering/Open3DScene.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/output/ordered_json.h"
#include "app/pictures/cloud_view.h"
#include "app/view/cloud/cloud_lines.h"
#include "app/view/cloud/label_room.h"
#include "app/view/cloud/latest_jobs.h"
#include "app/view/cloud/point_pick.h"
#include "app/view/cloud/ruler.h"
#include "app/view/cloud/shown_cloud.h"
#include "app/view/window/cloud_widget.h"
#include "app/view/window/widgets.h"

namespace parallax::app {

// A point that the user picked.
struct PickedPoint {
  std::size_t index = 0;  // in the frame's cloud
  Point3f at;
  std::optional<Pixel> pixel;  // that it comes from
};

class CloudScene {
 public:
  enum class From { kFirst, kAbove, kSide };

  // redraw: called when a new drawing is needed. scaling: of the display. draws_in_software: there is no
  // graphics processor, so that fewer points are drawn while the scene moves.
  CloudScene(open3d::visualization::rendering::Renderer& renderer, std::function<void()> redraw,
             std::function<float()> scaling, bool draws_in_software);
  ~CloudScene();

  const std::shared_ptr<CloudWidget>& widget() const { return widget_; }
  std::function<void()> on_changed;  // the text about the cloud has changed
  std::function<void(const PickedPoint& point)> on_pick;

  // Colours, ranges and rulers are computed in a separate thread; the same geometry is then updated in place,
  // and added again only where it must grow. Drawn in software, clouds follow five times a second at most:
  // the latest one in any case. null: no cloud.
  void SetFrame(std::shared_ptr<const CloudFrame> frame);
  // Takes finished jobs.
  void Tick();
  // Whether a request is not on screen yet.
  bool IsBusy() const { return build_waits_ || jobs_.IsBusy() || has_results_ || is_thin_; }
  // Whether only a share of the points is drawn, until the scene rests.
  bool is_thin() const { return is_thin_; }

  void SetLook(const CloudLook& look);
  const CloudLook& look() const { return look_; }

  // Called once the widget has its place.
  void AfterLayout();
  // To be called in every drawing of the window, whose end must wait for the renderer (MainWindow::AfterDraw).
  void AfterDraw() { updates_before_ = std::exchange(updates_, {}); }
  void LookFrom(From from);
  void SetPointSize(float size_px);
  float point_size_px() const { return material_.point_size; }
  void ShowFrustum(bool shown);
  void ShowGrid(bool shown);
  bool frustum_shown() const { return frustum_shown_; }
  bool grid_shown() const { return grid_shown_; }

  // While the ruler is used, the next two clicks choose its ends.
  void UseRuler(bool used);
  bool ruler_used() const { return ruler_used_; }
  // Marks the point of a pixel; nullopt, or a pixel without a point: no mark.
  void MarkPixel(std::optional<Pixel> pixel);

  // The drawn frame: null before the first.
  const ShownCloud* shown() const { return built_ ? &built_->shown : nullptr; }
  const std::optional<PickedPoint>& marked() const { return marked_; }
  // One line: lengths, or what to do; empty without the ruler.
  std::string RulerText() const;
  OrderedJson State() const;

 private:
  struct Built {
    ShownCloud shown;
    open3d::core::Tensor positions, colors;            // capacity x 3 float, colours 0..1
    open3d::core::Tensor thin_positions, thin_colors;  // of a share of the points; empty: not needed
  };
  struct Results {
    std::mutex mutex;
    std::shared_ptr<Built> built;
    std::optional<RulerLength> ruler;
    long ruler_number = 0;
  };

  open3d::visualization::rendering::Open3DScene& Scene() const { return *widget_->GetScene(); }
  std::shared_ptr<Built> Build(const std::shared_ptr<const CloudFrame>& frame, const CloudLook& look);
  void RequestBuild();
  void Moves();
  void Upload();
  void Upload(const char* name, const open3d::core::Tensor& positions, const open3d::core::Tensor& colors,
              std::size_t& capacity_in_scene);
  open3d::visualization::rendering::MaterialRecord MaterialOf(const std::string& name) const;
  void ApplyMaterial();
  // Redraws the scene, and so the window.
  void Redraw();
  // Moves the camera so that the cloud fills the view, unless the user has turned it or the scene is still
  // the one in view.
  void FrameNewScene();
  CloudView WantedView(From from) const;
  void SetView(const CloudView& view);
  CloudProjection Projection() const;
  void Click(float x, float y);
  std::optional<PickedPoint> PointAt(std::size_t index) const;
  void AddToRuler(const PickedPoint& point);
  void RequestRuler();

  void DrawLines(const char* name, const std::vector<CloudLine>& lines, Rgb8 color, float width_px);
  // gives_way: texts for which there is no room are not drawn.
  void DrawTexts(std::vector<std::shared_ptr<gui::Label3D>>& labels, const std::vector<CloudText>& texts,
                 Rgb8 color, bool gives_way);
  void PlaceLabels();
  void HideLabels();
  void DrawSurroundings();
  void DrawMarks();
  void Changed();

  std::function<void()> redraw_;
  std::function<float()> scaling_;
  const bool draws_in_software_;
  std::shared_ptr<CloudWidget> widget_;
  open3d::visualization::rendering::MaterialRecord material_;
  std::shared_ptr<const CloudFrame> frame_;  // requested last
  CloudLook look_;
  std::shared_ptr<Built> built_;
  // Tensors of updates since the last drawing, and between that and the one before. Open3D does not copy them, and
  // the renderer's thread reads them until the end of the next drawing.
  std::vector<open3d::core::Tensor> updates_, updates_before_;
  std::size_t capacity_in_scene_ = 0, thin_capacity_in_scene_ = 0;  // points of the geometries
  using Clock = std::chrono::steady_clock;
  bool is_thin_ = false;
  bool build_waits_ = false;                                      // frame_ is not requested yet
  Clock::time_point moved_at_{}, frame_at_{}, build_asked_at_{};  // last
  Clock::duration still_after_{};                                 // of the last movement
  gui::Rect laid_out_;
  std::optional<CloudView> view_;  // set last
  bool view_moved_ = false;        // by the mouse since then
  bool frustum_shown_ = true, grid_shown_ = true;
  std::vector<std::shared_ptr<gui::Label3D>> grid_labels_, mark_labels_;
  struct PlacedLabel {
    std::shared_ptr<gui::Label3D> label;
    CloudText text;
    bool gives_way = false, shown = true;
  };
  std::vector<PlacedLabel> placed_labels_;  // all of them
  // The view at the last call of HideLabels; without a projection it has to look again.
  std::optional<CloudProjection> labels_seen_from_;
  const Built* labels_beside_ = nullptr;
  std::optional<PickedPoint> marked_;

  bool ruler_used_ = false;
  std::vector<PickedPoint> ruler_ends_;  // at most two
  std::optional<RulerLength> ruler_;     // between them, once measured
  long ruler_number_ = 0;                // of the measurement that is wanted

  Results results_;
  std::atomic<bool> has_results_ = false;
  std::unique_ptr<CloudMeasures> measures_;  // of the jobs only, as are the next four
  std::size_t capacity_ = 0;
  std::shared_ptr<const CloudFrame> whole_, measured_of_whole_;
  Ruler measured_;
  LatestJobs jobs_;  // last member: jobs use the others
};

}  // namespace parallax::app
