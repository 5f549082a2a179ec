#include "datasets/synthetic/synthetic_source.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "datasets/synthetic/named_scenes.h"
#include "datasets/synthetic/ray_caster.h"
#include "datasets/synthetic/sensor.h"
#include "datasets/synthetic/spec.h"
#include "pipeline/threads/parallel.h"

namespace parallax {
namespace {

using namespace synthetic;

// The part of an image from column x0 on.
HostImageView<const Color> Columns(const HostImage<Color>& image, int x0, int width) {
  HostImageView<const Color> view = image.ConstView();
  view.data += x0;
  view.width = width;
  return view;
}

class SyntheticSource final : public FrameSource {
 public:
  // text: the spec as it was given.
  SyntheticSource(std::string_view text, bool with_truth)
      : text_(text), spec_(ParseSpec(text)), with_truth_(with_truth), pool_(spec_.threads) {}

  SourceKind kind() const override { return SourceKind::kSynthetic; }
  std::optional<std::size_t> num_frames() const override { return static_cast<std::size_t>(spec_.frames); }
  std::optional<std::string> NextName() override {
    if (next_ >= spec_.frames) return std::nullopt;
    char name[32];
    std::snprintf(name, sizeof name, "%06d_10", next_);
    return name;
  }
  void Skip() override { ++next_; }
  std::string NextOrigin() override { return "synthetic:" + text_ + " #" + std::to_string(next_); }

  StereoFrame Read() override {
    const auto name = NextName();
    if (!name)
      throw Error("synthetic:" + spec_.scene + " has no more than " + std::to_string(spec_.frames) +
                  " frames");
    StereoFrame frame;
    frame.origin = NextOrigin();
    const int index = next_++;
    const Scene scene = BuildScene(spec_, spec_.still == 1 ? 0 : index);
    frame.name = *name;
    frame.timestamp_s = index * kFramePeriod_s;
    frame.rig = scene.rig;
    const double largest_px =
        spec_.scene == "shift" ? spec_.shift + 1 : spec_.disparities - scene.rig.doffs_px;
    frame.num_disparities_hint = std::max(1, static_cast<int>(std::ceil(largest_px)));
    if (spec_.scene == "shift") {
      RenderShift(scene, index, frame);
      return frame;
    }
    const int w = spec_.width, h = spec_.height;
    if (!views_ || spec_.still == 0) {
      views_.emplace(RenderView(scene, Camera::kLeft, w, h, spec_.samples, pool_),
                     RenderView(scene, Camera::kRight, w, h, spec_.samples, pool_));
    }
    frame.left = Expose(views_->first.ConstView(), SensorOf(Camera::kLeft, index), pool_);
    frame.right = Expose(views_->second.ConstView(), SensorOf(Camera::kRight, index), pool_);
    if (with_truth_) frame.truth = RenderTruth(scene, w, h, pool_);
    return frame;
  }

 private:
  Sensor SensorOf(Camera camera, int index) const {
    Sensor s;
    s.color = spec_.color == 1;
    s.bits = spec_.bits;
    s.noise = spec_.noise;
    s.seed = DeriveSeed(DeriveSeed(static_cast<std::uint64_t>(spec_.seed), index),
                        camera == Camera::kLeft ? 1 : 2);
    if (camera == Camera::kRight) s.gain = spec_.gain, s.offset = spec_.offset;
    return s;
  }

  // Both images are cut out of one: right(x - shift) is left(x), to the bit (before noise, gain and offset).
  void RenderShift(const Scene& scene, int index, StereoFrame& frame) {
    const int w = spec_.width, h = spec_.height, shift = spec_.shift;
    const auto strip = RenderView(scene, Camera::kLeft, w + std::abs(shift), h, spec_.samples, pool_);
    frame.left = Expose(Columns(strip, std::max(0, -shift), w), SensorOf(Camera::kLeft, index), pool_);
    frame.right = Expose(Columns(strip, std::max(0, shift), w), SensorOf(Camera::kRight, index), pool_);
    if (!with_truth_) return;
    GroundTruth truth{HostImage<float>(w, h, static_cast<float>(shift)), HostImage<std::uint8_t>(w, h),
                      HostImage<std::uint8_t>(w, h, 0)};
    for (int y = 0; y < h; ++y) {
      for (int x = 0; x < w; ++x) truth.nonoccluded(x, y) = x - shift >= 0 && x - shift < w ? 255 : 0;
    }
    frame.truth = std::move(truth);
  }

  const std::string text_;
  SyntheticSpec spec_;
  bool with_truth_;
  ThreadPool pool_;
  int next_ = 0;
  std::optional<std::pair<HostImage<Color>, HostImage<Color>>> views_;  // left and right, of the last frame
};

}  // namespace

std::unique_ptr<FrameSource> OpenSyntheticSource(const std::string& spec, const SourceOptions& options) {
  constexpr std::string_view kPrefix = "synthetic:";
  std::string_view text = spec;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  return std::make_unique<SyntheticSource>(text, options.with_truth);
}

}  // namespace parallax
