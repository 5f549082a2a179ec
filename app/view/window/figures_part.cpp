#include "app/view/window/figures_part.h"

#include <fmt/format.h>
#include <open3d/visualization/gui/UIImage.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "app/view/window/side_panel.h"

namespace parallax::app {

// A small picture, as wide as the panel.
class FiguresPart::Plot : public gui::ImageWidget {
 public:
  Plot(int width, int height) : width_(width), height_(height) {}
  gui::Size CalcPreferredSize(const gui::LayoutContext&, const Constraints&) const override {
    return {width_, height_};
  }
  int width() const { return width_; }
  int height() const { return height_; }

  void Show(const HostImage<Rgb8>& picture) {
    auto image = std::make_shared<open3d::geometry::Image>();
    image->Prepare(width_, height_, 3, 1);
    const std::size_t row_bytes = static_cast<std::size_t>(width_) * 3;
    for (int y = 0; y < height_; ++y) {
      std::memcpy(image->data_.data() + static_cast<std::size_t>(y) * row_bytes, picture.Row(y), row_bytes);
    }
    UpdateImage(std::move(image));
  }

 private:
  int width_, height_;
};

FiguresPart::FiguresPart(const WindowRooms& rooms, std::function<std::optional<PixelRectangle>()> rectangle)
    : rooms_(rooms),
      rectangle_(std::move(rectangle)),
      section_(rooms.panel.AddSection("Figures", false)),
      rate_(MakeDimLabel()),
      stages_(MakeDimLabel()),
      values_(MakeDimLabel()),
      noise_text_(MakeDimLabel()),
      history_plot_(std::make_shared<Plot>(19 * rooms.em(), 5 * rooms.em())),
      histogram_plot_(std::make_shared<Plot>(19 * rooms.em(), 4 * rooms.em())) {
  history_plot_->SetTooltip("milliseconds of the latest 120 frames, stage upon stage");
  histogram_plot_->SetTooltip("how many pixels have which depth");
  noise_text_->SetTooltip(
      "of the rectangle (drag with the right button): median of its pixels' standard deviations over the "
      "latest 16 "
      "frames");
  for (const WidgetPtr& widget : std::initializer_list<WidgetPtr>{rate_, history_plot_, stages_,
                                                                  histogram_plot_, values_, noise_text_}) {
    section_->AddChild(widget);
  }
  rooms.state.Add("figures", [this](JsonWriter& json) {
    json.BeginObject();
    json.Key("frames").Value(static_cast<std::int64_t>(history_.size()));
    json.Key("frames_per_second").Value(frame_ms_ > 0 ? 1000 / frame_ms_ : 0);
    json.Key("density_percent").Value(density_percent_);
    json.Key("noise_frames").Value(static_cast<std::int64_t>(noise_.num_frames()));
    json.Key("noise_px");
    const auto noise = noise_.Deviation_px();
    noise ? json.Value(*noise) : json.Null();
    json.EndObject();
  });
}

void FiguresPart::Show(const UploadFrame& upload) {
  if (!upload.shown || upload.shown->a.disparity.Empty()) return;
  const ShownFrame& frame = *upload.shown;
  const Clock::time_point now = Clock::now();
  if (last_) {
    constexpr double kWeight = 0.2;
    const double ms = std::chrono::duration<double, std::milli>(now - *last_).count();
    frame_ms_ = frame_ms_ > 0 ? frame_ms_ + kWeight * (ms - frame_ms_) : ms;
  }
  last_ = now;
  density_percent_ = frame.a.density_percent;
  history_.Add(frame.a.times, frame.a.match_ms);
  noise_.Add(frame, rectangle_());
  undrawn_ = upload.shown;
}

// Only where somebody can see them.
void FiguresPart::Tick() {
  if (undrawn_ && rooms_.panel.shown() && section_->GetIsOpen()) Draw();
}

void FiguresPart::Draw() {
  const std::shared_ptr<const ShownFrame> drawn = std::move(undrawn_);
  const ShownFrame& frame = *drawn;
  history_plot_->Show(history_.Picture(history_plot_->width(), history_plot_->height()));
  rate_->SetText(fmt::format("{:.1f} frames/s shown, plot to {:.1f} ms",
                             frame_ms_ > 0 ? 1000 / frame_ms_ : 0.0, history_.largest_ms())
                     .c_str());
  std::string stages;
  for (std::size_t i = 0; i < frame.a.times.ms.size(); ++i) {
    if (!(frame.a.times.ms[i] > 0)) continue;
    if (!stages.empty()) stages += "\n";
    stages += fmt::format("{}  {:.1f} ms", kStageNames[i], frame.a.times.ms[i]);
  }
  stages_->SetText(stages.empty() ? fmt::format("matching {:.1f} ms", frame.a.match_ms).c_str()
                                  : stages.c_str());

  const ValueHistogram histogram = HistogramOf(frame, 64);
  histogram_plot_->Show(PictureOf(histogram, histogram_plot_->width(), histogram_plot_->height()));
  std::string values = fmt::format("{:.2f} .. {:.2f} {}\ndensity {:.1f} %", histogram.low, histogram.high,
                                   histogram.of_depth ? "m" : "px", frame.a.density_percent);
  if (!frame.a.score_name.empty()) values += fmt::format("\n{} {:.2f}", frame.a.score_name, frame.a.score);
  values_->SetText(values.c_str());

  const auto noise = noise_.Deviation_px();
  noise_text_->SetText(
      noise ? fmt::format("noise {:.3f} px over {} frames", *noise, noise_.num_frames()).c_str()
            : "noise: mark a rectangle, see two frames");
  rooms_.relayout();
}

}  // namespace parallax::app
