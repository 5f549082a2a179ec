#include "app/view/window/play_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace parallax::app {
namespace {

// A slider that is half as wide as the window.
class WideSlider : public gui::Slider {
 public:
  using gui::Slider::Slider;
  gui::Size CalcPreferredSize(const gui::LayoutContext& context,
                              const Constraints& constraints) const override {
    const gui::Size usual = gui::Slider::CalcPreferredSize(context, constraints);
    return {std::max(usual.width, std::min(constraints.width, 4096) / 2), usual.height};
  }
};

std::shared_ptr<gui::Button> AddButton(const WindowRooms& rooms, gui::Horiz& row, const char* text,
                                       const char* command, const char* tooltip) {
  auto button = std::make_shared<gui::Button>(text);
  button->SetPaddingEm(0.6f, 0.1f);
  button->SetTooltip(tooltip);
  button->SetOnClicked([&rooms, command] { rooms.commands.Run(command); });
  rooms.add_control(command, button);
  row.AddChild(button);
  return button;
}

}  // namespace

PlayPart::PlayPart(const WindowRooms& rooms, std::shared_ptr<PlayControls> controls,
                   std::shared_ptr<Timeline> of_frames)
    : rooms_(rooms), controls_(std::move(controls)), timeline_(std::move(of_frames)) {
  if (timeline_->has_end()) AddTime();
  if (controls_->live) {
    AddLive();
    rooms_.state.Add("live", [this] {
      const LiveStatus live = controls_->live();
      return OrderedJson{{"taken", live.num_taken},
                         {"left_out", live.num_left_out},
                         {"latency_ms", live.latency_ms},
                         {"losses", live.num_losses},
                         {"reopened", live.num_reopened}};
    });
  }
  rooms.state.Add("time", [this] {
    OrderedJson json = OrderedJson::object();
    if (timeline_->has_end()) {
      const std::optional<std::size_t> shown = timeline_->shown();
      json = {{"num_frames", timeline_->num_frames()},
              {"shown", shown ? static_cast<std::int64_t>(*shown) : -1},
              {"paused", timeline_->paused()},
              {"at_end", timeline_->at_end()},
              {"source_pace", timeline_->pace() == Pace::kSource}};
    }
    return json;
  });
}

void PlayPart::AddTime() {
  const std::shared_ptr<Timeline> timeline = timeline_;
  CommandTable& commands = rooms_.commands;
  commands.Add({"back", "Left", "one frame back", [timeline] { timeline->Step(-1); }});
  commands.Add({"forward", "Right", "one frame forward", [timeline] { timeline->Step(1); }});
  commands.Add({"back_10", "Shift+Left", "ten frames back", [timeline] { timeline->Step(-10); }});
  commands.Add({"forward_10", "Shift+Right", "ten frames forward", [timeline] { timeline->Step(10); }});
  commands.Add({"first_frame", "Home", "the first frame", [timeline] { timeline->Seek(0); }});
  commands.Add(
      {"last_frame", "End", "the last frame", [timeline] { timeline->Seek(timeline->num_frames() - 1); }});
  commands.Add({"pace", "O", "play as fast as frames were taken, or as they are matched", [timeline] {
                  timeline->SetPace(timeline->pace() == Pace::kSource ? Pace::kFastest : Pace::kSource);
                }});

  const int em = rooms_.em();
  auto row = std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 4));
  AddButton(rooms_, *row, "<", "back", "One frame back (Left)");
  AddButton(rooms_, *row, ">", "forward", "One frame forward (Right)");
  slider_ = std::make_shared<WideSlider>(gui::Slider::INT);
  slider_->SetLimits(1, static_cast<double>(timeline->num_frames()));
  slider_->SetOnValueChanged(
      [timeline](double value) { timeline->Seek(static_cast<std::size_t>(std::max(1.0, value)) - 1); });
  rooms_.add_control("time", slider_);
  row->AddChild(slider_);
  pace_ = std::make_shared<gui::Checkbox>("source's pace");
  pace_->SetTooltip("Play as fast as the frames were taken; else as fast as they are matched (O)");
  pace_->SetOnChecked([this](bool) { rooms_.commands.Run("pace"); });
  rooms_.add_control("pace", pace_);
  row->AddChild(pace_);
  text_ = MakeDimLabel();
  row->AddChild(AlignedWithButtons(text_, em));
  rooms_.add_row(row);
}

void PlayPart::AddLive() {
  const int em = rooms_.em();
  auto row = std::make_shared<gui::Horiz>(em / 2, gui::Margins(em / 2, em / 4));
  text_ = MakeDimLabel();
  row->AddChild(text_);
  rooms_.add_row(row);
}

std::string PlayPart::LiveText() const {
  const LiveStatus live = controls_->live();
  std::string text = fmt::format("{} of {} frames left out", live.num_left_out, live.num_taken);
  if (std::isfinite(live.latency_ms))
    text += fmt::format("    matched {:.0f} ms after they were taken", live.latency_ms);
  if (live.num_losses > 0)
    text += fmt::format("    lost {} times, resumed {} times", live.num_losses, live.num_reopened);
  return text;
}

std::string PlayPart::Text() const {
  std::string text = fmt::format("frame {} of {}", timeline_->current() + 1, timeline_->num_frames());
  if (timeline_->at_end() && !timeline_->paused()) text += ", the end";
  return text;
}

void PlayPart::Tick() {
  if (controls_->live && text_ && ++num_ticks_ % 25 == 0) {  // four times a second
    if (std::string text = LiveText(); text != shown_text_) {
      text_->SetText(text.c_str());
      shown_text_ = std::move(text);
      rooms_.relayout();
    }
  }
  if (!slider_) return;
  const bool at_source_pace = timeline_->pace() == Pace::kSource;
  if (pace_->IsChecked() != at_source_pace) {
    pace_->SetChecked(at_source_pace);
    rooms_.redraw();
  }
  if (std::string text = Text(); text != shown_text_) {
    slider_->SetValue(static_cast<double>(timeline_->current() + 1));
    text_->SetText(text.c_str());
    shown_text_ = std::move(text);
    rooms_.relayout();
  }
}

}  // namespace parallax::app
