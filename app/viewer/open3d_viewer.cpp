// The window on Open3D's GUI. The only file that includes Open3D.
#define GLFW_INCLUDE_NONE  // Open3D brings GLEW, which must come before any other OpenGL header
#include <GLFW/glfw3.h>
#include <fcntl.h>
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
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>

#include "app/cloud_view.h"
#include "app/viewer/module.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace gui = open3d::visualization::gui;
namespace rendering = open3d::visualization::rendering;
using Eigen::Vector3f;
using open3d::core::Tensor;
using open3d::t::geometry::PointCloud;

constexpr char kCloud[] = "cloud";
constexpr float kFieldOfView_deg = 50;
constexpr std::size_t kCapacityStep = 1 << 16;

// A frame in the form the GPU takes it, made on the matching thread so that the window only hands it on.
struct UploadFrame {
  long sequence = 0;
  std::string name, status, image_caption, disparity_caption, cloud_caption;
  std::shared_ptr<open3d::geometry::Image> image, disparity;
  std::size_t num_points = 0;
  Tensor positions, colors;  // capacity x 3 float; colours 0..1
  std::shared_ptr<open3d::geometry::Image> scale;
  std::string scale_low, scale_high;
};

std::shared_ptr<open3d::geometry::Image> ToOpen3D(const HostImage<Rgb8>& image) {
  if (image.Empty()) return nullptr;
  auto result = std::make_shared<open3d::geometry::Image>();
  result->Prepare(image.width(), image.height(), 3, 1);
  const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
  for (int y = 0; y < image.height(); ++y) {
    std::memcpy(result->data_.data() + static_cast<std::size_t>(y) * row_bytes, image.Row(y), row_bytes);
  }
  return result;
}

// The vertex buffer keeps its size from frame to frame: rounded up, the rest repeats the last point.
std::size_t CapacityFor(std::size_t num_points) {
  return (num_points + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
}

void CopyCloud(const parallax::PointCloud& cloud, std::size_t capacity, UploadFrame& frame) {
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

// ImGui makes no window lower than 32 px; a lower line would hide the top of the picture under it.
int CaptionHeight(int em) { return std::max(2 * em, 32); }

// The colours from far to near, in the disparity's caption line.
class ScaleWidget : public gui::ImageWidget {
 public:
  gui::Size CalcPreferredSize(const gui::LayoutContext& context, const Constraints&) const override {
    return {10 * context.theme.font_size, context.theme.font_size};
  }
};

// A text above a picture or the cloud.
std::shared_ptr<gui::Label> MakeCaption(const gui::Color& color) {
  auto label = std::make_shared<gui::Label>(" ");
  label->SetTextColor(color);
  return label;
}

// State that the matching thread and the window share.
class Mailbox {
 public:
  void Put(UploadFrame frame) {
    std::lock_guard lock(mutex_);
    frame.sequence = ++num_put_;
    frame_ = std::move(frame);
    if (steps_ > 0) --steps_;
  }
  std::optional<UploadFrame> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(frame_, std::nullopt);
  }
  bool WaitForTurn() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closed_ || !paused_ || steps_ > 0; });
    return !closed_;
  }
  void TogglePause() {
    std::lock_guard lock(mutex_);
    paused_ = !paused_;
    steps_ = 0;
    wake_.notify_all();
  }
  void Step() {
    std::lock_guard lock(mutex_);
    paused_ = true;
    steps_ = 1;
    wake_.notify_all();
  }
  void SetClosed() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    wake_.notify_all();
  }
  void Start(bool paused) {
    std::lock_guard lock(mutex_);
    paused_ = paused;
    steps_ = paused ? 1 : 0;  // the first frame is shown either way
  }
  bool paused() const {
    std::lock_guard lock(mutex_);
    return paused_;
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }
  // The screenshot asked for last, to be taken once frame number `sequence` is on screen.
  struct Screenshot {
    long sequence = 0;
    std::function<void(HostImage<Rgb8>)> done;
  };
  void RequestScreenshot(std::function<void(HostImage<Rgb8>)> done) {
    std::lock_guard lock(mutex_);
    screenshot_ = Screenshot{num_put_, std::move(done)};
  }
  bool screenshot_wanted() const {
    std::lock_guard lock(mutex_);
    return screenshot_.has_value();
  }
  std::optional<Screenshot> TakeScreenshot(long shown_sequence) {
    std::lock_guard lock(mutex_);
    if (!screenshot_ || shown_sequence < screenshot_->sequence) return std::nullopt;
    return std::exchange(screenshot_, std::nullopt);
  }
  void PutEnd(const std::string& message) {
    std::lock_guard lock(mutex_);
    end_message_ = message;
  }
  std::string TakeEnd() {
    std::lock_guard lock(mutex_);
    return std::exchange(end_message_, {});
  }
  void RequestClose() { close_requested_ = true; }
  bool close_requested() const { return close_requested_; }

 private:
  mutable std::mutex mutex_;
  std::optional<Screenshot> screenshot_;
  std::string end_message_;
  std::atomic<bool> close_requested_ = false;
  std::condition_variable wake_;
  std::optional<UploadFrame> frame_;
  long num_put_ = 0;
  int steps_ = 0;
  bool paused_ = false;
  bool closed_ = false;
};

// The window itself; lives on the main thread.
class MainWindow : public gui::Window {
 public:
  MainWindow(const ViewerOptions& options, Mailbox& mailbox)
      : gui::Window(options.title, options.width_px, options.height_px), mailbox_(mailbox) {
    const gui::Color dim(0.62f, 0.66f, 0.70f);
    image_ = std::make_shared<gui::ImageWidget>();
    disparity_ = std::make_shared<gui::ImageWidget>();
    image_caption_ = MakeCaption(dim);
    disparity_caption_ = MakeCaption(dim);
    cloud_caption_ = MakeCaption(dim);
    scale_low_ = MakeCaption(dim);
    scale_high_ = MakeCaption(dim);
    scale_ = std::make_shared<ScaleWidget>();
    scene_ = std::make_shared<gui::SceneWidget>();
    auto scene = std::make_shared<rendering::Open3DScene>(GetRenderer());
    scene->SetBackground({0.30f, 0.32f, 0.36f, 1.0f});
    scene_->SetScene(scene);
    // Unlit colours must come out as they went in: no tone mapping.
    scene->GetView()->SetPostProcessing(false);
    material_.shader = "defaultUnlit";
    material_.point_size = 2.0f * GetScaling();

    const int em = GetTheme().font_size;
    bar_ = std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 4));
    pause_ = std::make_shared<gui::Button>("Pause");
    step_ = std::make_shared<gui::Button>("Step");
    reset_ = std::make_shared<gui::Button>("Reset view");
    for (auto& button : {pause_, step_, reset_}) button->SetPaddingEm(0.6f, 0.1f), bar_->AddChild(button);
    status_ = std::make_shared<gui::Label>("waiting for the first frame");
    hint_ = std::make_shared<gui::Label>("space pause   N step   R reset view   + - point size   Q close");
    hint_->SetTextColor(dim);
    bar_->AddFixed(em / 2);
    // Down to the line of the buttons' texts.
    bar_->AddChild(std::make_shared<gui::Vert>(0, gui::Margins(0, em / 4, 0, 0),
                                               std::vector<std::shared_ptr<gui::Widget>>{status_}));
    bar_->AddStretch();
    bar_->AddChild(std::make_shared<gui::Vert>(0, gui::Margins(0, em / 4, 0, 0),
                                               std::vector<std::shared_ptr<gui::Widget>>{hint_}));
    pause_->SetOnClicked([this] { mailbox_.TogglePause(); });
    step_->SetOnClicked([this] { mailbox_.Step(); });
    reset_->SetOnClicked([this] { ResetView(); });

    image_line_ = MakeLine({image_caption_});
    disparity_line_ =
        MakeLine({disparity_caption_, gui::Horiz::MakeStretch(), scale_low_, scale_, scale_high_});
    cloud_line_ = MakeLine({cloud_caption_});
    for (const std::shared_ptr<gui::Widget>& child : std::initializer_list<std::shared_ptr<gui::Widget>>{
             image_line_, image_, disparity_line_, disparity_, cloud_line_, scene_, bar_}) {
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
  // Wide pictures (driving scenes) side by side above the cloud, others stacked at its left.
  void Layout(const gui::LayoutContext& context) override {
    const gui::Rect area = GetContentRect();
    const int em = context.theme.font_size;
    const int gap = em / 4;
    const int caption = CaptionHeight(em);
    const int bar_height = bar_->CalcPreferredSize(context, {area.width, area.height}).height;
    bar_->SetFrame({area.x, area.GetBottom() - bar_height, area.width, bar_height});
    const int height = area.height - bar_height;
    const auto place = [&](gui::Widget& line, gui::Widget& widget, int x, int y, int w, int h) {
      line.SetFrame({x, y, w, caption});
      widget.SetFrame({x, y + caption, w, std::max(1, h - caption)});
    };
    if (aspect_ > kWideAspect) {
      const int width = (area.width - gap) / 2;
      const int picture =
          std::min(height / 2, static_cast<int>(static_cast<float>(width) / aspect_) + caption);
      place(*image_line_, *image_, area.x, area.y, width, picture);
      place(*disparity_line_, *disparity_, area.x + width + gap, area.y, width, picture);
      place(*cloud_line_, *scene_, area.x, area.y + picture, area.width, height - picture);
    } else {
      const int picture = height / 2;
      const int wanted = static_cast<int>(static_cast<float>(picture - caption) * aspect_);
      const int width = std::clamp(wanted, area.width / 5, area.width * 9 / 20);
      place(*image_line_, *image_, area.x, area.y, width, picture);
      place(*disparity_line_, *disparity_, area.x, area.y + picture, width, picture);
      const int x = area.x + width + gap;
      place(*cloud_line_, *scene_, x, area.y, area.GetRight() - x, height);
    }
    gui::Window::Layout(context);
    if (view_wanted_) view_wanted_ = false, ResetView();
  }

 private:
  static constexpr float kWideAspect = 1.9f;

  std::shared_ptr<gui::Horiz> MakeLine(const std::vector<std::shared_ptr<gui::Widget>>& children) const {
    const int em = GetTheme().font_size;
    return std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 2, em / 2, em / 4), children);
  }

  // Every 10 ms on the main thread; true asks for a redraw, so that frames do not wait for the mouse.
  bool Tick() {
    bool redraw = mailbox_.screenshot_wanted();
    const bool paused = mailbox_.paused();
    if (paused != shown_paused_) {
      shown_paused_ = paused;
      pause_->SetText(paused ? "Resume" : "Pause");
      SetNeedsLayout();
      UpdateStatus();
      redraw = true;
    }
    if (auto frame = mailbox_.Take()) {
      Upload(std::move(*frame));
      redraw = true;
    }
    if (std::string end = mailbox_.TakeEnd(); !end.empty()) {
      end_ = std::move(end);
      UpdateStatus();
      redraw = true;
    }
    if (mailbox_.close_requested() && !closing_) {
      closing_ = true;
      // Not from here: the application walks its windows while they tick.
      gui::Application::GetInstance().PostToMainThread(this, [this] { Close(); });
    }
    return redraw;
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
    const auto& shape = frame.image ? frame.image : frame.disparity;
    if (shape) {
      const float aspect = static_cast<float>(shape->width_) / static_cast<float>(shape->height_);
      if (aspect != aspect_) aspect_ = aspect, SetNeedsLayout();
    }
    image_caption_->SetText(frame.image_caption.c_str());
    disparity_caption_->SetText(frame.disparity_caption.c_str());
    cloud_caption_->SetText(frame.cloud_caption.c_str());
    UploadCloud(frame);
    name_ = frame.name;
    status_text_ = frame.status;
    end_.clear();
    UpdateStatus();
    uploaded_sequence_ = frame.sequence;
    draws_since_upload_ = 0;
    // The render thread reads the tensors later: keep them until the next frame but one has been handed over.
    previous_ = std::move(current_);
    current_ = std::move(frame);
    if (!view_set_) view_wanted_ = true;  // once the panes have their sizes
  }

  void ShowImage(const std::shared_ptr<open3d::geometry::Image>& image, gui::ImageWidget& widget) {
    widget.SetVisible(image != nullptr);
    if (image) widget.UpdateImage(image);
  }

  void UploadCloud(const UploadFrame& frame) {
    rendering::Open3DScene& scene = *scene_->GetScene();
    if (frame.num_points == 0) {
      if (scene.HasGeometry(kCloud)) scene.ShowGeometry(kCloud, false);
      return;
    }
    PointCloud cloud(frame.positions);
    cloud.SetPointColors(frame.colors);
    const auto capacity = static_cast<std::size_t>(frame.positions.GetLength());
    if (scene.HasGeometry(kCloud) && capacity == capacity_) {
      using rendering::Scene;
      scene.GetScene()->UpdateGeometry(kCloud, cloud, Scene::kUpdatePointsFlag | Scene::kUpdateColorsFlag);
      scene.ShowGeometry(kCloud, true);
    } else {
      if (scene.HasGeometry(kCloud)) scene.RemoveGeometry(kCloud);
      scene.AddGeometry(kCloud, &cloud, material_, false);
      // The box used for culling is that of the first frame.
      scene.GetScene()->SetGeometryCulling(kCloud, false);
      capacity_ = capacity;
    }
    scene_->ForceRedraw();
  }

  void ResetView() {
    if (current_.num_points == 0) return;
    const gui::Rect frame = scene_->GetFrame();
    const float aspect =
        static_cast<float>(std::max(1, frame.width)) / static_cast<float>(std::max(1, frame.height));
    const auto* points = static_cast<const Point3f*>(current_.positions.GetDataPtr());
    const CloudView view = FirstView({points, current_.num_points}, kFieldOfView_deg, aspect);
    const Vector3f low = ToEigen(view.low), high = ToEigen(view.high), target = ToEigen(view.target);
    const Vector3f margin = Vector3f::Constant(0.1f * (high - low).norm() + 1e-3f);
    const open3d::geometry::AxisAlignedBoundingBox bounds((low - margin).cast<double>(),
                                                          (high + margin).cast<double>());
    scene_->SetupCamera(kFieldOfView_deg, bounds, target);
    scene_->LookAt(target, ToEigen(view.eye), {0, -1, 0});  // the camera frame's y points down
    scene_->SetCenterOfRotation(target);
    scene_->ForceRedraw();
    PostRedraw();
    view_set_ = true;
  }

  void ScalePoints(float factor) {
    material_.point_size = std::clamp(material_.point_size * factor, 1.0f, 20.0f);
    rendering::Open3DScene& scene = *scene_->GetScene();
    if (scene.HasGeometry(kCloud)) scene.ModifyGeometryMaterial(kCloud, material_);
    scene_->ForceRedraw();
    PostRedraw();
  }

  void UpdateStatus() {
    std::string text = name_.empty() ? "waiting for the first frame" : name_;
    if (!status_text_.empty()) text += "    " + status_text_;
    if (!end_.empty()) text += "    " + end_;
    if (shown_paused_) text += "    paused";
    status_->SetText(text.c_str());
    SetNeedsLayout();
  }

  void AfterDraw() {
    ++draws_since_upload_;
    constexpr int kDrawsUntilSettled = 3;  // ImGui lays new texts out in the second drawing
    if (draws_since_upload_ < kDrawsUntilSettled) return;
    auto screenshot = mailbox_.TakeScreenshot(uploaded_sequence_);
    if (!screenshot) return;
    const gui::Size size = GetSize();
    GetRenderer().RequestReadPixels(
        size.width, size.height, [done = std::move(screenshot->done)](std::shared_ptr<Tensor> pixels) {
          HostImage<Rgb8> image(static_cast<int>(pixels->GetShape(1)), static_cast<int>(pixels->GetShape(0)));
          const auto* data = pixels->GetDataPtr<std::uint8_t>();
          const std::size_t row_bytes = static_cast<std::size_t>(image.width()) * 3;
          for (int y = 0; y < image.height(); ++y) {
            std::memcpy(image.Row(y), data + static_cast<std::size_t>(y) * row_bytes, row_bytes);
          }
          done(std::move(image));
        });
  }

  Mailbox& mailbox_;
  std::shared_ptr<gui::ImageWidget> image_, disparity_, scale_;
  std::shared_ptr<gui::Horiz> image_line_, disparity_line_, cloud_line_;
  std::shared_ptr<gui::Label> image_caption_, disparity_caption_, cloud_caption_, scale_low_, scale_high_,
      status_, hint_;
  std::shared_ptr<gui::SceneWidget> scene_;
  std::shared_ptr<gui::Horiz> bar_;
  std::shared_ptr<gui::Button> pause_, step_, reset_;
  rendering::MaterialRecord material_;
  float aspect_ = 4.0f / 3;
  std::size_t capacity_ = 0;
  bool view_set_ = false, view_wanted_ = false;
  UploadFrame current_, previous_;
  std::string name_, status_text_, end_;
  long uploaded_sequence_ = 0;
  int draws_since_upload_ = 0;
  bool shown_paused_ = false;
  bool closing_ = false;
};

// Open3D ends the process or reads a null pointer when a window cannot be made: try first, in the same way.
void CheckDisplay() {
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0') {
    throw Error("no display to open a window on: set DISPLAY, log in with ssh -X, or run under xvfb-run");
  }
  if (glfwInit() != GLFW_TRUE) {
    throw Error("cannot reach display " + std::string(display) +
                ": check DISPLAY and its permissions, or run under xvfb-run");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 1);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(16, 16, "", nullptr, nullptr);
  glfwDefaultWindowHints();
  if (window == nullptr) {
    throw Error("display " + std::string(display) +
                " offers no OpenGL 4.1: install libgl1-mesa-dri (software rendering), or run under xvfb-run");
  }
  glfwDestroyWindow(window);
}

// The rendering engine prints its version to standard output when it starts, where results belong.
class SilencedOutput {
 public:
  SilencedOutput() {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO), close(nothing);
  }
  ~SilencedOutput() {
    std::fflush(stdout);
    if (saved_ >= 0) dup2(saved_, STDOUT_FILENO), close(saved_);
  }
  SilencedOutput(const SilencedOutput&) = delete;
  SilencedOutput& operator=(const SilencedOutput&) = delete;

 private:
  int saved_ = -1;
};

class Open3DViewer : public Viewer {
 public:
  explicit Open3DViewer(const ViewerOptions& options) {
    if (!std::filesystem::is_directory(PARALLAX_OPEN3D_RESOURCES)) {
      throw Error("the viewer's resources are missing at " PARALLAX_OPEN3D_RESOURCES
                  ": install open3d-gui-data");
    }
    CheckDisplay();
    open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error);
    gui::Application::GetInstance().Initialize(PARALLAX_OPEN3D_RESOURCES);
    mailbox_.Start(options.paused);
    const SilencedOutput silenced;
    window_ = std::make_shared<MainWindow>(options, mailbox_);
  }
  ~Open3DViewer() override { mailbox_.SetClosed(); }

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
    upload.image = ToOpen3D(frame.image);
    upload.disparity = ToOpen3D(frame.disparity);
    upload.scale = ToOpen3D(frame.scale);
    upload.scale_low = std::move(frame.scale_low);
    upload.scale_high = std::move(frame.scale_high);
    // Grows only, so that the window updates one geometry instead of making new ones.
    capacity_ = std::max(capacity_.load(), CapacityFor(frame.cloud.size()));
    CopyCloud(frame.cloud, capacity_, upload);
    mailbox_.Put(std::move(upload));
  }
  bool WaitForTurn() override { return mailbox_.WaitForTurn(); }
  void ShowEnd(const std::string& message) override { mailbox_.PutEnd(message); }
  void RequestScreenshot(std::function<void(HostImage<Rgb8>)> done) override {
    mailbox_.RequestScreenshot(std::move(done));
  }
  void Close() override { mailbox_.RequestClose(); }
  bool closed() const override { return mailbox_.closed(); }

 private:
  Mailbox mailbox_;
  std::atomic<std::size_t> capacity_ = 0;
  std::shared_ptr<MainWindow> window_;
};

}  // namespace
}  // namespace parallax::app

const char* ParallaxViewerVersion() { return PARALLAX_VERSION; }

parallax::app::Viewer* ParallaxOpenViewer(const parallax::app::ViewerOptions& options) {
  return new parallax::app::Open3DViewer(options);
}
