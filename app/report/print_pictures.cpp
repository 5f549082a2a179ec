#include "app/report/print_pictures.h"

#include <filesystem>

#include "app/output/output_files.h"
#include "app/report/eval_report.h"
#include "app/report/frame_pictures.h"
#include "datasets/formats/image_file.h"
#include "parallax/error.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kNamePlace = "{name}";

}  // namespace

ErrorAnalysis AnalyseAsScored(Metric metric, const StereoFrame& frame, const EvaluatedFrame& evaluated) {
  HostImage<float> estimate = AtTruthSize(evaluated.estimate, frame.truth->disparity.ConstView());
  if (IsKitti(metric)) estimate = InterpolateBackground(estimate.ConstView());
  return AnalyseErrors(frame, estimate.ConstView(), evaluated.confidence, IsWrongOf(metric));
}

PrintPictures::PrintPictures(std::vector<std::string> files, Metric metric)
    : files_(std::move(files)), metric_(metric) {
  for (const std::string& file : files_) {
    const fs::path ending = fs::path(file).extension();
    if (ending != ".png" && ending != ".svg") {
      throw InvalidArgument("--picture " + file +
                            ": name it FILE.png for a frame or FILE.svg for the curves");
    }
    CheckFolder(file);
    has_curves_ = has_curves_ || ending == ".svg";
  }
}

void PrintPictures::Draw(const StereoFrame& frame, const EvaluatedFrame& evaluated) {
  for (const std::string& file : files_) {
    if (fs::path(file).extension() != ".png") continue;
    const std::size_t place = file.find(kNamePlace);
    if (place == std::string::npos && !is_first_) continue;
    std::string named = file;
    if (place != std::string::npos) named.replace(place, kNamePlace.size(), frame.name);
    const HostImage<float> estimate = AtTruthSize(evaluated.estimate, frame.truth->disparity.ConstView());
    const FramePictures pictures = PicturesOf(frame, estimate.ConstView(), IsKitti(metric_));
    WritePng(named, OverviewPicture(frame, pictures).ConstView());
  }
  is_first_ = false;
}

void PrintPictures::Finish() const {
  for (const std::string& file : files_) {
    if (fs::path(file).extension() == ".svg") WriteTextFile(file, SvgFileOf(ChartsOf(analysis_)));
  }
}

}  // namespace parallax::app
