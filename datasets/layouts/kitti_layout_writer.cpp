#include "datasets/layouts/kitti_layout_writer.h"

#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"

namespace parallax {
namespace {

// Projection matrices of the four rectified cameras, "P0: ..." or "P_rect_00: ..." (row by row, 3 x 4).
// Camera 0 and 2 are the left ones, here at the same place; the last column holds -f * offset.
std::string CalibrationText(const StereoRig& rig, int width, int height, bool is_2015) {
  std::string text;
  for (int camera = 0; camera < 4; ++camera) {
    char line[512];
    if (is_2015) {
      std::snprintf(line, sizeof line, "S_rect_%02d: %.6e %.6e\nP_rect_%02d:", camera, double{1} * width,
                    double{1} * height, camera);
    } else {
      std::snprintf(line, sizeof line, "P%d:", camera);
    }
    text += line;
    const bool is_left = camera % 2 == 0;
    const double cx_px = is_left ? rig.cx_px : rig.cx_px + rig.doffs_px;
    const double offset = is_left ? 0 : -rig.fx_px * rig.baseline_m;
    const double matrix[] = {rig.fx_px, 0, cx_px, offset, 0, rig.fx_px, rig.cy_px, 0, 0, 0, 1, 0};
    for (const double value : matrix) {
      std::snprintf(line, sizeof line, " %.12e", value);
      text += line;
    }
    text += '\n';
  }
  return text;
}

void CheckIsWritable(const StereoFrame& frame) {
  if (!frame.truth) return;
  const auto& d = frame.truth->disparity;
  for (int y = 0; y < d.height(); ++y) {
    for (int x = 0; x < d.width(); ++x) {
      if (d(x, y) < 0 || d(x, y) >= 256) {
        throw InvalidArgument(frame.name + ": KITTI's 16-bit PNG holds disparities of 0 to 255.99 px, not " +
                              std::to_string(d(x, y)));
      }
    }
  }
}

}  // namespace

KittiLayoutWriter::KittiLayoutWriter(std::filesystem::path folder, SourceKind layout)
    : training_(std::move(folder) / "training"), is_2015_(layout == SourceKind::kKitti2015) {
  if (!is_2015_ && layout != SourceKind::kKitti2012) {
    throw InvalidArgument("data sets can only be written in the layout of KITTI 2012 or 2015");
  }
  for (const std::string& below : Folders(layout)) {
    const std::filesystem::path made = training_.parent_path() / below;
    std::error_code error;
    std::filesystem::create_directories(made, error);
    if (error) throw Error(made.string() + ": cannot make this folder: " + error.message());
  }
}

std::vector<std::string> KittiLayoutWriter::Folders(SourceKind layout) {
  if (layout == SourceKind::kKitti2015) {
    return {"training/image_2",    "training/image_3", "training/disp_noc_0",
            "training/disp_occ_0", "training/obj_map", "training/calib_cam_to_cam"};
  }
  return {"training/image_0", "training/image_1", "training/disp_noc", "training/disp_occ", "training/calib"};
}

std::vector<std::string> KittiLayoutWriter::FilesOf(const StereoFrame& frame) const {
  std::vector<std::string> files;
  const auto add = [&](const std::string& folder, const std::string& file) {
    files.push_back("training/" + folder + "/" + file);
  };
  const std::string png = frame.name + ".png";
  add(is_2015_ ? "image_2" : "image_0", png);
  add(is_2015_ ? "image_3" : "image_1", png);
  if (frame.rig) {
    add(is_2015_ ? "calib_cam_to_cam" : "calib", frame.name.substr(0, frame.name.find('_')) + ".txt");
  }
  if (!frame.truth) return files;
  add(is_2015_ ? "disp_occ_0" : "disp_occ", png);
  if (!frame.truth->nonoccluded.Empty()) add(is_2015_ ? "disp_noc_0" : "disp_noc", png);
  if (is_2015_ && !frame.truth->objects.Empty()) add("obj_map", png);
  return files;
}

void KittiLayoutWriter::Write(const StereoFrame& frame) {
  CheckIsWritable(frame);
  const std::string png = frame.name + ".png";
  const auto write_image = [&](const char* folder, const CameraImage& image) {
    std::visit([&](const auto& i) { WritePng(training_ / folder / png, i.ConstView()); }, image);
  };
  write_image(is_2015_ ? "image_2" : "image_0", frame.left);
  write_image(is_2015_ ? "image_3" : "image_1", frame.right);
  if (frame.rig) {
    const CameraImageView left = ViewOf(frame.left);
    const std::string text = CalibrationText(*frame.rig, WidthOf(left), HeightOf(left), is_2015_);
    const std::string number = frame.name.substr(0, frame.name.find('_'));
    AtomicFile file(training_ / (is_2015_ ? "calib_cam_to_cam" : "calib") / (number + ".txt"));
    file.stream() << text;
    file.Commit();
  }
  if (!frame.truth) return;
  const GroundTruth& truth = *frame.truth;
  WriteDisparityPng(training_ / (is_2015_ ? "disp_occ_0" : "disp_occ") / png, truth.disparity.ConstView());
  if (!truth.nonoccluded.Empty()) {
    HostImage<float> visible = truth.disparity.Clone();
    for (int y = 0; y < visible.height(); ++y) {
      for (int x = 0; x < visible.width(); ++x) {
        if (truth.nonoccluded(x, y) != 255) visible(x, y) = std::numeric_limits<float>::quiet_NaN();
      }
    }
    WriteDisparityPng(training_ / (is_2015_ ? "disp_noc_0" : "disp_noc") / png, visible.ConstView());
  }
  if (is_2015_ && !truth.objects.Empty()) WritePng(training_ / "obj_map" / png, truth.objects.ConstView());
}

}  // namespace parallax
