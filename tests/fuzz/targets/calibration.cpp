#include <cmath>

#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/two_view_scene.h"
#include "tests/fuzz/target_list.h"

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

}  // namespace parallax::fuzz
