#include "app/view/window/cloud_pane.h"

#include <fmt/format.h>
#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/gui/UIImage.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "app/output/number_text.h"
#include "app/pictures/colormap.h"
#include "app/view/window/side_panel.h"

namespace parallax::app {
namespace {

constexpr int kNumColorings = static_cast<int>(std::size(kCloudColoringNames));
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Depths as the controls show them: 0 = no limit.
double ShownLimit(float limit_m) { return std::isfinite(limit_m) ? static_cast<double>(limit_m) : 0; }

Open3DImage ScaleImage(bool near_is_light) {
  constexpr int kNumColors = 256;
  auto image = std::make_shared<open3d::geometry::Image>();
  image->Prepare(kNumColors, 1, 3, 1);
  for (int i = 0; i < kNumColors; ++i) {
    const float t = static_cast<float>(i) / (kNumColors - 1);
    const Rgb8 color = ColorOf(near_is_light ? 1 - t : t);
    std::uint8_t* out = image->data_.data() + 3 * static_cast<std::size_t>(i);
    out[0] = color.r, out[1] = color.g, out[2] = color.b;
  }
  return image;
}

}  // namespace

CloudPane::CloudPane(const WindowRooms& rooms, open3d::visualization::rendering::Renderer& renderer,
                     bool draws_in_software)
    : rooms_(rooms),
      scene_(renderer, rooms.redraw, rooms.scaling, draws_in_software),
      text_(MakeDimLabel()),
      scale_low_(MakeDimLabel()),
      scale_high_(MakeDimLabel()),
      scale_label_(MakeDimLabel()),
      scale_(std::make_shared<ScaleWidget>()),
      caption_(std::make_shared<Pane>(rooms.em(),
                                      std::vector<WidgetPtr>{text_, gui::Horiz::MakeStretch(), scale_label_,
                                                             scale_low_, scale_, scale_high_},
                                      nullptr)) {
  scale_->SetVisible(false);
  scene_.on_changed = [this] { Update(); };
  scene_.on_pick = [this](const PickedPoint& point) {
    rooms_.tell(fmt::format(
        "point {}: X {:.3f}  Y {:.3f}  Z {:.3f} m{}", point.index, point.at.x, point.at.y, point.at.z,
        point.pixel ? fmt::format(", pixel {}, {}", point.pixel->x, point.pixel->y) : ""));
    if (on_pick) on_pick(point.pixel ? point.pixel->x : -1, point.pixel ? point.pixel->y : -1);
  };
  AddCommands();
  AddSection();
  FilledChanged();
  rooms.state.Add("cloud", [this] { return scene_.State(); });
}

void CloudPane::AddCommands() {
  using From = CloudScene::From;
  CommandTable& commands = rooms_.commands;
  commands.Add(
      {"reset_view", "R", "look at the cloud as at first", [this] { scene_.LookFrom(From::kFirst); }});
  commands.Add({"birds_eye", "U", "look at the cloud from above", [this] { scene_.LookFrom(From::kAbove); }});
  commands.Add(
      {"side_view", "J", "look at the cloud from the right", [this] { scene_.LookFrom(From::kSide); }});
  commands.Add({"larger_points", "+ =", "larger points",
                [this] { scene_.SetPointSize(1.25f * scene_.point_size_px()); }});
  commands.Add({"smaller_points", "-", "smaller points",
                [this] { scene_.SetPointSize(0.8f * scene_.point_size_px()); }});
  commands.Add(
      {"cloud_colors", "C", "colour the cloud by image, depth, height, confidence, density, error", [this] {
         Recolor(static_cast<CloudColoring>((static_cast<int>(scene_.look().coloring) + 1) % kNumColorings));
       }});
  commands.Add({"cloud_camera", "F", "show or hide the camera",
                [this] { scene_.ShowFrustum(!scene_.frustum_shown()); }});
  commands.Add({"cloud_grid", "G", "show or hide the grid on the ground",
                [this] { scene_.ShowGrid(!scene_.grid_shown()); }});
  commands.Add({"ruler", "L", "measure between two clicked points of the cloud",
                [this] { scene_.UseRuler(!scene_.ruler_used()); }});
  // Multiplies the far limit by a factor. Without a limit it starts from the depth that 98 % of the points
  // lie within.
  const auto scale_far = [this](double factor) {
    const ShownCloud* shown = scene_.shown();
    if (shown == nullptr) return;
    const CloudLook& look = scene_.look();
    std::vector<float> depths;
    for (const Point3f& p : shown->frame->cloud.points) depths.push_back(p.z);
    const double all = QuantileOf(depths, 0.98);
    const double far_m = factor * (std::isfinite(look.far_m) ? static_cast<double>(look.far_m) : all);
    SetRange(ShownLimit(look.near_m), far_m < all || factor < 1 ? far_m : 0);
  };
  commands.Add({"cloud_nearer", "Y", "show a quarter less of the depth", [scale_far] { scale_far(0.75); }});
  commands.Add(
      {"cloud_farther", "Shift+Y", "show a third more of the depth", [scale_far] { scale_far(4.0 / 3); }});
  commands.Add({"cloud_all", "K", "show all depths of the cloud", [this] { SetRange(0, 0); }});
}

void CloudPane::AddSection() {
  const int em = rooms_.em();
  const std::shared_ptr<gui::CollapsableVert> section = rooms_.panel.AddSection("Cloud", true);
  auto rows = std::make_shared<gui::VGrid>(2, em / 4);
  const auto add_row = [&](const char* name, const WidgetPtr& control, const char* control_name,
                           const char* tooltip) {
    control->SetTooltip(tooltip);
    auto label = std::make_shared<gui::Label>(name);
    rows->AddChild(label);
    rows->AddChild(control);
    rooms_.add_control(control_name, control);
    return label;
  };
  coloring_ = std::make_shared<ListBox>();
  for (const std::string_view name : kCloudColoringNames) coloring_->AddItem(std::string(name).c_str());
  coloring_->SetOnValueChanged(
      [this](const char*, int index) { Recolor(static_cast<CloudColoring>(index)); });
  add_row("colours", coloring_, "cloud.coloring", "Meaning of the points' colours");
  size_ = std::make_shared<gui::Slider>(gui::Slider::DOUBLE);
  size_->SetLimits(1, 20);
  size_->SetOnValueChanged([this](double value) { scene_.SetPointSize(static_cast<float>(value)); });
  add_row("point size, px", size_, "cloud.point_size", "Size of a drawn point");
  near_ = std::make_shared<gui::NumberEdit>(gui::NumberEdit::DOUBLE);
  far_ = std::make_shared<gui::NumberEdit>(gui::NumberEdit::DOUBLE);
  for (const auto& edit : {near_, far_}) {
    edit->SetLimits(0, 1e6);
    edit->SetDecimalPrecision(2);
    edit->SetOnValueChanged([this](double) { SetRange(near_->GetDoubleValue(), far_->GetDoubleValue()); });
  }
  near_name_ =
      add_row("nearest, m", near_, "cloud.near", "Points at smaller depths are not drawn; 0: no limit");
  far_name_ = add_row("farthest, m", far_, "cloud.far", "Points at larger depths are not drawn; 0: no limit");
  section->AddChild(rows);

  const auto add_box = [&](std::shared_ptr<gui::Checkbox>& box, const char* name, const char* control_name,
                           const char* command, const char* tooltip) {
    box = std::make_shared<gui::Checkbox>(name);
    box->SetTooltip(tooltip);
    box->SetOnChecked([this, command](bool) { rooms_.commands.Run(command); });
    rooms_.add_control(control_name, box);
    section->AddChild(box);
  };
  add_box(frustum_, "camera", "cloud.camera", "cloud_camera", "The left camera and what it sees");
  add_box(grid_, "grid on the ground", "cloud.grid", "cloud_grid", "Squares of a round number of metres");
  add_box(ruler_, "ruler", "cloud.ruler", "ruler", "Click two points: straight and along the surface");

  auto views = std::make_shared<gui::Horiz>(em / 2);
  const auto add_button = [&](const char* text, const char* control_name, const char* command) {
    auto button = std::make_shared<gui::Button>(text);
    button->SetPaddingEm(0.6f, 0.1f);
    button->SetOnClicked([this, command] { rooms_.commands.Run(command); });
    rooms_.add_control(control_name, button);
    views->AddChild(button);
  };
  add_button("First view", "cloud.first", "reset_view");
  add_button("Above", "cloud.above", "birds_eye");
  add_button("Side", "cloud.side", "side_view");
  section->AddChild(views);
}

void CloudPane::Recolor(CloudColoring coloring) {
  CloudLook look = scene_.look();
  look.coloring = coloring;
  scene_.SetLook(look);
  Update();
}

void CloudPane::SetRange(double near_m, double far_m) {
  CloudLook look = scene_.look();
  look.near_m = near_m > 0 ? static_cast<float>(near_m) : -kInfinity;
  look.far_m = far_m > 0 ? static_cast<float>(far_m) : kInfinity;
  scene_.SetLook(look);
  Update();
}

void CloudPane::FilledChanged() {
  CloudLook look = scene_.look();
  look.show_filled = rooms_.show_filled();
  scene_.SetLook(look);
  Update();
}

void CloudPane::MarkPixel(int x, int y) {
  scene_.MarkPixel(x < 0 || y < 0 ? std::nullopt : std::optional(Pixel{x, y}));
}

void CloudPane::Show(const ViewerFrame& frame) {
  if (frame.keeps_cloud) return;
  about_ = frame.cloud_caption;
  num_points_ = frame.cloud_frame ? frame.cloud_frame->cloud.size() : 0;
  // Two clouds are looked at for their distance.
  const bool has_distances = frame.cloud_frame && !frame.cloud_frame->distances_m.empty();
  if (has_distances && !std::exchange(had_distances_, true)) Recolor(CloudColoring::kDistance);
  scene_.SetFrame(frame.cloud_frame);
  Update();
}

void CloudPane::Tick() {
  scene_.Tick();
  const int width_em = caption_->GetFrame().width / std::max(1, rooms_.em());
  if (std::exchange(width_em_, width_em) != width_em) Update();
}

void CloudPane::Update() {
  std::string text = about_;
  const ShownCloud* shown = scene_.shown();
  const ValueScale* scale = nullptr;
  if (shown != nullptr) {
    if (shown->frame->cloud.size() < num_points_)
      text += ", " + WithThousands(shown->frame->cloud.size()) + " measured";
    if (shown->points.size() < shown->frame->cloud.size() && !shown->points.empty())
      text += ", " + WithThousands(shown->points.size()) + " drawn";
    if (shown->points.empty() && shown->frame->cloud.size() > 0)
      text += ", none at the depths that are shown";
    if (scene_.is_thin()) text += ", partly drawn during movement";
    if (!shown->colors.note.empty()) text += "    " + shown->colors.note;
    if (shown->colors.scale && !shown->points.empty()) scale = &*shown->colors.scale;
  }
  if (const std::string ruler = scene_.RulerText(); !ruler.empty()) text += "    " + ruler;
  // On a narrow line the colours get shorter first, then the scale loses its name, then the text loses its
  // end.
  constexpr double kCharacter_em = 0.5, kSpaces_em = 4;
  const double text_em = kCharacter_em * static_cast<double>(text.size()),
               label_em = scale != nullptr ? kCharacter_em * static_cast<double>(scale->label.size()) : 0;
  double room_em = width_em_ - kSpaces_em;
  int colors_em = 0;
  bool has_label = false;
  if (scale != nullptr) {
    room_em -= kCharacter_em * static_cast<double>((FourDigits(scale->low) + FourDigits(scale->high)).size());
    colors_em = std::clamp(static_cast<int>(room_em - text_em - label_em), 3, 10);
    room_em -= colors_em;
    has_label = text_em + label_em <= room_em;
  }
  if (width_em_ > 0 && !has_label && text_em > room_em) {
    const auto num_characters = static_cast<std::size_t>(std::max(0.0, room_em / kCharacter_em - 3));
    text = text.substr(0, num_characters) + "...";
  }
  text_->SetText(text.empty() ? " " : text.c_str());
  scale_->SetWidth(colors_em);
  scale_label_->SetText(has_label ? scale->label.c_str() : " ");
  scale_low_->SetText(scale != nullptr ? FourDigits(scale->low).c_str() : " ");
  scale_high_->SetText(scale != nullptr ? FourDigits(scale->high).c_str() : " ");
  scale_->SetVisible(scale != nullptr);
  if (scale != nullptr) {
    scale_->UpdateImage(ScaleImage(shown->colors.near_is_light));
    scale_->GetUIImage()->SetScaling(gui::UIImage::Scaling::ANY);
  }
  coloring_->SetSelectedIndex(static_cast<int>(scene_.look().coloring));
  size_->SetValue(static_cast<double>(scene_.point_size_px()));
  // 0 in the fields.
  near_name_->SetText(std::isfinite(scene_.look().near_m) ? "nearest, m" : "nearest: no limit");
  far_name_->SetText(std::isfinite(scene_.look().far_m) ? "farthest, m" : "farthest: no limit");
  near_->SetValue(ShownLimit(scene_.look().near_m));
  far_->SetValue(ShownLimit(scene_.look().far_m));
  frustum_->SetChecked(scene_.frustum_shown());
  grid_->SetChecked(scene_.grid_shown());
  ruler_->SetChecked(scene_.ruler_used());
  rooms_.relayout();
}

}  // namespace parallax::app
