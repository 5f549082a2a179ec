#include "pipeline/calibration/rectifier.h"

#include <limits>
#include <string>
#include <utility>

#include "parallax/error.h"

namespace parallax {
namespace {

bool AllSeen(const HostImage<std::uint8_t>& seen) {
  for (int y = 0; y < seen.height(); ++y) {
    for (int x = 0; x < seen.width(); ++x) {
      if (seen(x, y) == 0) return false;
    }
  }
  return true;
}

CameraImage Remapped(const CameraImageView& image, const RemapTable& table, ThreadPool* threads) {
  return std::visit(
      [&]<typename Pixel>(const HostImageView<const Pixel>& from) -> CameraImage {
        HostImage<Pixel> to(table.width(), table.height());
        Remap(from, table, to.View(), threads);
        return to;
      },
      image);
}

std::string SizeText(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

// Sets the frame's fields that rectification changes.
void Describe(const Rectifier& rectifier, StereoFrame& frame) {
  frame.rig = rectifier.rectification().rig;
  frame.rig_note.clear();
  frame.seen = rectifier.seen();
}

void TakeSize(CameraModel& camera, const CameraImage& image) {
  if (camera.width_px > 0 && camera.height_px > 0) return;
  camera.width_px = WidthOf(ViewOf(image));
  camera.height_px = HeightOf(ViewOf(image));
}

void CheckFits(const CameraModel& camera, const CameraImage& image, const char* which) {
  const int width = WidthOf(ViewOf(image)), height = HeightOf(ViewOf(image));
  if (width == camera.width_px && height == camera.height_px) return;
  throw Error(std::string("the ") + which + " image is " + SizeText(width, height) + ", but the rig is for " +
              SizeText(camera.width_px, camera.height_px) +
              " images: use the rig of this camera mode, or calibrate at this size");
}

}  // namespace

void RemoveUnseen(const SeenPixelsOfPair& seen, DisparityMap& map) {
  if (seen.all) return;
  if (!SameSize(seen.left.ConstView(), map.disparity.ConstView()))
    throw InvalidArgument("the disparity map and the rectified images differ in size");
  const int width = map.disparity.width();
  for (int y = 0; y < map.disparity.height(); ++y) {
    for (int x = 0; x < width; ++x) {
      const int match = MatchColumn(x, map.disparity(x, y), width);
      if (seen.left(x, y) != 0 && (match < 0 || seen.right(match, y) != 0)) continue;
      map.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
      if (!map.validity.Empty()) {
        map.validity(x, y) =
            static_cast<std::uint8_t>((map.validity(x, y) | kOutOfRange) & ~unsigned{kFilled});
      }
    }
  }
}

Rectifier::Rectifier(const RawRig& rig, const RectificationOptions& options, ThreadPool* threads)
    : rectification_(MakeRectification(rig, options)) {
  const Rectification& r = rectification_;
  left_ = std::make_shared<const RemapTable>(
      MakeRemapTable(rig.left, r.rectified_from_left, r.rig, r.width_px, r.height_px, threads));
  right_ = MakeRemapTable(rig.right, r.rectified_from_right, r.rig, r.width_px, r.height_px, threads);
  FindSeen({});
}

Rectifier::Rectifier(const Rectifier& other, const RawRig& rig, const RightTurn_urad& turn)
    : rectification_(other.rectification_), left_(other.left_) {
  const Rectification& r = rectification_;
  const Matrix3 turned_back = Transposed(RotationOf(RotationVectorOf(turn)));
  right_ = MakeRemapTable(rig.right, turned_back * r.rectified_from_right, r.rig, r.width_px, r.height_px);
  FindSeen(turn);
}

void Rectifier::FindSeen(const RightTurn_urad& turn) {
  auto seen = std::make_shared<SeenPixelsOfPair>();
  seen->turn_urad = turn;
  seen->left = SeenPixels(*left_);
  seen->right = SeenPixels(right_);
  seen->all = AllSeen(seen->left) && AllSeen(seen->right);
  seen_ = std::move(seen);
}

CameraImage Rectifier::RectifyLeft(const CameraImageView& image, ThreadPool* threads) const {
  return Remapped(image, *left_, threads);
}
CameraImage Rectifier::RectifyRight(const CameraImageView& image, ThreadPool* threads) const {
  return Remapped(image, right_, threads);
}

std::shared_ptr<const Rectifier> FrameRectifier::For(const StereoFrame& frame) {
  if (frame.rectified || !frame.raw_rig) return nullptr;
  RawRig rig = *frame.raw_rig;
  TakeSize(rig.left, frame.left);
  TakeSize(rig.right, frame.right);
  CheckFits(rig.left, frame.left, "left");
  CheckFits(rig.right, frame.right, "right");
  const std::scoped_lock lock(mutex_);
  if (!rectifier_ || rig != *rig_) {
    rectifier_ = std::make_shared<const Rectifier>(rig, options_);
    rig_ = rig;
    if (turn_ != RightTurn_urad{}) rectifier_ = std::make_shared<const Rectifier>(*rectifier_, rig, turn_);
  }
  return rectifier_;
}

void FrameRectifier::SetTurn(const RightTurn_urad& turn) {
  std::unique_lock lock(mutex_);
  if (turn == turn_) return;
  turn_ = turn;
  if (!rectifier_) return;
  const std::shared_ptr<const Rectifier> before = rectifier_;
  const RawRig rig = *rig_;
  lock.unlock();  // frames do not wait for the new tables
  auto turned = std::make_shared<const Rectifier>(*before, rig, turn);
  lock.lock();
  if (rectifier_ == before) rectifier_ = std::move(turned);
}

void FrameRectifier::Prepare(StereoFrame& frame) {
  if (const std::shared_ptr<const Rectifier> rectifier = For(frame)) Describe(*rectifier, frame);
}

void FrameRectifier::Rectify(StereoFrame& frame) {
  const std::shared_ptr<const Rectifier> rectifier = For(frame);
  if (!rectifier) return;
  Describe(*rectifier, frame);
  frame.left = rectifier->RectifyLeft(ViewOf(frame.left));
  frame.right = rectifier->RectifyRight(ViewOf(frame.right));
  frame.rectified = true;
}

}  // namespace parallax
