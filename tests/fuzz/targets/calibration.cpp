#include <algorithm>
#include <cmath>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/two_view_scene.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectification.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/calibration_texts.h"
#include "tests/support/raw_rigs.h"

namespace parallax::fuzz {
namespace {

void RequireSound(const StereoRig& rig) {
  for (const double value : {rig.fx_px, rig.cx_px, rig.cy_px, rig.baseline_m, rig.doffs_px}) {
    Require(std::isfinite(value), "the rig is finite");
  }
  Require(rig.fx_px > 0 && rig.baseline_m > 0, "focal length and baseline are positive");
}

void FeedKittiCalibration(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) { RequireSound(ReadKittiRig(path, "P0", "P1")); });
  ReadAsFile(bytes, [](const auto& path) { RequireSound(ReadKittiRig(path, "P_rect_02", "P_rect_03")); });
}

void FeedKittiTimes(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [&](const auto& path) {
    const auto times_s = ReadKittiTimes(path);
    Require(times_s.size() <= bytes.size(), "all times come from the file");
    for (const double time_s : times_s) Require(std::isfinite(time_s), "a time is finite");
  });
}

void FeedMiddleburyCalibration(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) {
    const auto calibration = ReadMiddleburyCalibration(path);
    RequireSound(calibration.rig);
    if (calibration.num_disparities) Require(*calibration.num_disparities > 0, "ndisp is positive");
  });
}

void RequireSound(const Calibration& calibration) {
  Require(calibration.raw || calibration.rectified, "there is a calibration");
  if (calibration.rectified) RequireSound(calibration.rectified->rig);
  if (!calibration.raw) return;
  const RawRig& rig = *calibration.raw;
  CheckRawRig(rig, "what was read");
  // Whatever was read can be used or is refused.
  if (rig.left.width_px > 1 && WhyNotRectifiable(rig).empty() && rig.left.height_px > 1 &&
      rig.right.width_px > 1 && rig.right.height_px > 1) {
    try {
      RequireSound(MakeRectification(rig).rig);
    } catch (const InvalidArgument&) {
      return;
    }
  }
}

void FeedRigFile(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const auto& path) { RequireSound(ReadCalibration(path.string())); });
}

// Two files, one after the other with a zero byte between.
void FeedRigFilePair(std::span<const std::uint8_t> bytes) {
  const auto zero = std::find(bytes.begin(), bytes.end(), 0);
  const auto first = bytes.first(static_cast<std::size_t>(zero - bytes.begin()));
  const auto second = zero == bytes.end() ? bytes.last(0) : bytes.subspan(first.size() + 1);
  ReadAsFile(first, [&](const auto& left) {
    ReadAsFile(second, [&](const auto& right) {
      RequireSound(ReadCalibration(left.string() + "," + right.string()));
    });
  });
}

Bytes PairOf(const std::string& left, const std::string& right) { return BytesOf(left + '\0' + right); }

}  // namespace

const Target kKittiCalibration{
    "kitti_calibration", FeedKittiCalibration, [] {
      return std::vector<Bytes>{
          BytesOf("P0: 7e2 0 6e2 0 0 7e2 1.8e2 0 0 0 1 0\nP1: 7e2 0 6e2 -3.7e2 0 7e2 1.8e2 0 0 0 1 0\n"),
          BytesOf("S_rect_02: 9 5\r\nP_rect_02: 7 0 4 .5 0 7 2 0 0 0 1 0\r\nP_rect_03: 7 0 5 -3 0 7 2 0 0 0 "
                  "1 0")};
    }};

const Target kKittiTimes{"kitti_times", FeedKittiTimes, [] {
                           return std::vector<Bytes>{BytesOf("0.000000e+00\n1.03e-01\n"),
                                                     BytesOf("2011-09-26 13:02:25.964389445\n"
                                                             "2011-09-26 13:02:26.067\n"),
                                                     BytesOf("inf\n"), BytesOf("1e39-09-26 13:02:25.9\n")};
                         }};

const Target kMiddleburyCalibration{
    "middlebury_calibration", FeedMiddleburyCalibration, [] {
      return std::vector<Bytes>{
          BytesOf("cam0=[1038.018 0 322.037; 0 1038.018 243.393; 0 0 1]\n"
                  "cam1=[1038.018 0 375.308; 0 1038.018 243.393; 0 0 1]\ndoffs=53.271\nbaseline=176.252\n"
                  "width=718\nheight=496\nndisp=73\nisint=0\nvmin=11\nvmax=65\ndyavg=0\ndymax=0\n"),
          BytesOf("cam0=[1 0 2;0 1 3;0 0 1]\r\ndoffs=0\r\nbaseline=1\r\n"),
          BytesOf("cam0=[inf 0 2;0 1 3;0 0 1]\ndoffs=0\nbaseline=1\n"),
          BytesOf("cam0=[1 0 2;0 1 3;0 0 1]\ndoffs=0\nbaseline=1\nndisp=nan\n")};
    }};

const Target kRigFile{"rig_file", FeedRigFile, [] {
                        Calibration ours;
                        ours.raw = test::FisheyeRig();
                        ours.rectified = RectifiedCalibration{{700, 320, 240, 0.12, 3}, 640, 480};
                        ours.quality = {{"rms_stereo_px", 0.2}};
                        return std::vector<Bytes>{
                            BytesOf(RigYaml(ours)), BytesOf(test::kKalibr), BytesOf(test::kOpenCvXml),
                            BytesOf(test::kKittiCamToCam),
                            BytesOf(test::kOpenCvIntrinsics + test::kOpenCvExtrinsics.substr(14))};
                      }};

const Target kRigFilePair{
    "rig_file_pair", FeedRigFilePair, [] {
      return std::vector<Bytes>{
          PairOf(test::RosText(0), test::RosText(-60)),
          PairOf(test::EurocText(0, 0, 400), test::EurocText(0, 0.1, 410)),
          PairOf(test::MrcalText(500, "0,0,0,0,0,0"), test::MrcalText(500, "0,0.1,0,-0.1,0,0")),
          PairOf(test::kOpenCvIntrinsics, test::kOpenCvExtrinsics)};
    }};

}  // namespace parallax::fuzz
