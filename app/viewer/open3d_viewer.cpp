// The window on Open3D's GUI. The only file that includes Open3D.
#include <open3d/core/Tensor.h>
#include <open3d/geometry/Image.h>
#include <open3d/t/geometry/PointCloud.h>
#include <open3d/utility/Logging.h>
#include <open3d/visualization/gui/Application.h>
#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/gui/Events.h>
#include <open3d/visualization/gui/ImageWidget.h>
#include <open3d/visualization/gui/Label.h>
#include <open3d/visualization/gui/Layout.h>
#include <open3d/visualization/gui/SceneWidget.h>
#include <open3d/visualization/gui/Theme.h>
#include <open3d/visualization/gui/UIImage.h>
#include <open3d/visualization/gui/Window.h>
#include <open3d/visualization/rendering/Camera.h>
#include <open3d/visualization/rendering/MaterialRecord.h>
#include <open3d/visualization/rendering/Open3DScene.h>
#include <open3d/visualization/rendering/View.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/cloud_view.h"
#include "app/viewer/display_check.h"
#include "app/viewer/mailbox.h"
#include "app/viewer/module.h"
#include "app/window_layout.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace gui = open3d::visualization::gui;
namespace rendering = open3d::visualization::rendering;
using Eigen::Vector3f;
using open3d::core::Tensor;
using Open3DImage = std::shared_ptr<open3d::geometry::Image>;
using WidgetPtr = std::shared_ptr<gui::Widget>;

constexpr char kCloud[] = "cloud";
constexpr std::size_t kCapacityStep = 1 << 16;  // points

// --- a frame in the form the renderer takes it --------------------------------

// Made by the caller of Show, so that the window only hands it on.
struct UploadFrame {
  std::string name, status, image_caption, disparity_caption, cloud_caption, scale_low, scale_high;
  Open3DImage image, disparity, scale;
  std::size_t num_points = 0;
  Tensor positions, colors;  // capacity x 3 float, colours 0..1; behind num_points copies of the last point
};

Open3DImage ToOpen3D(const HostImage<Rgb8>& image) {
  if (image.Empty()) return nullptr;
  auto result = std::make_shared<open3d::geometry::Image>();
  result->Prepare(image.width(), image.height(), 3, 1);
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(result->data_.data() + static_cast<std::size_t>(y) * row_bytes, image.Row(y), row_bytes);
  }
  return result;
}

HostImage<Rgb8> FromOpen3D(const Tensor& pixels) {
  HostImage<Rgb8> image(static_cast<int>(pixels.GetShape(1)), static_cast<int>(pixels.GetShape(0)));
  const auto* data = pixels.GetDataPtr<std::uint8_t>();
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(image.Row(y), data + static_cast<std::size_t>(y) * row_bytes, row_bytes);
  }
  return image;
}

// The renderer updates a geometry only within the size it was added with; and having drawn fewer points it
// never draws all again. So the size stays, rounded up, and the rest repeats the last point.
std::size_t CapacityFor(std::size_t num_points) {
  return (num_points + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
}

void CopyCloud(const PointCloud& cloud, std::size_t capacity, UploadFrame& frame) {
  frame.num_points = cloud.size();
  if (cloud.points.empty()) return;
  const auto rows = static_cast<std::int64_t>(capacity);
  frame.positions = Tensor::Empty({rows, 3}, open3d::core::Float32);
  frame.colors = Tensor::Empty({rows, 3}, open3d::core::Float32);
  auto* position = frame.positions.GetDataPtr<float>();
  auto* color = frame.colors.GetDataPtr<float>();
  const bool has_color = cloud.colors.size() == cloud.points.size();
  for (std::size_t i = 0; i < capacity; ++i) {
    const std::size_t source = std::min(i, cloud.size() - 1);
    const Point3f& p = cloud.points[source];
    const Rgb8 c = has_color ? cloud.colors[source] : Rgb8{220, 220, 220};
    *position++ = p.x, *position++ = p.y, *position++ = p.z;
    *color++ = static_cast<float>(c.r) / 255.0f;
    *color++ = static_cast<float>(c.g) / 255.0f;
    *color++ = static_cast<float>(c.b) / 255.0f;
  }
}

Vector3f ToEigen(const Point3f& p) { return {p.x, p.y, p.z}; }

// --- widgets --------------------------------------------------------------------

const gui::Color kDimText(0.62f, 0.66f, 0.70f);

std::shared_ptr<gui::Label> MakeDimLabel(const char* text = " ") {
  auto label = std::make_shared<gui::Label>(text);
  label->SetTextColor(kDimText);
  return label;
}

// Moves a label down to the line of the texts in the buttons beside it.
WidgetPtr BesideButtons(WidgetPtr label, int em) {
  return std::make_shared<gui::Vert>(0, gui::Margins(0, em / 4, 0, 0),
                                     std::vector<WidgetPtr>{std::move(label)});
}

// ImGui makes no window lower than 32 px; a lower caption would hide the top of what is under it.
int CaptionHeight(int em) { return std::max(2 * em, 32); }

// A caption line and, below it, an image or nothing. Paints its background, so that nothing stale shows.
class Pane : public gui::Widget {
 public:
  Pane(int em, const std::vector<WidgetPtr>& caption, WidgetPtr content)
      : line_(std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 2, em / 2, em / 4), caption)),
        content_(std::move(content)) {
    AddChild(line_);
    if (content_) AddChild(content_);
  }
  void Layout(const gui::LayoutContext& context) override {
    const gui::Rect& frame = GetFrame();
    const int caption = CaptionHeight(context.theme.font_size);
    line_->SetFrame({frame.x, frame.y, frame.width, caption});
    if (content_)
      content_->SetFrame({frame.x + 1, frame.y + caption, frame.width - 2, frame.height - caption});
    gui::Widget::Layout(context);
  }

 private:
  std::shared_ptr<gui::Horiz> line_;
  WidgetPtr content_;
};

// The colours from far to near, in the disparity's caption.
class ScaleWidget : public gui::ImageWidget {
 public:
  gui::Size CalcPreferredSize(const gui::LayoutContext& context, const Constraints&) const override {
    return {10 * context.theme.font_size, context.theme.font_size};
  }
};

// Tells when somebody turns, shifts or approaches the cloud.
class CloudWidget : public gui::SceneWidget {
 public:
  std::function<void()> on_moved;
  EventResult Mouse(const gui::MouseEvent& event) override {
    if (event.type == gui::MouseEvent::DRAG || event.type == gui::MouseEvent::WHEEL) on_moved();
    return gui::SceneWidget::Mouse(event);
  }
};

void ShowImage(const Open3DImage& image, gui::ImageWidget& widget) {
  widget.SetVisible(image != nullptr);
  if (image) widget.UpdateImage(image);
}

void Place(gui::Widget& widget, const PaneFrame& frame) {
  widget.SetVisible(!frame.Empty());
  widget.SetFrame({frame.x, frame.y, std::max(1, frame.width), std::max(1, frame.height)});
}

// --- the window, on the main thread -----------------------------------------------

class MainWindow : public gui::Window {
 public:
  MainWindow(const ViewerOptions& options, Mailbox<UploadFrame>& mailbox)
      : gui::Window(options.title, options.width_px, options.height_px), mailbox_(mailbox) {
    MakeScene();
    MakePanes();
    MakeBar(options.sequence);
    for (const WidgetPtr& child :
         std::initializer_list<WidgetPtr>{image_pane_, disparity_pane_, cloud_pane_, scene_, bar_}) {
      AddChild(child);
    }
    SetOnTickEvent([this] { return Tick(); });
    SetOnKeyEvent([this](const gui::KeyEvent& event) { return Key(event); });
    SetOnClose([this] {
      mailbox_.SetClosed();
      return true;
    });
    GetRenderer().SetOnAfterDraw([this] { AfterDraw(); });
  }

 protected:
  void Layout(const gui::LayoutContext& context) override {
    const gui::Rect area = GetContentRect();
    const gui::Widget::Constraints whole{area.width, area.height};
    hint_->SetVisible(true);
    hint_->SetVisible(bar_->CalcPreferredSize(context, whole).width <= area.width);
    const int bar_height = bar_->CalcPreferredSize(context, whole).height;
    bar_->SetFrame({area.x, area.GetBottom() - bar_height, area.width, bar_height});

    const int caption = CaptionHeight(context.theme.font_size);
    const WindowLayout layout =
        LayOutWindow({area.x, area.y, area.width, area.height - bar_height}, parts_, caption);
    Place(*image_pane_, layout.image);
    Place(*disparity_pane_, layout.disparity);
    PaneFrame line = layout.cloud, scene = layout.cloud;
    line.height = std::min(line.height, caption);
    scene.y += line.height;
    scene.height -= line.height;
    Place(*cloud_pane_, line);
    Place(*scene_, scene);
    gui::Window::Layout(context);
    FrameNewScene();  // the scene has its size now
  }

 private:
  void MakeScene() {
    scene_ = std::make_shared<CloudWidget>();
    scene_->SetScene(std::make_shared<rendering::Open3DScene>(GetRenderer()));
    Scene().SetBackground({0.30f, 0.32f, 0.36f, 1.0f});
    Scene().GetView()->SetPostProcessing(false);  // no tone mapping: colours come out as they went in
    scene_->on_moved = [this] {
      view_moved_ = true;
      Redraw();
    };
    material_.shader = "defaultUnlit";
  }

  void MakePanes() {
    const int em = GetTheme().font_size;
    image_ = std::make_shared<gui::ImageWidget>();
    disparity_ = std::make_shared<gui::ImageWidget>();
    scale_ = std::make_shared<ScaleWidget>();
    for (const auto& widget : {image_, disparity_, scale_}) widget->SetVisible(false);
    image_caption_ = MakeDimLabel();
    disparity_caption_ = MakeDimLabel();
    cloud_caption_ = MakeDimLabel();
    scale_low_ = MakeDimLabel();
    scale_high_ = MakeDimLabel();
    image_pane_ = std::make_shared<Pane>(em, std::vector<WidgetPtr>{image_caption_}, image_);
    disparity_pane_ =
        std::make_shared<Pane>(em,
                               std::vector<WidgetPtr>{disparity_caption_, gui::Horiz::MakeStretch(),
                                                      scale_low_, scale_, scale_high_},
                               disparity_);
    cloud_pane_ = std::make_shared<Pane>(em, std::vector<WidgetPtr>{cloud_caption_}, nullptr);
  }

  void MakeBar(bool sequence) {
    const int em = GetTheme().font_size;
    bar_ = std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 4));
    pause_ = std::make_shared<gui::Button>("Pause");
    pause_->SetOnClicked([this] { mailbox_.TogglePause(); });
    const auto step = std::make_shared<gui::Button>("Step");
    step->SetOnClicked([this] { mailbox_.Step(); });
    const auto reset = std::make_shared<gui::Button>("Reset view");
    reset->SetOnClicked([this] { ResetView(); });
    for (const auto& button : {pause_, step, reset}) {
      if (button != reset && !sequence) continue;
      button->SetPaddingEm(0.6f, 0.1f);
      bar_->AddChild(button);
    }
    status_ = std::make_shared<gui::Label>("waiting for the first frame");
    hint_ = MakeDimLabel(sequence ? "space pause   N step   R reset view   + - point size   Q close"
                                  : "R reset view   + - point size   Q close");
    bar_->AddFixed(em / 2);
    bar_->AddChild(BesideButtons(status_, em));
    bar_->AddStretch();
    bar_->AddChild(BesideButtons(hint_, em));
  }

  rendering::Open3DScene& Scene() { return *scene_->GetScene(); }

  // A drawing can be dropped (the renderer keeps a pace of its own), and texts are laid out in the second
  // one: asks for several, in coming ticks, so that what changed shows without waiting for the mouse.
  void Redraw() { pending_draws_ = 3; }

  // Every 10 ms; true asks for a redraw.
  bool Tick() {
    if (const bool paused = mailbox_.paused(); paused != shown_paused_) {
      shown_paused_ = paused;
      pause_->SetText(paused ? "Resume" : "Pause");
      UpdateStatus();
    }
    if (auto taken = mailbox_.Take()) {
      Upload(std::move(taken->second));
      shown_frame_ = taken->first;
    }
    if (std::string end = mailbox_.TakeEnd(); !end.empty()) {
      end_ = std::move(end);
      UpdateStatus();
    }
    if (mailbox_.close_requested() && !std::exchange(closing_, true)) {
      // Not from here: the application walks its windows while they tick.
      gui::Application::GetInstance().PostToMainThread(this, [this] { Close(); });
    }
    return pending_draws_ > 0 || mailbox_.screenshot_wanted();
  }

  bool Key(const gui::KeyEvent& event) {
    if (event.type != gui::KeyEvent::DOWN) return false;
    switch (event.key) {
      case gui::KEY_SPACE:
        mailbox_.TogglePause();
        return true;
      case gui::KEY_N:
        mailbox_.Step();
        return true;
      case gui::KEY_R:
        ResetView();
        return true;
      case gui::KEY_PLUS:
      case gui::KEY_EQUALS:
        ScalePoints(1.25f);
        return true;
      case gui::KEY_MINUS:
        ScalePoints(0.8f);
        return true;
      case gui::KEY_Q:
      case gui::KEY_ESCAPE:
        mailbox_.RequestClose();
        return true;
      default:
        return false;
    }
  }

  void Upload(UploadFrame frame) {
    ShowImage(frame.image, *image_);
    ShowImage(frame.disparity, *disparity_);
    ShowImage(frame.scale, *scale_);
    if (frame.scale) scale_->GetUIImage()->SetScaling(gui::UIImage::Scaling::ANY);
    scale_low_->SetText(frame.scale_low.c_str());
    scale_high_->SetText(frame.scale_high.c_str());
    image_caption_->SetText(frame.image_caption.c_str());
    disparity_caption_->SetText(frame.disparity_caption.c_str());
    cloud_caption_->SetText(frame.cloud_caption.c_str());
    // A pane stays once there was something for it, so that the layout does not jump.
    parts_.image |= frame.image != nullptr;
    parts_.disparity |= frame.disparity != nullptr;
    parts_.cloud |= frame.num_points > 0;
    if (const Open3DImage& shape = frame.image ? frame.image : frame.disparity) {
      parts_.aspect = static_cast<float>(shape->width_) / static_cast<float>(shape->height_);
    }
    UploadCloud(frame);
    name_ = frame.name;
    status_text_ = frame.status;
    end_.clear();
    UpdateStatus();
    // The render thread reads the tensors later: they live until the next frame but one has been handed over.
    previous_ = std::move(current_);
    current_ = std::move(frame);
  }

  // The same geometry is updated from frame to frame; it is added again only where it must grow.
  void UploadCloud(const UploadFrame& frame) {
    if (frame.num_points == 0) {
      if (Scene().HasGeometry(kCloud)) Scene().ShowGeometry(kCloud, false);
      scene_->ForceRedraw();
      return;
    }
    open3d::t::geometry::PointCloud cloud(frame.positions);
    cloud.SetPointColors(frame.colors);
    const auto capacity = static_cast<std::size_t>(frame.positions.GetLength());
    if (capacity == capacity_) {
      using rendering::Scene;
      this->Scene().GetScene()->UpdateGeometry(kCloud, cloud,
                                               Scene::kUpdatePointsFlag | Scene::kUpdateColorsFlag);
      this->Scene().ShowGeometry(kCloud, true);
    } else {
      if (Scene().HasGeometry(kCloud)) Scene().RemoveGeometry(kCloud);
      Scene().AddGeometry(kCloud, &cloud, material_, false);
      Scene().GetScene()->SetGeometryCulling(kCloud, false);  // it would use the box of the first frame
      capacity_ = capacity;
    }
    scene_->ForceRedraw();
  }

  CloudView WantedView() const {
    const gui::Rect& frame = scene_->GetFrame();
    const float aspect =
        static_cast<float>(std::max(1, frame.width)) / static_cast<float>(std::max(1, frame.height));
    const auto* points = static_cast<const Point3f*>(current_.positions.GetDataPtr());
    return FirstView({points, current_.num_points}, aspect);
  }

  // Frames the cloud, unless somebody has turned it or it still is the scene in view.
  void FrameNewScene() {
    if (current_.num_points == 0 || view_moved_) return;
    const CloudView wanted = WantedView();
    if (!view_ || IsOtherScene(*view_, wanted)) SetView(wanted);
  }

  void ResetView() {
    if (current_.num_points > 0) SetView(WantedView());
  }

  void SetView(const CloudView& view) {
    const Vector3f low = ToEigen(view.low), high = ToEigen(view.high), target = ToEigen(view.target);
    const Vector3f margin = Vector3f::Constant(0.1f * (high - low).norm() + 1e-3f);
    const open3d::geometry::AxisAlignedBoundingBox bounds((low - margin).cast<double>(),
                                                          (high + margin).cast<double>());
    scene_->SetupCamera(view.vertical_fov_deg, bounds, target);
    scene_->LookAt(target, ToEigen(view.eye), {0, -1, 0});  // the camera frame's y points down
    scene_->SetCenterOfRotation(target);
    // Points as large as it takes for the surfaces to look closed.
    const gui::Rect& frame = scene_->GetFrame();
    const float area = static_cast<float>(frame.width) * static_cast<float>(frame.height);
    const float size = std::ceil(std::sqrt(area / static_cast<float>(current_.num_points)));
    SetPointSize(GetScaling() * std::clamp(size, 2.0f, 5.0f));
    view_ = view;
    view_moved_ = false;
  }

  void ScalePoints(float factor) { SetPointSize(std::clamp(material_.point_size * factor, 1.0f, 20.0f)); }

  void SetPointSize(float size_px) {
    material_.point_size = size_px;
    if (Scene().HasGeometry(kCloud)) Scene().ModifyGeometryMaterial(kCloud, material_);
    scene_->ForceRedraw();
    Redraw();
  }

  void UpdateStatus() {
    std::string text = name_.empty() ? "waiting for the first frame" : name_;
    for (const std::string& part : {status_text_, end_, std::string(shown_paused_ ? "paused" : "")}) {
      if (!part.empty()) text += "    " + part;
    }
    status_->SetText(text.c_str());
    SetNeedsLayout();
    Redraw();
  }

  // After every drawing that was not dropped.
  void AfterDraw() {
    if (pending_draws_ > 0 && --pending_draws_ > 0) return;
    if (ScreenshotCallback done = mailbox_.TakeScreenshot(shown_frame_)) {
      const gui::Size size = GetSize();
      GetRenderer().RequestReadPixels(size.width, size.height,
                                      [done](std::shared_ptr<Tensor> pixels) { done(FromOpen3D(*pixels)); });
    }
  }

  Mailbox<UploadFrame>& mailbox_;
  std::shared_ptr<Pane> image_pane_, disparity_pane_, cloud_pane_;
  std::shared_ptr<gui::ImageWidget> image_, disparity_, scale_;
  std::shared_ptr<CloudWidget> scene_;
  std::shared_ptr<gui::Horiz> bar_;
  std::shared_ptr<gui::Button> pause_;
  std::shared_ptr<gui::Label> image_caption_, disparity_caption_, cloud_caption_, scale_low_, scale_high_;
  std::shared_ptr<gui::Label> status_, hint_;
  rendering::MaterialRecord material_;

  WindowParts parts_;
  UploadFrame current_, previous_;
  std::size_t capacity_ = 0;  // points of the geometry in the scene
  std::string name_, status_text_, end_;
  long shown_frame_ = 0;
  int pending_draws_ = 3;
  std::optional<CloudView> view_;  // set last
  bool view_moved_ = false;        // by the mouse since then
  bool shown_paused_ = false, closing_ = false;
};

// --- the viewer -------------------------------------------------------------------

class Open3DViewer : public Viewer {
 public:
  explicit Open3DViewer(const ViewerOptions& options) : mailbox_(options.paused) {
    if (!std::filesystem::is_directory(PARALLAX_OPEN3D_RESOURCES)) {
      throw Error("the viewer's resources are missing at " PARALLAX_OPEN3D_RESOURCES
                  ": install open3d-gui-data");
    }
    CheckDisplay();
    open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error);
    const SilencedOutput silenced;
    gui::Application::GetInstance().Initialize(PARALLAX_OPEN3D_RESOURCES);
    window_ = std::make_shared<MainWindow>(options, mailbox_);
  }

  void Run() override {
    gui::Application& application = gui::Application::GetInstance();
    application.AddWindow(window_);
    // The application must hold it alone: it ends the renderer with its last window.
    window_.reset();
    application.Run();
    mailbox_.SetClosed();
  }

  void Show(ViewerFrame frame) override {
    UploadFrame upload;
    upload.name = std::move(frame.name);
    upload.status = std::move(frame.status);
    upload.image_caption = std::move(frame.image_caption);
    upload.disparity_caption = std::move(frame.disparity_caption);
    upload.cloud_caption = std::move(frame.cloud_caption);
    upload.scale_low = std::move(frame.scale_low);
    upload.scale_high = std::move(frame.scale_high);
    upload.image = ToOpen3D(frame.image);
    upload.disparity = ToOpen3D(frame.disparity);
    upload.scale = ToOpen3D(frame.scale);
    capacity_ = std::max(capacity_.load(), CapacityFor(frame.cloud.size()));  // only grows
    CopyCloud(frame.cloud, capacity_, upload);
    mailbox_.Put(std::move(upload));
  }

  bool WaitForTurn(const std::atomic<bool>* give_up) override { return mailbox_.WaitForTurn(give_up); }
  void ShowEnd(const std::string& message) override { mailbox_.PutEnd(message); }
  void RequestScreenshot(std::function<void(HostImage<Rgb8>)> done) override {
    mailbox_.RequestScreenshot(std::move(done));
  }
  void Close() override { mailbox_.RequestClose(); }
  bool closed() const override { return mailbox_.closed(); }

 private:
  Mailbox<UploadFrame> mailbox_;
  std::atomic<std::size_t> capacity_ = 0;
  std::shared_ptr<MainWindow> window_;  // until Run
};

}  // namespace
}  // namespace parallax::app

const char* ParallaxViewerVersion() { return PARALLAX_VERSION; }

parallax::app::Viewer* ParallaxOpenViewer(const parallax::app::ViewerOptions& options) {
  return new parallax::app::Open3DViewer(options);
}
