// Figures of the frames that were shown, and small pictures of them.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/view/panes/pane_picture.h"
#include "app/view/panes/shown_frame.h"
#include "parallax/image.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax::app {

// Milliseconds a stage of the latest frames.
class StageHistory {
 public:
  static constexpr std::size_t kNumFrames = 120;

  void Add(const StageTimes& times, double match_ms);
  // Columns from left (long ago) to right, stages stacked from below in the colours of StageColor; as high as
  // the largest frame. Where no stage was timed, the whole in gray.
  HostImage<Rgb8> Picture(int width, int height) const;
  double largest_ms() const;
  std::size_t size() const { return frames_.size(); }

 private:
  struct Times {
    StageTimes stages;
    double match_ms = 0;
  };
  std::deque<Times> frames_;
};
Rgb8 StageColor(Stage stage);

// Shares of the depths (m; of the disparities, px, where there is no depth) in bins of equal width between
// the ends of the frame's range. Empty where no pixel has a value.
struct ValueHistogram {
  float low = 0, high = 0;
  std::vector<double> shares;  // of the pixels that have a value; largest 1
  bool of_depth = false;
};
ValueHistogram HistogramOf(const ShownFrame& frame, std::size_t num_bins);
HostImage<Rgb8> PictureOf(const ValueHistogram& histogram, int width, int height);

// How much the disparities of a rectangle change from frame to frame while nothing moves: the median over its
// pixels of their standard deviations (of n - 1) over the latest frames.
class TemporalNoise {
 public:
  static constexpr std::size_t kNumFrames = 16;

  // Begins anew where the rectangle or the frame's size is another one.
  void Add(const ShownFrame& frame, const std::optional<PixelRectangle>& rectangle);
  std::size_t num_frames() const { return frames_.size(); }
  // Over the pixels that have a value in every frame; nullopt before the second frame or without such a
  // pixel.
  std::optional<double> Deviation_px() const;

 private:
  std::optional<PixelRectangle> rectangle_;
  std::deque<std::vector<float>> frames_;
};

}  // namespace parallax::app
