#include "parallax/rig.h"

#include <mutex>
#include <optional>
#include <utility>

#include "library/rig_of.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#ifdef PARALLAX_WITH_FILES
#include "datasets/calibration/calibration_file.h"
#endif

namespace parallax {
namespace {

std::string SizeText(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

}  // namespace

struct Rig::Inside {
  std::string name;  // of its file
  std::optional<StereoRig> pair;
  int pair_width_px = 0, pair_height_px = 0;  // 0 = not told
  std::shared_ptr<const RawRig> raw;
  RectificationOptions options;
  std::mutex mutex;
  std::shared_ptr<const Rectifier> rectifier;  // of the raw rig, from its first images on
  int width_px = 0, height_px = 0;             // of these

  std::shared_ptr<const Rectifier> RectifierFor(int width, int height) {
    if (!raw) {
      throw InvalidArgument("the rig" + (name.empty() ? "" : " " + name) +
                            " is a rectified pair: raw images need the calibration of the raw cameras");
    }
    const std::scoped_lock lock(mutex);
    if (!rectifier || width != width_px || height != height_px) {
      RawRig sized = *raw;
      for (CameraModel* camera : {&sized.left, &sized.right}) {
        if (camera->width_px == 0) camera->width_px = width, camera->height_px = height;
        if (camera->width_px == width && camera->height_px == height) continue;
        throw Error("the images are " + SizeText(width, height) + ", but " + name + " is for " +
                    SizeText(camera->width_px, camera->height_px) +
                    " images: use the rig of this camera mode, or calibrate at this size");
      }
      rectifier = std::make_shared<const Rectifier>(sized, options);
      width_px = width;
      height_px = height;
    }
    return rectifier;
  }
};

Rig::Rig(std::shared_ptr<Inside> inside) : inside_(std::move(inside)) {}
Rig::Rig(const StereoRig& rectified) : inside_(std::make_shared<Inside>()) { inside_->pair = rectified; }

#ifdef PARALLAX_WITH_FILES
Rig Rig::Load(const std::string& name, const RectificationOptions& options) {
  const Calibration calibration = ReadCalibration(name);
  auto inside = std::make_shared<Inside>();
  inside->name = name;
  inside->options = options;
  if (calibration.raw) inside->raw = std::make_shared<const RawRig>(*calibration.raw);
  if (calibration.rectified) {
    inside->pair = calibration.rectified->rig;
    inside->pair_width_px = calibration.rectified->width_px;
    inside->pair_height_px = calibration.rectified->height_px;
  }
  return Rig(std::move(inside));
}
#else
Rig Rig::Load(const std::string& name, const RectificationOptions&) {
  throw Error(name + ": this library was built without readers of files: build it with PARALLAX_APP=ON");
}
#endif

Rig RigOf(const RawRig& raw, const RectificationOptions& options) {
  auto inside = std::make_shared<Rig::Inside>();
  inside->name = "the rig";
  inside->options = options;
  inside->raw = std::make_shared<const RawRig>(raw);
  return Rig(std::move(inside));
}

bool Rig::IsRaw(int width, int height) const {
  const Inside& in = *inside_;
  if (!in.raw) return false;
  if (!in.pair) return true;
  const bool fits_raw = in.raw->left.width_px == width && in.raw->left.height_px == height;
  return fits_raw || in.pair_width_px != width || in.pair_height_px != height;
}

StereoRig Rig::Rectified(int width, int height) const {
  Inside& in = *inside_;
  if (IsRaw(width, height)) return in.RectifierFor(width, height)->rectification().rig;
  if (in.pair_width_px > 0 && (in.pair_width_px != width || in.pair_height_px != height)) {
    throw Error("the images are " + SizeText(width, height) + ", but " + in.name + " is for " +
                SizeText(in.pair_width_px, in.pair_height_px) + " images: use the calibration for this size");
  }
  return *in.pair;
}

RectifiedPair Rig::Rectify(const CameraImageView& left, const CameraImageView& right) const {
  const auto rectifier = inside_->RectifierFor(WidthOf(left), HeightOf(left));
  return {rectifier->RectifyLeft(left), rectifier->RectifyRight(right), rectifier->rectification().rig,
          rectifier->seen()};
}

}  // namespace parallax
