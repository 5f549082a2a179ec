#include "app/view/panes/shown_frame.h"

#include <cmath>
#include <utility>

#include "app/view/display.h"
#include "pipeline/cloud/reprojection.h"

namespace parallax::app {
namespace {

double DensityPercent(HostImageView<const float> disparity) {
  std::size_t num = 0;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) num += std::isnan(disparity(x, y)) ? 0 : 1;
  }
  const double num_pixels = static_cast<double>(disparity.width) * disparity.height;
  return num_pixels > 0 ? 100 * static_cast<double>(num) / num_pixels : 0;
}

}  // namespace

void ImageOnDemand::Make() const {
  std::call_once(made_, [this] {
    image_ = make_();
    range_ = {0, RobustRange(image_.ConstView()).high};
    if (!(range_.high > 0)) range_.high = 1;
  });
}

const HostImage<float>& ImageOnDemand::image() const {
  Make();
  return image_;
}

const ValueRange& ImageOnDemand::range() const {
  Make();
  return range_;
}

ShownSet MakeShownSet(HostImageView<const float> disparity, HostImageView<const std::uint8_t> validity,
                      HostImageView<const std::uint8_t> confidence, const std::optional<StereoRig>& rig,
                      const Parameters& parameters, std::shared_ptr<const void> owner) {
  ShownSet set;
  set.disparity = disparity;
  set.validity = validity;
  set.confidence = confidence;
  set.parameters = parameters;
  set.owner = std::move(owner);
  set.disparity_range = RobustRange(disparity);
  set.density_percent = DensityPercent(disparity);
  if (rig) {
    set.depth_m = HostImage<float>(disparity.width, disparity.height);
    DepthFromDisparity(disparity, *rig, parameters.reprojection, set.depth_m.View());
    set.depth_range = RobustRange(set.depth_m.ConstView());
  }
  return set;
}

ShownFrame MakeShownFrame(const std::shared_ptr<const MatchedFrame>& matched, const std::string& backend) {
  const StereoFrame& frame = matched->frame;
  const auto& [disparity, validity, confidence] = matched->map.View();
  ShownFrame shown;
  shown.name = frame.name;
  shown.index = matched->index;
  shown.left = DisplayImage(ViewOf(frame.left));
  shown.right = DisplayImage(ViewOf(frame.right));
  shown.width = shown.left.width();
  shown.height = shown.left.height();
  shown.rig = frame.rig;
  const bool fits = frame.truth && frame.truth->disparity.width() == shown.width &&
                    frame.truth->disparity.height() == shown.height;
  shown.truth = fits ? &*frame.truth : nullptr;
  shown.read_ms = matched->read_ms;
  shown.owner = matched;
  shown.a = MakeShownSet(disparity, validity, confidence, frame.rig, matched->parameters, matched);
  shown.a.backend = backend;
  shown.a.times = matched->times;
  shown.a.match_ms = matched->match_ms;
  return shown;
}

}  // namespace parallax::app
