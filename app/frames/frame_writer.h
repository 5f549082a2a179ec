// The files of one frame: DIR/disparity/NAME.png, pfm/NAME.pfm, depth/NAME.png, color/NAME.png,
// cloud/NAME.ply, .pcd, density/NAME.ply, confidence/NAME.png, validity/NAME.png, sigma/NAME.pfm,
// depth_sigma/NAME.pfm, left/NAME.png, right/NAME.png.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/frames/run_clouds.h"
#include "app/output/result_folder.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/uncertainty/uncertainty.h"

namespace parallax::app {

enum class Output {
  kDisparity,
  kPfm,
  kColor,
  kDepth,
  kCloud,
  kPcd,
  kDensity,
  kConfidence,
  kValidity,
  kSigma,
  kDepthSigma,
  kLeft,
  kRight,
  kNone  // alone: no files of frames
};
// Their names, as --write takes them: "disparity, pfm, ..., none".
std::string OutputNames();
// Outputs of these names; throws InvalidArgument for an unknown one.
std::vector<Output> OutputsOf(const std::vector<std::string>& names);

// Writes frames into a folder. Const, so several threads can share it.
class FrameWriter {
 public:
  // asked: what to write; empty: disparity and color, and depth and cloud of frames that have a calibration.
  // uncertainty: for kSigma and kDepthSigma; with one of them, cloud points also have a sigma. show_filled:
  // filled pixels are as bright as others in kColor, and points of clouds. clouds: cleaning and density; may
  // be null without density.
  FrameWriter(std::filesystem::path folder, std::vector<Output> asked,
              const UncertaintyParameters& uncertainty, bool show_filled = false,
              RunClouds* clouds = nullptr);

  // Makes the folder and its subfolders. Throws Error if that fails.
  void MakeFolders() const;

  // Paths, below the folder, of a frame's files with those outputs.
  std::vector<std::string> FilesOf(const std::vector<Output>& outputs, const std::string& name) const;

  // The depth and cloud that the matcher is to compute, for a frame whose cloud is written; nullopt for
  // others.
  std::optional<WantedReprojection> ReprojectionOf(const StereoFrame& frame) const;

  // Writes the files. What needs a calibration that the frame lacks is named in report.missing and left out.
  // Throws Error on a file that cannot be written.
  void Write(const MatchedFrame& matched, FrameReport& report) const;

  std::filesystem::path PathOf(Output output, const std::string& name) const;
  // The outputs that are written for a frame.
  const std::vector<Output>& OutputsFor(bool calibrated) const { return outputs_[calibrated ? 1 : 0]; }
  // The requested outputs; without a request, the usual ones of a frame with or without calibration. Includes
  // requested outputs that the frame cannot have for lack of a calibration.
  std::vector<Output> RequestedOutputs(bool calibrated) const;
  // The folders of all outputs.
  static std::vector<ResultPlace> Places();

 private:
  // sigma: of the disparities; empty if it is not requested.
  void WriteDepthAndCloud(const MatchedFrame& matched, const std::vector<Output>& outputs,
                          const HostImage<float>& sigma, FrameReport& report) const;

  std::filesystem::path folder_;
  std::vector<Output> asked_;
  UncertaintyParameters uncertainty_;
  bool show_filled_;
  RunClouds* clouds_;
  std::array<std::vector<Output>, 2> outputs_;  // without calibration and with it
};

}  // namespace parallax::app
