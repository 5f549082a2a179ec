// Measures the quality of disparities of a flat target, with the figures that makers of depth cameras state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "parallax/rig.h"
#include "pipeline/types/disparity_map_view.h"

namespace parallax::app {

// Part of the image, px.
struct ImageRegion {
  int x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const ImageRegion&, const ImageRegion&) = default;
};

// "X,Y,WIDTH,HEIGHT". Throws InvalidArgument for anything else.
ImageRegion ParseRegion(const std::string& text);
// The middle of an image: 40 % of its width and of its height.
ImageRegion MiddleOf(int width, int height);

// Lengths are along the normal of the target's plane; those of Z are along the optical axis. NaN = unknown.
struct FlatTargetFigures {
  int num_frames = 0;
  double fill_percent = 0, least_fill_percent = 0;  // of the region's pixels, matched ones: mean, worst frame
  double filled_percent = 0;                        // the same including filled pixels: mean
  double distance_m = 0;                            // Z of the plane in the middle of the region
  double tilt_degrees = 0;                          // of the plane's normal against the optical axis
  double tilt_right_degrees = 0;                    // above 0: the right side is further away
  double tilt_down_degrees = 0;                     // above 0: the lower side is further away
  double plane_rms_m = 0, plane_rms_px = 0;         // single pixels of single frames, against their frame's
                                                    // plane
  double outlier_percent = 0;                       // further than 5 sigma, left out of the rms
  // Standard deviation of a pixel's Z and disparity over the frames: median of the pixels, and the value that
  // 95 % of them stay below.
  double temporal_m = 0, temporal_px = 0, temporal_p95_m = 0;
  // Rms over the pixels of their mean over the frames against the plane: the part that averaging does not
  // remove.
  double fixed_m = 0, fixed_px = 0;
};

// Takes the maps of one target at rest. Filled pixels count for filled_percent alone.
class FlatTarget {
 public:
  // Throws InvalidArgument if the region does not lie in the image or holds fewer than 100 pixels.
  FlatTarget(const StereoRig& rig, int width, int height, const ImageRegion& region);

  // Throws Error for a map of another size, or whose matched pixels in the region are < 100 or on one line.
  void Add(const DisparityMapView& map);
  void Add(const DisparityMap& map) { Add(ViewOf(map)); }
  FlatTargetFigures Figures() const;

 private:
  struct Pixel {  // sums over the frames, of Z and disparity relative to the first one
    int count = 0;
    double first_z = 0, first_d = 0;
    double z = 0, zz = 0, d = 0, dd = 0;
    double off_m = 0, off_px = 0;  // against the planes
  };
  struct Plane {  // disparity + doffs = a u + b v + c, with u = (x - cx) / fx and v = (y - cy) / fx
    double a = 0, b = 0, c = 0;
    double At(double u, double v) const { return a * u + b * v + c; }
  };
  struct Sample {
    double u = 0, v = 0, disparity = 0;  // with doffs
    std::size_t pixel = 0;
  };
  Plane FitPlane(const std::vector<Sample>& samples, double& limit_px) const;

  const StereoRig rig_;
  const int width_, height_;
  const ImageRegion region_;
  std::vector<Pixel> pixels_;
  std::vector<double> fill_percent_, filled_percent_;
  std::vector<Plane> planes_;
  double squares_m_ = 0, squares_px_ = 0;
  std::size_t num_inliers_ = 0, num_outliers_ = 0;
};

// What the texts about a target say.
struct QualityReport {
  int width = 0, height = 0;  // of the images
  ImageRegion region;
  FlatTargetFigures figures;
  // True distance from the left lens along the optical axis, from a ruler; nullopt = not measured.
  std::optional<double> distance_m;
  double z_error_m() const { return figures.distance_m - *distance_m; }
};
std::string QualityText(const QualityReport& report);
std::string QualityJson(const QualityReport& report);

}  // namespace parallax::app
