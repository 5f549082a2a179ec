#include "app/view/window/main_window.h"

#include <open3d/visualization/gui/Application.h>
#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/gui/UIImage.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "app/view/window/cloud_scene.h"
#include "app/view/window/widgets.h"

namespace parallax::app {
namespace {

using open3d::core::Tensor;

class MainWindow : public gui::Window {
 public:
  MainWindow(const ViewerOptions& options, Mailbox<UploadFrame>& mailbox)
      : gui::Window(options.title, options.width_px, options.height_px), mailbox_(mailbox) {
    scene_ = std::make_unique<CloudScene>(
        GetRenderer(), [this] { Redraw(); }, [this] { return GetScaling(); });
    MakePanes();
    MakeBar(options.sequence);
    for (const WidgetPtr& child : std::initializer_list<WidgetPtr>{image_pane_, disparity_pane_, cloud_pane_,
                                                                   scene_->widget(), bar_}) {
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
    Place(*scene_->widget(), scene);
    gui::Window::Layout(context);
    scene_->FrameNewScene();  // the scene has its size now
  }

 private:
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
    reset->SetOnClicked([this] { scene_->ResetView(); });
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
        scene_->ResetView();
        return true;
      case gui::KEY_PLUS:
      case gui::KEY_EQUALS:
        scene_->ScalePoints(1.25f);
        return true;
      case gui::KEY_MINUS:
        scene_->ScalePoints(0.8f);
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
    scene_->Upload(frame);
    name_ = frame.name;
    status_text_ = frame.status;
    end_.clear();
    UpdateStatus();
    // The render thread reads the tensors later: they live until the next frame but one has been handed over.
    previous_ = std::move(current_);
    current_ = std::move(frame);
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
  std::unique_ptr<CloudScene> scene_;
  std::shared_ptr<gui::Horiz> bar_;
  std::shared_ptr<gui::Button> pause_;
  std::shared_ptr<gui::Label> image_caption_, disparity_caption_, cloud_caption_, scale_low_, scale_high_;
  std::shared_ptr<gui::Label> status_, hint_;

  WindowParts parts_;
  UploadFrame current_, previous_;
  std::string name_, status_text_, end_;
  long shown_frame_ = 0;
  int pending_draws_ = 3;
  bool shown_paused_ = false, closing_ = false;
};

}  // namespace

std::shared_ptr<gui::Window> MakeMainWindow(const ViewerOptions& options, Mailbox<UploadFrame>& mailbox) {
  return std::make_shared<MainWindow>(options, mailbox);
}

}  // namespace parallax::app
