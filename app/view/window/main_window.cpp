#include "app/view/window/main_window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <open3d/core/Tensor.h>
#include <open3d/visualization/gui/Application.h>
#include <open3d/visualization/gui/Button.h>
#include <open3d/visualization/rendering/Scene.h>
#include <open3d/visualization/rendering/View.h>
#include <open3d/visualization/rendering/filament/FilamentRenderer.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/view/controls/command_table.h"
#include "app/view/controls/window_state.h"
#include "app/view/window/cloud_pane.h"
#include "app/view/window/figures_part.h"
#include "app/view/window/image_panes.h"
#include "app/view/window/key_text.h"
#include "app/view/window/parameters_part.h"
#include "app/view/window/play_part.h"
#include "app/view/window/side_panel.h"
#include "app/view/window/snapshot_part.h"
#include "app/view/window/widgets.h"
#include "app/view/window/window_part.h"

// Open3D does not install the headers of its Dear ImGui. This part tells whether a text is being edited.
struct ImGuiContext;
namespace ImGui {
ImGuiContext* GetCurrentContext();
bool IsAnyItemActive();
}  // namespace ImGui

namespace parallax::app {
namespace {

using open3d::core::Tensor;

// Open3D draws its buttons and pictures as it draws a scene, four samples a pixel and with ambient occlusion:
// it shows nowhere, and takes most of the time of a window that the processors draw.
void DrawPlainly(open3d::visualization::rendering::Renderer& renderer) {
  namespace rendering = open3d::visualization::rendering;
  auto* const filament = dynamic_cast<rendering::FilamentRenderer*>(&renderer);
  if (filament == nullptr || filament->GetGuiScene() == nullptr) return;
  // It is a Scene, as a header says that needs Filament's own.
  auto* const scene = reinterpret_cast<rendering::Scene*>(filament->GetGuiScene());
  constexpr std::uint16_t kMostViews = 8;  // of the process so far
  for (std::uint16_t id = 1; id <= kMostViews; ++id) {
    if (rendering::View* const view = scene->GetView(rendering::ViewHandle(id))) {
      view->SetSampleCount(1);
      view->SetAmbientOcclusion(false, false);
    }
  }
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

// Times of the latest drawings.
class DrawRate {
 public:
  void Count() {
    ++num_;
    const Clock::time_point now = Clock::now();
    times_.push_back(now);
    std::erase_if(times_, [&](Clock::time_point t) { return now - t > std::chrono::seconds(2); });
  }
  long num() const { return num_; }
  // The rate over the last two seconds.
  double PerSecond() const {
    if (times_.size() < 2) return 0;
    return static_cast<double>(times_.size() - 1) /
           std::chrono::duration<double>(times_.back() - times_.front()).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  long num_ = 0;
  std::vector<Clock::time_point> times_;
};

class MainWindow : public gui::Window {
 public:
  MainWindow(const ViewerOptions& options, Mailbox& mailbox, bool draws_in_software)
      : gui::Window(options.title, options.width_px, options.height_px),
        mailbox_(mailbox),
        timeline_(options.timeline),
        state_(options.state_file),
        panel_(GetTheme().font_size),
        show_filled_(options.show_filled) {
    for (const Command& command : options.keys) own_commands_.Add(command);
    MakeBar(options.sequence);
    AddState();
    AddCommands(options.sequence);
    auto cloud = std::make_unique<CloudPane>(rooms_, GetRenderer(), draws_in_software);
    cloud_ = cloud.get();
    auto images = std::make_unique<ImagePanes>(rooms_);
    images_ = images.get();
    parts_.push_back(std::move(images));
    parts_.push_back(std::move(cloud));
    if (options.parameters) {
      parts_.push_back(
          std::make_unique<ParametersPart>(rooms_, options.parameters, options.save_folder.string()));
    }
    parts_.push_back(std::make_unique<FiguresPart>(rooms_));
    images_->on_pick = [this](PixelPosition pixel) { cloud_->MarkPixel(pixel.x, pixel.y); };
    cloud_->on_pick = [this](int x, int y) {
      images_->MarkPixel(x < 0 ? std::nullopt : std::optional(PixelPosition{x, y}));
    };
    if (options.play) parts_.push_back(std::make_unique<PlayPart>(rooms_, options.play, timeline_));
    parts_.push_back(std::make_unique<SnapshotPart>(rooms_, options.save_folder));
    for (const auto& [name, section] : panel_.sections()) rooms_.add_control("panel." + name, section);
    MakeHelp();
    AddChild(images_->first());
    AddChild(images_->second());
    AddChild(cloud_->caption());
    AddChild(under_panel_);
    AddChild(panel_.widget());
    // Translucent, and painted three times under a slider but twice around it: so the slider stands out.
    panel_.widget()->SetBackgroundColor({1, 1, 1, 0.05f});
    for (const WidgetPtr& row : rows_) AddChild(row);
    for (const WidgetPtr& part : std::vector<WidgetPtr>{bar_, status_line_, hint_line_}) AddChild(part);
    AddChild(cloud_->scene());
    AddChild(help_);
    SetOnTickEvent([this] { return Tick(); });
    SetOnKeyEvent([this](const gui::KeyEvent& event) { return Key(event); });
    SetOnClose([this] {
      // Open3D closes its windows when Escape is pressed, and when it is let go, before the key is handed on.
      if (glfwGetKey(static_cast<GLFWwindow*>(GetOSWindow()), GLFW_KEY_ESCAPE) == GLFW_PRESS &&
          help_->IsVisible()) {
        escape_used_ = commands_.Run("leave");
        return false;
      }
      if (std::exchange(escape_used_, false)) return false;
      mailbox_.SetClosed();
      return true;
    });
    GetRenderer().SetOnAfterDraw([this] { AfterDraw(); });
    CatchEvents();
    DrawPlainly(GetRenderer());
  }

 protected:
  void Layout(const gui::LayoutContext& context) override {
    const gui::Rect area = GetContentRect();
    const gui::Widget::Constraints whole{area.width, area.height};
    int bottom = area.GetBottom();
    PlaceBar(context, bottom);
    const auto place_row = [&](gui::Widget& row) {
      const int height = row.IsVisible() ? row.CalcPreferredSize(context, whole).height : 0;
      bottom -= height;
      row.SetFrame({area.x, bottom, area.width, height});
    };
    for (const WidgetPtr& row : rows_) place_row(*row);
    const int panel_width = std::min(panel_.WidthPx(), area.width / 2);
    panel_.widget()->SetFrame({area.GetRight() - panel_width, area.y, panel_width, bottom - area.y});
    under_panel_->SetFrame(panel_.widget()->GetFrame());
    under_panel_->SetVisible(panel_.shown());

    WindowParts shown;
    images_->Tell(shown);
    shown.cloud = has_cloud_;
    const int caption = CaptionHeight(context.theme.font_size);
    const WindowLayout layout =
        LayOutWindow({area.x, area.y, area.width - panel_width, bottom - area.y}, shown, caption);
    PlaceOrPutAside(*images_->first(), layout.image);
    PlaceOrPutAside(*images_->second(), layout.disparity);
    PaneFrame line = layout.cloud, scene = layout.cloud;
    line.height = std::min(line.height, caption);
    scene.y += line.height;
    scene.height -= line.height;
    PlaceOrPutAside(*cloud_->caption(), line);
    const gui::Rect scene_before = cloud_->scene()->GetFrame();
    Place(*cloud_->scene(), scene);
    // What follows from the scene's size is drawn with the next drawing, not with this one.
    if (cloud_->scene()->GetFrame() != scene_before) pending_draws_ = std::max(pending_draws_, 2);

    const gui::Size help = help_->CalcPreferredSize(context, whole);
    const int width = std::min(help.width, area.width), height = std::min(help.height, area.height);
    help_->SetFrame({area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height});
    gui::Window::Layout(context);
    cloud_->AfterLayout();
  }

 private:
  // The buttons, behind them the status and at the right end the hint; what finds no room there takes the line
  // above. Moves bottom up to where the window's rest ends.
  void PlaceBar(const gui::LayoutContext& context, int& bottom) {
    const gui::Rect area = GetContentRect();
    const auto size_of = [&](const WidgetPtr& widget) {
      return widget->CalcPreferredSize(context, {area.width, area.height});
    };
    const gui::Size buttons = size_of(bar_), status = size_of(status_line_), hint = size_of(hint_line_);
    const bool one_line = buttons.width + status.width + hint.width <= area.width;
    bottom -= buttons.height;
    // The bar is as wide as the window, so that it paints over older content.
    bar_->SetFrame({area.x, bottom, area.width, buttons.height});
    const bool has_hint = buttons.width + hint.width <= area.width;
    PlaceOrPutAside(*hint_line_,
                    {area.GetRight() - hint.width, bottom, has_hint ? hint.width : 0, buttons.height});
    if (one_line) {
      status_line_->SetFrame({area.x + buttons.width, bottom, status.width, buttons.height});
    } else {
      bottom -= status.height;
      status_line_->SetFrame({area.x, bottom, area.width, status.height});
    }
  }

  void MakeBar(bool sequence) {
    const int em = GetTheme().font_size;
    bar_ = std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 4));
    const auto add_button = [&](const char* text, const std::string& command) {
      auto button = std::make_shared<gui::Button>(text);
      button->SetOnClicked([this, command] { own_commands_.Run(command) || commands_.Run(command); });
      button->SetPaddingEm(0.6f, 0.1f);
      bar_->AddChild(button);
      rooms_.add_control(command, button);
      return button;
    };
    if (sequence) {
      pause_ = add_button("Pause", "pause");
      add_button("Step", "step");
    }
    for (const Command& command : own_commands_.commands()) {
      const auto button = add_button((command.name + " (" + command.keys + ")").c_str(), command.name);
      if (command.is_offered) offered_later_.emplace_back(button, command.is_offered);
    }
    if (own_commands_.commands().empty()) {
      add_button("Reset view", "reset_view");
      add_button("Panel", "panel");
    }
    status_ = std::make_shared<gui::Label>("waiting for the first frame");
    const auto line_of = [em](const std::shared_ptr<gui::Label>& label) {
      return std::make_shared<gui::Vert>(0, gui::Margins(em / 2), std::vector<WidgetPtr>{label});
    };
    status_line_ = line_of(status_);
    hint_line_ = line_of(MakeDimLabel("?  lists the keys"));
  }

  void AddCommands(bool sequence) {
    if (sequence) {
      commands_.Add({"pause", "Space", "pause, resume", [this] { timeline_->TogglePause(); }});
      commands_.Add({"step", "N", "next frame, then pause", [this] { timeline_->Step(1); }});
    }
    commands_.Add({"panel", "Tab", "show or hide the panel at the right", [this] {
                     panel_.Show(!panel_.shown());
                     SetNeedsLayout();
                     Redraw();
                   }});
    commands_.Add(
        {"filled", "I", "show filled pixels like measured ones, or pale and not in the cloud", [this] {
           show_filled_ = !show_filled_;
           images_->ChoicesChanged();
           cloud_->FilledChanged();
         }});
    commands_.Add({"help", "? / F1", "this list", [this] {
                     if (LeaveList()) return;
                     help_->SetVisible(true);
                     SetNeedsLayout();
                     Redraw();
                   }});
    commands_.Add({"close", "Q", "close the window", [this] { mailbox_.RequestClose(); }});
    commands_.Add({"leave", "Esc", "close this list, or the window", [this] { LeaveList(); }});
  }

  void AddState() {
    state_.Add("frame", [this] { return name_; });
    state_.Add("num_shown", [this] { return shown_frame_; });
    state_.Add("paused", [this] { return shown_paused_; });
    state_.Add("status", [this] { return status_->GetText(); });
    // Whether all of this is on screen, and the controls lie where it says.
    state_.Add("drawn", [this] { return pending_draws_ == 0; });
    state_.Add("redraws", [this] { return draws_.num(); });
    state_.Add("redraws_per_second", [this] { return draws_.PerSecond(); });
    state_.Add("commands_run", [this] { return commands_.num_run(); });
    state_.Add("last_command", [this] { return commands_.last(); });
    state_.Add("show_filled", [this] { return show_filled_; });
    state_.Add("help", [this] { return help_->IsVisible(); });
    state_.Add("panel", [this] {
      OrderedJson json = {{"shown", panel_.shown()}, {"open", OrderedJson::array()}};
      for (const auto& [name, section] : panel_.sections()) {
        if (section->GetIsOpen()) json["open"] += name;
      }
      return json;
    });
    state_.Add("window", [this] {
      return OrderedJson{{"width", GetSize().width}, {"height", GetSize().height}, {"scaling", Scaling()}};
    });
    // What is read, not clicked on, and where.
    state_.Add("lines", [this] {
      OrderedJson json = OrderedJson::object();
      for (const auto& [name, line] : {std::pair("status", status_line_), {"hint", hint_line_}}) {
        const gui::Rect& frame = line->GetFrame();
        json[name] = {frame.x, frame.y, frame.width, frame.height};
      }
      return json;
    });
    state_.Add("controls", [this] {
      OrderedJson json = OrderedJson::object();
      for (const auto& [name, control] : controls_) {
        const gui::Rect& frame = control->GetFrame();
        if (!control->IsVisible() || frame.width <= 0 || frame.height <= 0 || frame.x < 0) continue;
        json[name] = {frame.x, frame.y, frame.width, frame.height};
      }
      return json;
    });
  }

  void MakeHelp() {
    const int em = GetTheme().font_size;
    help_ = std::make_shared<gui::Vert>(em / 4, gui::Margins(em));
    auto keys = std::make_shared<gui::VGrid>(2, em / 4);
    const CommandTable& listed = own_commands_.commands().empty() ? commands_ : own_commands_;
    for (const Command& command : listed.commands()) {
      if (command.help.empty() || command.keys.empty()) continue;
      keys->AddChild(std::make_shared<gui::Label>(command.keys.c_str()));
      keys->AddChild(std::make_shared<gui::Label>(command.help.c_str()));
    }
    help_->AddChild(keys);
    help_->SetVisible(false);
  }

  // False if it is not open.
  bool LeaveList() {
    if (!help_->IsVisible()) return false;
    help_->SetVisible(false);
    SetNeedsLayout();
    Redraw();
    return true;
  }

  // Asks for a drawing in a coming tick, and again while the renderer drops it.
  void Redraw() { pending_draws_ = std::max(pending_draws_, 1); }

  // What comes between two drawings. Open3D looks whether a button is down when it draws: a click shorter
  // than a drawing would be lost. So a button counts as down until that was seen, and another drawing sees it
  // up. Keys wait until then: they would be taken for the keys of what is being clicked on, and be lost, too.
  // And Open3D draws for every movement of the mouse, which may take all the time there is: a tick hands on
  // the last one, and while no button is down one in 30 ms does.
  void CatchEvents() {
    auto* const window = static_cast<GLFWwindow*>(GetOSWindow());
    glfwSetInputMode(window, GLFW_STICKY_MOUSE_BUTTONS, GLFW_TRUE);
    button_handler_ =
        glfwSetMouseButtonCallback(window, [](GLFWwindow* clicked, int button, int action, int modifiers) {
          MainWindow& self = Of(clicked);
          self.HandOnMove();
          const unsigned bit = 1u << button;
          self.buttons_down_ = action == GLFW_PRESS ? self.buttons_down_ | bit : self.buttons_down_ & ~bit;
          self.pending_draws_ = self.clicked_draws_ = 2;
          self.button_handler_(clicked, button, action, modifiers);
        });
    key_handler_ =
        glfwSetKeyCallback(window, [](GLFWwindow* typed, int key, int scancode, int action, int modifiers) {
          MainWindow& self = Of(typed);
          self.TakeKey({.is_down = action != GLFW_RELEASE, .hand_on = [=, handler = self.key_handler_] {
                          handler(typed, key, scancode, action, modifiers);
                        }});
        });
    text_handler_ = glfwSetCharCallback(window, [](GLFWwindow* typed, unsigned character) {
      MainWindow& self = Of(typed);
      self.TakeKey(
          {.is_text = true, .hand_on = [=, handler = self.text_handler_] { handler(typed, character); }});
    });
    move_handler_ = glfwSetCursorPosCallback(
        window, [](GLFWwindow* moved, double x, double y) { Of(moved).moved_to_ = std::pair(x, y); });
  }

  // The display's scale. Open3D scales texts by it, but states 1 if its pixels are those of the screen.
  float Scaling() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(static_cast<GLFWwindow*>(GetOSWindow()), &x, &y);
    return x > 0 ? x : 1;
  }

  static MainWindow& Of(GLFWwindow* window) {
    return static_cast<MainWindow&>(*static_cast<gui::Window*>(glfwGetWindowUserPointer(window)));
  }

  void HandOnMove() {
    if (const auto to = std::exchange(moved_to_, std::nullopt))
      move_handler_(static_cast<GLFWwindow*>(GetOSWindow()), to->first, to->second);
  }

  // A key that goes down or up, or the character that it makes.
  struct WaitingKey {
    bool is_down = false, is_text = false;
    std::function<void()> hand_on;
  };

  void TakeKey(WaitingKey key) {
    if (clicked_draws_ == 0 && waiting_keys_.empty() && !IsEdited()) return key.hand_on();
    waiting_keys_.push_back(std::move(key));
  }

  // Whether a text is being edited, or a slider held.
  static bool IsEdited() { return ImGui::GetCurrentContext() != nullptr && ImGui::IsAnyItemActive(); }

  // A text that is edited looks which keys are down when it is drawn: one that is down and up again before
  // that would be lost, and of two the order. So a drawing follows each that goes down.
  void HandOnKeys() {
    if (clicked_draws_ > 0 || waiting_keys_.empty()) return;
    auto end = waiting_keys_.end();
    if (IsEdited()) {
      const auto down =
          std::find_if(waiting_keys_.begin(), end, [](const WaitingKey& key) { return key.is_down; });
      if (down != end) end = std::find_if(down + 1, end, [](const WaitingKey& key) { return !key.is_text; });
      pending_draws_ = clicked_draws_ = 2;
    }
    // Not from a tick: a key may close the window.
    for (auto key = waiting_keys_.begin(); key != end; ++key)
      gui::Application::GetInstance().PostToMainThread(this, std::move(key->hand_on));
    waiting_keys_.erase(waiting_keys_.begin(), end);
  }

  // Every 10 ms; true asks for a redraw.
  bool Tick() {
    constexpr std::chrono::milliseconds kBetweenHovers(30);
    if (const auto now = std::chrono::steady_clock::now();
        buttons_down_ != 0 || now - hovered_at_ >= kBetweenHovers) {
      if (moved_to_) hovered_at_ = now;
      HandOnMove();
    }
    HandOnKeys();
    for (const auto& [button, is_offered] : offered_later_) {
      if (button->IsVisible() == is_offered()) continue;
      button->SetVisible(!button->IsVisible());
      SetNeedsLayout();
      Redraw();
    }
    if (const bool paused = timeline_->paused(); paused != shown_paused_) {
      shown_paused_ = paused;
      if (pause_) pause_->SetText(paused ? "Resume" : "Pause");
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
    for (const std::unique_ptr<WindowPart>& part : parts_) part->Tick();
    if (mailbox_.close_requested() && !std::exchange(closing_, true)) {
      // Not from here: the application walks its windows while they tick.
      gui::Application::GetInstance().PostToMainThread(this, [this] { Close(); });
    }
    state_.WriteIfChanged();
    return pending_draws_ > 0 || mailbox_.screenshot_wanted();
  }

  bool Key(const gui::KeyEvent& event) {
    if (event.type != gui::KeyEvent::DOWN || ImGui::IsAnyItemActive()) return false;
    const std::string key = KeyText(event, GetMouseMods());
    return key != "Esc" && (own_commands_.Press(key) || commands_.Press(key));  // Escape: see SetOnClose
  }

  void Upload(ViewerFrame frame) {
    has_cloud_ |= frame.cloud_frame && frame.cloud_frame->cloud.size() > 0;
    for (const std::unique_ptr<WindowPart>& part : parts_) part->Show(frame);
    name_ = frame.name;
    status_text_ = frame.status;
    status_->SetTextColor(frame.is_alarm ? gui::Color(1, 0.35f, 0.3f) : gui::Color(0, 0, 0, 0));  // 0: usual
    end_.clear();
    message_.clear();
    UpdateStatus();
    // The render thread reads the tensors later: they live until the next frame but one has been handed over.
    previous_ = std::move(current_);
    current_ = std::move(frame);
  }

  void UpdateStatus() {
    std::string text = name_.empty() ? "waiting for the first frame" : name_;
    for (const std::string& part :
         {status_text_, end_, std::string(shown_paused_ ? "paused" : ""), message_}) {
      if (!part.empty()) text += "    " + part;
    }
    status_->SetText(text.c_str());
    SetNeedsLayout();
    Redraw();
  }

  // Called after every drawing that was not dropped.
  void AfterDraw() {
    draws_.Count();
    cloud_->AfterDraw();
    for (int* draws : {&pending_draws_, &clicked_draws_}) *draws = std::max(0, *draws - 1);
    if (TakeScreenshot()) return;
    // Pixels that are asked for make Open3D wait until this drawing is done. Without that, drawings that are
    // asked for faster than they can be made pile up in the renderer until it has no handle left, and
    // crashes.
    GetRenderer().RequestReadPixels(1, 1, [](const std::shared_ptr<Tensor>&) {});
  }

  // True if this drawing was wanted as a picture.
  bool TakeScreenshot() {
    const auto is_busy = [](const std::unique_ptr<WindowPart>& part) { return part->IsBusy(); };
    if (pending_draws_ > 0 || std::any_of(parts_.begin(), parts_.end(), is_busy)) return false;
    const ScreenshotCallback done = mailbox_.TakeScreenshot(shown_frame_);
    if (!done) return false;
    const gui::Size size = GetSize();
    GetRenderer().RequestReadPixels(size.width, size.height,
                                    [done](std::shared_ptr<Tensor> pixels) { done(FromOpen3D(*pixels)); });
    return true;
  }

  Mailbox& mailbox_;
  const std::shared_ptr<Timeline> timeline_;
  CommandTable own_commands_, commands_;  // of the window's owner, and its own
  WindowState state_;
  SidePanel panel_;
  std::vector<std::pair<std::string, WidgetPtr>> controls_;
  std::vector<WidgetPtr> rows_;
  WindowRooms rooms_{
      .commands = commands_,
      .state = state_,
      .panel = panel_,
      .mailbox = mailbox_,
      .add_row = [this](WidgetPtr row) { rows_.push_back(std::move(row)); },
      .add_control = [this](const std::string& name,
                            const WidgetPtr& control) { controls_.emplace_back(name, control); },
      .redraw = [this] { Redraw(); },
      .relayout =
          [this] {
            SetNeedsLayout();
            Redraw();
          },
      .tell =
          [this](const std::string& message) {
            message_ = message;
            UpdateStatus();
          },
      .mouse =
          [this] {
            double x = 0, y = 0;
            glfwGetCursorPos(static_cast<GLFWwindow*>(GetOSWindow()), &x, &y);
            return gui::Point(static_cast<int>(x), static_cast<int>(y));
          },
      .scaling = [this] { return Scaling(); },
      .show_filled = [this] { return show_filled_; },
      .em = [this] { return GetTheme().font_size; }};
  std::vector<std::unique_ptr<WindowPart>> parts_;
  ImagePanes* images_ = nullptr;  // two of the parts
  CloudPane* cloud_ = nullptr;
  std::shared_ptr<gui::Horiz> bar_;
  std::shared_ptr<gui::Vert> help_;
  std::shared_ptr<gui::Button> pause_;
  std::vector<std::pair<WidgetPtr, std::function<bool()>>> offered_later_;  // buttons
  std::shared_ptr<gui::Label> status_;
  WidgetPtr status_line_, hint_line_;
  const WidgetPtr under_panel_ = std::make_shared<gui::Vert>();  // paints the window's background

  ViewerFrame current_, previous_;
  std::string name_, status_text_, end_, message_;
  long shown_frame_ = 0;
  int pending_draws_ = 3, clicked_draws_ = 0;
  GLFWmousebuttonfun button_handler_ = nullptr;  // Open3D's
  GLFWkeyfun key_handler_ = nullptr;
  GLFWcursorposfun move_handler_ = nullptr;
  GLFWcharfun text_handler_ = nullptr;
  std::vector<WaitingKey> waiting_keys_;
  std::optional<std::pair<double, double>> moved_to_;
  unsigned buttons_down_ = 0;  // a bit each
  std::chrono::steady_clock::time_point hovered_at_{};
  DrawRate draws_;
  bool show_filled_;
  bool has_cloud_ = false, shown_paused_ = false, closing_ = false, escape_used_ = false;
};

}  // namespace

std::shared_ptr<gui::Window> MakeMainWindow(const ViewerOptions& options, Mailbox& mailbox,
                                            bool draws_in_software) {
  return std::make_shared<MainWindow>(options, mailbox, draws_in_software);
}

}  // namespace parallax::app
