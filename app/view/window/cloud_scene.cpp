#include "app/view/window/cloud_scene.h"

#include <fmt/format.h>
#include <open3d/geometry/LineSet.h>
#include <open3d/t/geometry/PointCloud.h>
#include <open3d/visualization/rendering/Camera.h>
#include <open3d/visualization/rendering/View.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/output/number_text.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {
namespace {

namespace rendering = open3d::visualization::rendering;
using Eigen::Vector3f;
using open3d::core::Tensor;

constexpr char kCloud[] = "cloud", kThinCloud[] = "thin_cloud", kFrustum[] = "frustum", kGrid[] = "grid",
               kRulerLine[] = "ruler", kRulerPath[] = "ruler_path", kMarks[] = "marks", kPins[] = "pins";
constexpr Rgb8 kFrustumColor{255, 196, 64}, kMarkColor{255, 64, 64}, kRulerColor{255, 255, 255},
    kPathColor{255, 128, 240};

enum Job { kBuildJob, kRulerJob };

// Drawing a point takes about a microsecond without a GPU. While the scene moves, at most this many points of
// at most this size are drawn. All are drawn once it has stood still for a while.
constexpr std::size_t kMostThinPoints = 1 << 15;
constexpr float kLargestThinPoint_px = 4;
constexpr std::chrono::milliseconds kStill(400), kLongestStill(5000), kBetweenClouds(200);

// The renderer updates a geometry only within the size it was added with; and having drawn fewer points it
// never draws all again. So the size stays, rounded up, and the rest lies out of sight. It grows by a
// quarter at least, so that a cloud which grows from frame to frame is seldom added again.
std::size_t Grown(std::size_t capacity, std::size_t num_points) {
  constexpr std::size_t kStep = 1 << 16;
  if (num_points <= capacity) return capacity;
  const std::size_t wanted = std::max(num_points, capacity + capacity / 4);
  return (wanted + kStep - 1) / kStep * kStep;
}

Vector3f ToEigen(const Point3f& p) { return {p.x, p.y, p.z}; }
Eigen::Vector3d ToDouble(const Point3f& p) { return {p.x, p.y, p.z}; }
gui::Color ToGui(Rgb8 c) {
  return {static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255, static_cast<float>(c.b) / 255};
}

Point3f Between(Point3f a, Point3f b) { return {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)}; }

// capacity x 3: `count` rows, then copies of a point that no camera sees.
template <typename Row>
Tensor RowsOf(std::size_t count, std::size_t capacity, const Row& row) {
  constexpr float kOutOfSight = 1e15f;
  Tensor tensor = Tensor::Empty({static_cast<std::int64_t>(capacity), 3}, open3d::core::Float32);
  auto* out = tensor.GetDataPtr<float>();
  for (std::size_t i = 0; i < count; ++i, out += 3) row(i, out);
  std::fill(out, out + 3 * (capacity - count), kOutOfSight);
  return tensor;
}

// A subset of the points: a share is enough to find a viewpoint, which is needed for every frame.
std::vector<Point3f> SomeOf(const std::vector<Point3f>& points) {
  const std::size_t step = (points.size() + kMostThinPoints - 1) / kMostThinPoints;
  std::vector<Point3f> some;
  for (std::size_t i = 0; i < points.size(); i += step) some.push_back(points[i]);
  return some;
}

// The rows of every step-th point.
Tensor EveryRow(const Tensor& rows, std::size_t count, std::size_t step, std::size_t capacity) {
  const auto* from = rows.GetDataPtr<float>();
  return RowsOf((count + step - 1) / step, capacity,
                [&](std::size_t i, float* out) { std::copy_n(from + 3 * i * step, 3, out); });
}

}  // namespace

CloudScene::CloudScene(rendering::Renderer& renderer, std::function<void()> redraw,
                       std::function<float()> scaling, bool draws_in_software)
    : redraw_(std::move(redraw)),
      scaling_(std::move(scaling)),
      draws_in_software_(draws_in_software),
      widget_(std::make_shared<CloudWidget>()),
      measures_(MakeCpuCloudMeasures()) {
  widget_->SetScene(std::make_shared<rendering::Open3DScene>(renderer));
  // Open3D takes the colour for sRGB and does not convert it back. Converted here, the chosen colour is the
  // visible one.
  const auto seen_as = [](float value) { return std::pow(value, 1 / 2.2f); };
  const gui::Color& color = kPalette.scene;
  Scene().SetBackground({seen_as(color.GetRed()), seen_as(color.GetGreen()), seen_as(color.GetBlue()), 1.0f});
  Scene().GetView()->SetPostProcessing(false);  // no tone mapping: colours come out as they went in
  // All that is shown has its own colour: nothing is lit, so nothing casts a shadow.
  Scene().GetView()->SetShadowing(false, rendering::View::ShadowType::kPCF);
  Scene().GetScene()->EnableSunLightShadows(false);
  Scene().GetView()->SetAmbientOcclusion(false, false);
  widget_->EnableSceneCaching(true);  // redraws the cloud only if it has changed
  widget_->on_moved = [this] {
    view_moved_ = true;
    Moves();
    Redraw();
  };
  widget_->on_click = [this](float x, float y) { Click(x, y); };
  material_.shader = "defaultUnlit";
}

// The renderer ends after the scene and may still read tensors. They are kept until the program ends.
CloudScene::~CloudScene() {
  static std::vector<Tensor> kept;
  for (const std::vector<Tensor>* tensors : {&updates_, &updates_before_})
    kept.insert(kept.end(), tensors->begin(), tensors->end());
}

// --- points ---------------------------------------------------------------------

void CloudScene::SetFrame(std::shared_ptr<const CloudFrame> frame) {
  frame_ = std::move(frame);
  build_waits_ = frame_ && draws_in_software_ && Clock::now() - build_asked_at_ < kBetweenClouds;
  if (!build_waits_) RequestBuild();
}

void CloudScene::SetLook(const CloudLook& look) {
  if (look == look_) return;
  look_ = look;
  RequestBuild();
}

void CloudScene::RequestBuild() {
  if (!frame_) return;
  build_waits_ = false;
  build_asked_at_ = Clock::now();
  jobs_.Put(kBuildJob, [this, frame = frame_, look = look_] {
    std::shared_ptr<Built> built = Build(frame, look);
    const std::scoped_lock lock(results_.mutex);
    results_.built = std::move(built);
    has_results_ = true;
  });
}

// Runs in the thread of the jobs.
std::shared_ptr<CloudScene::Built> CloudScene::Build(const std::shared_ptr<const CloudFrame>& frame,
                                                     const CloudLook& look) {
  auto built = std::make_shared<Built>();
  if (whole_ != frame) {  // made once, so that what is shown of the frame stays the same frame
    whole_ = frame;
    measured_of_whole_ = WithoutFilled(frame);
  }
  built->shown = ShowCloud(look.show_filled ? frame : measured_of_whole_, look, *measures_);
  const std::vector<Point3f>& points = built->shown.points;
  const std::vector<Rgb8>& colors = built->shown.colors.colors;
  if (points.empty()) return built;
  capacity_ = Grown(capacity_, points.size());
  built->positions = RowsOf(points.size(), capacity_, [&](std::size_t i, float* out) {
    out[0] = points[i].x, out[1] = points[i].y, out[2] = points[i].z;
  });
  built->colors = RowsOf(points.size(), capacity_, [&](std::size_t i, float* out) {
    out[0] = static_cast<float>(colors[i].r) / 255.0f;
    out[1] = static_cast<float>(colors[i].g) / 255.0f;
    out[2] = static_cast<float>(colors[i].b) / 255.0f;
  });
  if (draws_in_software_ && points.size() > kMostThinPoints) {
    const std::size_t step = (points.size() + kMostThinPoints - 1) / kMostThinPoints;
    built->thin_positions = EveryRow(built->positions, points.size(), step, kMostThinPoints);
    built->thin_colors = EveryRow(built->colors, points.size(), step, kMostThinPoints);
  }
  return built;
}

void CloudScene::Tick() {
  PlaceLabels();
  if (build_waits_ && Clock::now() - build_asked_at_ >= kBetweenClouds) RequestBuild();
  if (is_thin_ && Clock::now() - moved_at_ > still_after_) {
    is_thin_ = false;
    Upload();
    Changed();
  }
  if (!has_results_) return;
  std::shared_ptr<Built> built;
  std::optional<RulerLength> ruler;
  {
    const std::scoped_lock lock(results_.mutex);
    built = std::move(results_.built);
    if (results_.ruler_number == ruler_number_) ruler = std::move(results_.ruler);
    results_.ruler.reset();
    has_results_ = false;
  }
  if (ruler) {
    ruler_ = std::move(ruler);
    DrawMarks();
  }
  if (built) {
    const bool same_frame = built_ && built_->shown.frame == built->shown.frame;
    const std::shared_ptr<Built> before = std::exchange(built_, std::move(built));
    if (!same_frame) {
      // Points of another frame: the marked pixel stays, the ruler has lost its ends.
      if (marked_ && marked_->pixel) {
        const std::optional<std::size_t> point =
            PointOfPixel(*built_->shown.frame, marked_->pixel->x, marked_->pixel->y);
        marked_ = point ? PointAt(*point) : std::nullopt;
      } else {
        marked_.reset();
      }
      ruler_ends_.clear();
      ruler_.reset();
      ++ruler_number_;
    }
    is_thin_ = !same_frame && before && built_->thin_positions.NumElements() > 0;
    if (!same_frame) {
      // While frames come one after the other it does not stand still between two of them.
      const Clock::time_point now = Clock::now();
      still_after_ = std::clamp<Clock::duration>(2 * (now - frame_at_), kStill, kLongestStill);
      if (now - frame_at_ > kLongestStill) still_after_ = kStill;
      moved_at_ = frame_at_ = now;
    }
    Upload();
    FrameNewScene();
    DrawSurroundings();
    DrawMarks();
  }
  Changed();
}

// The scene moves: from now on a share of the points has to do until it stands still.
void CloudScene::Moves() {
  moved_at_ = Clock::now();
  still_after_ = kStill;
  if (is_thin_ || !built_ || built_->thin_positions.NumElements() == 0) return;
  is_thin_ = true;
  Upload();
}

void CloudScene::Upload() {
  if (Scene().HasGeometry(kCloud)) Scene().ShowGeometry(kCloud, false);
  if (Scene().HasGeometry(kThinCloud)) Scene().ShowGeometry(kThinCloud, false);
  if (built_->shown.points.empty()) {
    is_thin_ = false;
  } else if (is_thin_) {
    Upload(kThinCloud, built_->thin_positions, built_->thin_colors, thin_capacity_in_scene_);
  } else {
    Upload(kCloud, built_->positions, built_->colors, capacity_in_scene_);
  }
  Redraw();
}

void CloudScene::Upload(const char* name, const Tensor& positions, const Tensor& colors,
                        std::size_t& capacity_in_scene) {
  open3d::t::geometry::PointCloud cloud(positions);
  cloud.SetPointColors(colors);
  const auto capacity = static_cast<std::size_t>(positions.GetLength());
  if (capacity == capacity_in_scene) {
    Scene().GetScene()->UpdateGeometry(
        name, cloud, rendering::Scene::kUpdatePointsFlag | rendering::Scene::kUpdateColorsFlag);
    updates_.insert(updates_.end(), {positions, colors});
    Scene().ShowGeometry(name, true);
  } else {
    if (Scene().HasGeometry(name)) Scene().RemoveGeometry(name);
    Scene().AddGeometry(name, &cloud, MaterialOf(name), false);
    Scene().GetScene()->SetGeometryCulling(name, false);  // culling would keep the first frame's box
    capacity_in_scene = capacity;
  }
}

rendering::MaterialRecord CloudScene::MaterialOf(const std::string& name) const {
  rendering::MaterialRecord material = material_;
  if (name == kThinCloud)
    material.point_size = std::max(material.point_size, scaling_() * kLargestThinPoint_px);
  return material;
}

void CloudScene::ApplyMaterial() {
  for (const char* name : {kCloud, kThinCloud}) {
    if (Scene().HasGeometry(name)) Scene().ModifyGeometryMaterial(name, MaterialOf(name));
  }
}

void CloudScene::Redraw() {
  constexpr int kSamples = 4;  // a pixel, for the edges
  Scene().GetView()->SetSampleCount(is_thin_ ? 1 : kSamples);
  widget_->ForceRedraw();
  redraw_();
}

void CloudScene::SetPointSize(float size_px) {
  material_.point_size = std::clamp(size_px, 1.0f, 20.0f);
  ApplyMaterial();
  Changed();
}

void CloudScene::Changed() {
  Redraw();
  if (on_changed) on_changed();
}

// --- where it is seen from --------------------------------------------------------

void CloudScene::AfterLayout() {
  const gui::Rect& frame = widget_->GetFrame();
  const gui::Rect before = std::exchange(laid_out_, frame);
  if (frame == before) return;
  Redraw();
  // In a pane with a very different shape the view would be cut off at its sides, or small.
  const auto aspect = [](const gui::Rect& pane) { return pane.width / std::max(1.0, 1.0 * pane.height); };
  const bool is_alike = std::abs(aspect(frame) - aspect(before)) < 0.1 * aspect(before);
  if (view_ && built_ && !built_->shown.points.empty() && !view_moved_ && !is_alike)
    SetView(WantedView(From::kFirst));
  else
    FrameNewScene();
}

void CloudScene::FrameNewScene() {
  if (!built_ || built_->shown.points.empty() || view_moved_) return;
  const CloudView wanted = WantedView(From::kFirst);
  if (!view_ || IsOtherScene(*view_, wanted)) SetView(wanted);
}

void CloudScene::LookFrom(From from) {
  if (!built_ || built_->shown.points.empty()) return;
  SetView(WantedView(from));
  view_moved_ = from != From::kFirst;  // frames to come are looked at in the same way
  Changed();
}

CloudView CloudScene::WantedView(From from) const {
  const gui::Rect& frame = widget_->GetFrame();
  const float aspect =
      static_cast<float>(std::max(1, frame.width)) / static_cast<float>(std::max(1, frame.height));
  const std::vector<Point3f> points = SomeOf(built_->shown.points);
  switch (from) {
    case From::kAbove:
      return BirdsEyeView(points, aspect);
    case From::kSide:
      return SideView(points, aspect);
    case From::kFirst:
      break;
  }
  return FirstView(points, aspect);
}

void CloudScene::SetView(const CloudView& view) {
  const Vector3f low = ToEigen(view.low), high = ToEigen(view.high), target = ToEigen(view.target);
  const Vector3f margin = Vector3f::Constant(0.1f * (high - low).norm() + 1e-3f);
  const open3d::geometry::AxisAlignedBoundingBox bounds((low - margin).cast<double>(),
                                                        (high + margin).cast<double>());
  widget_->SetupCamera(view.vertical_fov_deg, bounds, target);
  widget_->LookAt(target, ToEigen(view.eye), ToEigen(view.up));
  widget_->SetCenterOfRotation(target);
  // Points as large as it takes for the surfaces to look closed.
  const gui::Rect& frame = widget_->GetFrame();
  const float area = static_cast<float>(frame.width) * static_cast<float>(frame.height);
  const float size = std::ceil(1.5f * std::sqrt(area / static_cast<float>(built_->shown.points.size())));
  material_.point_size = scaling_() * std::clamp(size, 2.0f, 5.0f);
  ApplyMaterial();
  view_ = view;
  view_moved_ = false;
}

// --- lines, marks, the ruler --------------------------------------------------------

void CloudScene::DrawLines(const char* name, const std::vector<CloudLine>& lines, Rgb8 color,
                           float width_px) {
  if (Scene().HasGeometry(name)) Scene().RemoveGeometry(name);
  if (lines.empty()) return;
  open3d::geometry::LineSet set;
  const Eigen::Vector3d rgb(color.r / 255.0, color.g / 255.0, color.b / 255.0);
  for (const CloudLine& line : lines) {
    const auto first = static_cast<int>(set.points_.size());
    set.points_.push_back(ToDouble(line.from));
    set.points_.push_back(ToDouble(line.to));
    set.lines_.emplace_back(first, first + 1);
    set.colors_.push_back(rgb);
  }
  rendering::MaterialRecord material;
  material.shader = "unlitLine";
  material.line_width = scaling_() * width_px;
  Scene().AddGeometry(name, &set, material, false);
  Scene().GetScene()->SetGeometryCulling(name, false);
}

void CloudScene::DrawTexts(std::vector<std::shared_ptr<gui::Label3D>>& labels,
                           const std::vector<CloudText>& texts, Rgb8 color, bool gives_way) {
  for (const std::shared_ptr<gui::Label3D>& label : labels) {
    widget_->RemoveLabel(label);
    std::erase_if(placed_labels_, [&](const PlacedLabel& placed) { return placed.label == label; });
  }
  labels.clear();
  for (const CloudText& text : texts) {
    labels.push_back(widget_->AddLabel(ToEigen(text.at), text.text.c_str()));
    labels.back()->SetTextColor(ToGui(color));
    placed_labels_.push_back({labels.back(), text, gives_way});
  }
  labels_seen_from_.reset();
  PlaceLabels();
}

// Open3D 0.16 draws a label too high by twice the height at which the scene begins in the window. So it gets
// a position that is seen as far below its own.
void CloudScene::PlaceLabels() {
  const rendering::Camera& camera = *Scene().GetCamera();
  const gui::Rect& frame = widget_->GetFrame();
  const double tangent = std::tan(camera.GetFieldOfView() * std::numbers::pi / 360);
  const auto offset = static_cast<float>(4 * tangent * frame.y / std::max(1, frame.height));
  for (const PlacedLabel& placed : placed_labels_) {
    const Vector3f at = ToEigen(placed.text.at);
    const float depth = (at - camera.GetPosition()).dot(camera.GetForwardVector());
    placed.label->SetPosition(at - offset * depth * camera.GetUpVector());
  }
  HideLabels();
}

void CloudScene::HideLabels() {
  const CloudProjection projection = Projection();
  if (placed_labels_.empty() || (labels_seen_from_ == projection && labels_beside_ == built_.get())) return;
  labels_seen_from_ = projection;
  labels_beside_ = built_.get();
  std::vector<WantedText> wanted;
  for (const PlacedLabel& placed : placed_labels_) wanted.push_back({placed.text, placed.gives_way});
  const std::vector<Point3f> points = built_ ? SomeOf(built_->shown.points) : std::vector<Point3f>{};
  const std::vector<bool> have_room = HaveRoom(wanted, points, projection, scaling_());
  bool has_changed = false;
  for (std::size_t i = 0; i < placed_labels_.size(); ++i) {
    PlacedLabel& placed = placed_labels_[i];
    if (have_room[i] == placed.shown) continue;
    placed.shown = have_room[i];
    placed.label->SetText(placed.shown ? placed.text.text.c_str() : "");
    has_changed = true;
  }
  if (has_changed) Redraw();
}

void CloudScene::ShowFrustum(bool shown) {
  frustum_shown_ = shown;
  DrawSurroundings();
  Changed();
}

void CloudScene::ShowGrid(bool shown) {
  grid_shown_ = shown;
  DrawSurroundings();
  Changed();
}

void CloudScene::DrawSurroundings() {
  CloudLines frustum, grid;
  if (built_ && view_ && !built_->shown.points.empty()) {
    const CloudFrame& frame = *built_->shown.frame;
    const float reach = std::max(std::abs(view_->high.z), 1e-3f);
    if (frustum_shown_ && frame.rig)
      frustum = FrustumLines(*frame.rig, frame.width, frame.height, 0.06f * reach);
    if (grid_shown_) grid = GridLines(built_->shown.ground, view_->low, view_->high);
  }
  DrawLines(kFrustum, frustum.lines, kFrustumColor, 2);
  DrawLines(kGrid, grid.lines, kPalette.grid, 1);
  DrawTexts(grid_labels_, grid.texts, kPalette.scene_text, true);
}

void CloudScene::DrawMarks() {
  std::vector<std::pair<Point3f, Rgb8>> marks;
  std::vector<CloudText> texts;
  if (marked_) marks.emplace_back(marked_->at, kMarkColor);
  for (std::size_t i = 0; i < ruler_ends_.size(); ++i) {
    marks.emplace_back(ruler_ends_[i].at, kRulerColor);
    texts.push_back({ruler_ends_[i].at, i == 0 ? "A" : "B"});
  }
  std::vector<CloudLine> straight, path;
  if (ruler_ends_.size() == 2) {
    straight.push_back({ruler_ends_[0].at, ruler_ends_[1].at});
    if (ruler_) {
      for (std::size_t i = 1; i < ruler_->path.size(); ++i)
        path.push_back({ruler_->path[i - 1], ruler_->path[i]});
      texts.push_back({Between(ruler_ends_[0].at, ruler_ends_[1].at), FourDigits(ruler_->straight_m) + " m"});
      if (ruler_->geodesic_m && !ruler_->path.empty()) {
        texts.push_back({ruler_->path[ruler_->path.size() / 2],
                         FourDigits(*ruler_->geodesic_m) + " m along the surface"});
      }
    }
  }
  // Points around one would hide it: a pin stands on each.
  std::vector<CloudLine> pins;
  const Vector3f eye = Scene().GetCamera()->GetPosition();
  for (const auto& [at, color] : marks) {
    constexpr float kHeight = 0.03f;  // of the distance
    pins.push_back({at, {at.x, at.y - kHeight * (ToEigen(at) - eye).norm(), at.z}});
  }
  DrawLines(kPins, pins, kMarkColor, 3);
  DrawLines(kRulerLine, straight, kRulerColor, 2);
  DrawLines(kRulerPath, path, kPathColor, 3);
  DrawTexts(mark_labels_, texts, kRulerColor, false);

  if (Scene().HasGeometry(kMarks)) Scene().RemoveGeometry(kMarks);
  if (marks.empty()) return;
  const auto count = static_cast<std::size_t>(marks.size());
  open3d::t::geometry::PointCloud points(RowsOf(count, count, [&](std::size_t i, float* out) {
    out[0] = marks[i].first.x, out[1] = marks[i].first.y, out[2] = marks[i].first.z;
  }));
  points.SetPointColors(RowsOf(count, count, [&](std::size_t i, float* out) {
    out[0] = static_cast<float>(marks[i].second.r) / 255.0f;
    out[1] = static_cast<float>(marks[i].second.g) / 255.0f;
    out[2] = static_cast<float>(marks[i].second.b) / 255.0f;
  }));
  rendering::MaterialRecord material;
  material.shader = "defaultUnlit";
  material.point_size = scaling_() * 12;
  Scene().AddGeometry(kMarks, &points, material, false);
  Scene().GetScene()->SetGeometryCulling(kMarks, false);
}

CloudProjection CloudScene::Projection() const {
  const rendering::Camera& camera = *Scene().GetCamera();
  const Eigen::Matrix4f matrix = camera.GetProjectionMatrix().matrix() * camera.GetViewMatrix().matrix();
  CloudProjection projection{};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column)
      projection.clip_from_cloud[static_cast<std::size_t>(4 * row + column)] = matrix(row, column);
  }
  projection.width = std::max(1, widget_->GetFrame().width);
  projection.height = std::max(1, widget_->GetFrame().height);
  return projection;
}

std::optional<PickedPoint> CloudScene::PointAt(std::size_t index) const {
  const CloudFrame& frame = *built_->shown.frame;
  if (index >= frame.cloud.size()) return std::nullopt;
  return PickedPoint{index, frame.cloud.points[index], PixelOfPoint(frame, index)};
}

void CloudScene::Click(float x, float y) {
  if (!built_) return;
  const float radius_px = std::max(4.0f * scaling_(), material_.point_size);
  const std::optional<std::size_t> picked =
      PickPoint(built_->shown.points, {}, Projection(), x, y, radius_px);
  if (!picked) return;
  const std::optional<PickedPoint> point = PointAt(built_->shown.IndexInFrame(*picked));
  if (!point) return;
  marked_ = point;
  if (ruler_used_) AddToRuler(*point);
  DrawMarks();
  Changed();
  if (on_pick) on_pick(*point);
}

void CloudScene::MarkPixel(std::optional<Pixel> pixel) {
  marked_.reset();
  if (pixel && built_) {
    const std::optional<std::size_t> point = PointOfPixel(*built_->shown.frame, pixel->x, pixel->y);
    if (point) marked_ = PointAt(*point);
  }
  DrawMarks();
  Changed();
}

void CloudScene::UseRuler(bool used) {
  ruler_used_ = used;
  ruler_ends_.clear();
  ruler_.reset();
  ++ruler_number_;
  DrawMarks();
  Changed();
}

void CloudScene::AddToRuler(const PickedPoint& point) {
  if (ruler_ends_.size() == 2) ruler_ends_.clear();
  ruler_ends_.push_back(point);
  ruler_.reset();
  ++ruler_number_;
  if (ruler_ends_.size() == 2) RequestRuler();
}

void CloudScene::RequestRuler() {
  jobs_.Put(kRulerJob, [this, frame = built_->shown.frame, from = ruler_ends_[0].index,
                        to = ruler_ends_[1].index, number = ruler_number_] {
    RulerLength length = measured_.Measure(frame, from, to, *measures_);
    const std::scoped_lock lock(results_.mutex);
    results_.ruler = std::move(length);
    results_.ruler_number = number;
    has_results_ = true;
  });
}

std::string CloudScene::RulerText() const {
  if (!ruler_used_) return {};
  if (ruler_ends_.empty()) return "ruler: click a point of the cloud";
  if (ruler_ends_.size() == 1) return "ruler: click the second point";
  if (!ruler_) return "ruler: measuring";
  std::string text = "ruler: straight " + FourDigits(ruler_->straight_m) + " m";
  if (ruler_->geodesic_m) text += ", along the surface " + FourDigits(*ruler_->geodesic_m) + " m";
  if (!ruler_->note.empty()) text += " (" + ruler_->note + ")";
  return text;
}

// --- what others read ---------------------------------------------------------------

OrderedJson CloudScene::State() const {
  const auto json_of = [&](const PickedPoint& point) {
    const CloudFrame& frame = *built_->shown.frame;
    const auto index = frame.index_in_file.empty()
                           ? point.index
                           : static_cast<std::size_t>(frame.index_in_file[point.index]);
    OrderedJson json = {{"index", index}, {"x", point.at.x}, {"y", point.at.y}, {"z", point.at.z}};
    if (point.pixel) json["pixel"] = {point.pixel->x, point.pixel->y};
    if (const std::optional<PanePoint> place = Project(Projection(), point.at)) {
      const gui::Rect& frame_px = widget_->GetFrame();
      json["place"] = {place->x + static_cast<float>(frame_px.x), place->y + static_cast<float>(frame_px.y)};
    }
    return json;
  };
  OrderedJson json = {{"coloring", kCloudColoringNames[static_cast<std::size_t>(look_.coloring)]},
                      {"near_m", look_.near_m},
                      {"far_m", look_.far_m},
                      {"point_size", material_.point_size},
                      {"frustum", frustum_shown_},
                      {"grid", grid_shown_},
                      {"busy", IsBusy()},
                      {"thin", is_thin_},
                      {"moved", view_moved_}};
  if (built_) {
    const ShownCloud& shown = built_->shown;
    json["shown_coloring"] = kCloudColoringNames[static_cast<std::size_t>(shown.look.coloring)];
    json["num_points"] = shown.frame->cloud.size();
    json["num_drawn"] = shown.points.size();
    json["note"] = shown.colors.note;
    if (shown.colors.scale) json["scale"] = {shown.colors.scale->low, shown.colors.scale->high};
    json["ground"] = shown.has_ground;
    const rendering::Camera& camera = *Scene().GetCamera();
    for (const auto& [name, vector] :
         {std::pair("eye", camera.GetPosition()), {"forward", camera.GetForwardVector()}})
      json[name] = {vector[0], vector[1], vector[2]};
  }
  json["labels"] = OrderedJson::array();
  for (const PlacedLabel& placed : placed_labels_) {
    if (placed.shown) json["labels"] += placed.text.text;
  }
  const gui::Rect& frame = widget_->GetFrame();
  json["frame"] = {frame.x, frame.y, frame.width, frame.height};
  if (marked_) json["marked"] = json_of(*marked_);
  OrderedJson& ruler = json["ruler"] = {{"used", ruler_used_}, {"ends", OrderedJson::array()}};
  for (const PickedPoint& end : ruler_ends_) ruler["ends"] += json_of(end);
  if (ruler_) {
    ruler["straight_m"] = ruler_->straight_m;
    if (ruler_->geodesic_m) ruler["geodesic_m"] = *ruler_->geodesic_m;
    if (ruler_->voxel_m) ruler["voxel_m"] = *ruler_->voxel_m;
    ruler["note"] = ruler_->note;
  }
  return json;
}

}  // namespace parallax::app
