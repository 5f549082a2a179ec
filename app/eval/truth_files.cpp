#include "app/eval/truth_files.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <variant>

#include "app/options/adjusted_source.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

HostImage<float> ReadTrueDisparity(const TruthFiles& files) {
  const std::filesystem::path file = files.disparity;
  if (EndingOf(file) == ".pfm") return ReadPfm(file);
  if (files.scale > 0) return ReadScaledDisparity(file, files.scale);
  if (std::holds_alternative<HostImage<std::uint16_t>>(ReadImage(file))) return ReadDisparityPng(file);
  throw InvalidArgument(files.disparity +
                        ": 8-bit truth needs its scale, --truth-scale N (disparity = value / N; Aloe 1, "
                        "Middlebury 2003 quarter size 4, 2005 third size 3)");
}

void ReadMasks(const TruthFiles& files, GroundTruth& truth) {
  if (!files.nonoccluded.empty()) truth.nonoccluded = ReadGray8(files.nonoccluded);
  if (!files.objects.empty()) truth.objects = ReadGray8(files.objects);
}

}  // namespace

void AddTruthOptions(CLI::App& command, TruthFiles& files) {
  command
      .add_option(
          "--truth", files.disparity,
          "True disparities of the pair: .pfm, 16-bit KITTI PNG, or an 8-bit image with --truth-scale")
      ->type_name("FILE");
  command.add_option("--truth-scale", files.scale, "Scale of 8-bit truth: disparity = value / N")
      ->check(CLI::Range(1, 255))
      ->type_name("N");
  command
      .add_option("--truth-mask,--mask", files.nonoccluded,
                  "8-bit image for one frame: 255 = non-occluded truth")
      ->type_name("FILE");
  command
      .add_option("--objects", files.objects,
                  "8-bit image for one frame: 0 = background, else foreground (KITTI 2015)")
      ->type_name("FILE");
}

GroundTruth ReadTruth(const TruthFiles& files) {
  GroundTruth truth;
  truth.disparity = ReadTrueDisparity(files);
  ReadMasks(files, truth);
  return truth;
}

std::unique_ptr<FrameSource> WithNamedTruth(std::unique_ptr<FrameSource> source, const TruthFiles& files) {
  if (files.disparity.empty() && files.nonoccluded.empty() && files.objects.empty()) return source;
  if (source->num_frames().value_or(0) != 1) {
    throw InvalidArgument(
        "--truth, --truth-mask and --objects belong to a single frame, but the source has several");
  }
  return std::make_unique<AdjustedSource>(std::move(source), [files](StereoFrame& frame) {
    if (!files.disparity.empty()) {
      frame.truth = ReadTruth(files);
    } else if (frame.truth) {
      ReadMasks(files, *frame.truth);
    }
  });
}

}  // namespace parallax::app
