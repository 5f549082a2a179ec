#include "app/view/panes/picture_zoom.h"

#include <algorithm>

namespace parallax::app {

double PictureZoom::FittingScale() const {
  if (picture_width_ < 1 || picture_height_ < 1) return 1;
  return std::min(static_cast<double>(pane_width_) / picture_width_,
                  static_cast<double>(pane_height_) / picture_height_);
}

void PictureZoom::SetSizes(int pane_width, int pane_height, int picture_width, int picture_height) {
  const bool other_picture = picture_width != picture_width_ || picture_height != picture_height_;
  pane_width_ = std::max(1, pane_width);
  pane_height_ = std::max(1, pane_height);
  picture_width_ = picture_width;
  picture_height_ = picture_height;
  if (other_picture || !zoomed_) {
    Fit();
  } else {
    Limit();
  }
}

void PictureZoom::Fit() {
  zoomed_ = false;
  scale_ = FittingScale();
  centre_ = {0.5 * picture_width_, 0.5 * picture_height_};
}

void PictureZoom::PixelToPixel() {
  zoomed_ = true;
  scale_ = 1;
  Limit();
}

void PictureZoom::ZoomAt(PicturePoint pane, double factor) {
  const PicturePoint fixed = ToPicture(pane);
  const double smallest = std::min(1.0, FittingScale());
  scale_ = std::clamp(scale_ * factor, smallest, std::max(kLargestScale, FittingScale()));
  zoomed_ = true;
  const PicturePoint moved = ToPicture(pane);
  centre_.u += fixed.u - moved.u;
  centre_.v += fixed.v - moved.v;
  Limit();
}

void PictureZoom::Pan(double dx, double dy) {
  zoomed_ = true;
  centre_.u -= dx / scale_;
  centre_.v -= dy / scale_;
  Limit();
}

// The pane's middle stays over the picture.
void PictureZoom::Limit() {
  centre_.u = std::clamp(centre_.u, 0.0, static_cast<double>(picture_width_));
  centre_.v = std::clamp(centre_.v, 0.0, static_cast<double>(picture_height_));
}

}  // namespace parallax::app
