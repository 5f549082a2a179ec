#include "app/view/window/figures_part.h"

#include <fmt/format.h>

#include <utility>

#include "app/view/window/side_panel.h"

namespace parallax::app {

FiguresPart::FiguresPart(const WindowRooms& rooms)
    : rooms_(rooms), section_(rooms.panel.AddSection("Figures", false)) {
  section_->AddChild(label_);
  rooms.state.Add("figures", [this] {
    return OrderedJson{{"frames", num_frames_},
                       {"frames_per_second", frame_ms_ > 0 ? 1000 / frame_ms_ : 0},
                       {"density_percent", density_percent_}};
  });
}

void FiguresPart::Show(const ViewerFrame& upload) {
  if (!upload.shown || upload.shown->a.disparity.Empty()) return;
  const ShownSet& set = upload.shown->a;
  const Clock::time_point now = Clock::now();
  if (last_) {
    constexpr double kWeight = 0.2;
    const double ms = std::chrono::duration<double, std::milli>(now - *last_).count();
    frame_ms_ = frame_ms_ > 0 ? frame_ms_ + kWeight * (ms - frame_ms_) : ms;
  }
  last_ = now;
  ++num_frames_;
  density_percent_ = set.density_percent;
  text_ = fmt::format("{:.1f} frames/s shown\nmatching {:.1f} ms", frame_ms_ > 0 ? 1000 / frame_ms_ : 0.0,
                      set.match_ms);
  for (std::size_t i = 0; i < set.times.ms.size(); ++i) {
    if (set.times.ms[i] > 0) text_ += fmt::format("\n{}  {:.1f} ms", kStageNames[i], set.times.ms[i]);
  }
  text_ += fmt::format("\ndensity {:.1f} %", set.density_percent);
  if (!set.score_name.empty()) text_ += fmt::format("\n{} {:.2f}", set.score_name, set.score);
}

// Updates the figures only while they are visible.
void FiguresPart::Tick() {
  if (text_.empty() || !rooms_.panel.shown() || !section_->GetIsOpen()) return;
  label_->SetText(std::exchange(text_, {}).c_str());
  rooms_.relayout();
}

}  // namespace parallax::app
