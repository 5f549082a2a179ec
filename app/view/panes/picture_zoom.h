// The part of a picture that a pane shows, and its size.
#pragma once

#include <optional>

namespace parallax::app {

// Picture coordinates: pixel (0, 0) covers 0 <= u, v < 1. Pane coordinates: the same for pixels of the pane.
struct PicturePoint {
  double u = 0, v = 0;
};

class PictureZoom {
 public:
  // Most pane pixels for one picture pixel.
  static constexpr double kLargestScale = 64;

  // Sets the sizes, px, >= 1. The point in the middle stays there; a picture of another size is shown whole.
  void SetSizes(int pane_width, int pane_height, int picture_width, int picture_height);

  // Shows the whole picture as large as possible, also after sizes change, until the user zooms.
  void Fit();
  bool fits() const { return !zoomed_; }
  // Shows one picture pixel in one pane pixel.
  void PixelToPixel();
  // Zooms by a factor; what lies below the pane's point stays there.
  void ZoomAt(PicturePoint pane, double factor);
  // Moves by pixels of the pane.
  void Pan(double dx, double dy);

  double scale() const { return scale_; }  // pane pixels for one picture pixel
  PicturePoint ToPicture(PicturePoint pane) const {
    return {centre_.u + (pane.u - 0.5 * pane_width_) / scale_,
            centre_.v + (pane.v - 0.5 * pane_height_) / scale_};
  }
  PicturePoint ToPane(PicturePoint picture) const {
    return {0.5 * pane_width_ + (picture.u - centre_.u) * scale_,
            0.5 * pane_height_ + (picture.v - centre_.v) * scale_};
  }
  PicturePoint centre() const { return centre_; }

 private:
  double FittingScale() const;
  void Limit();

  int pane_width_ = 1, pane_height_ = 1, picture_width_ = 0, picture_height_ = 0;
  double scale_ = 1;
  PicturePoint centre_;
  bool zoomed_ = false;
};

}  // namespace parallax::app
