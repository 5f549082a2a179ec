#include "app/frames/run_clouds.h"

#include <utility>

#include "app/cloud/cloud_density.h"
#include "app/cloud/cloud_options.h"
#include "app/output/number_text.h"
#include "datasets/formats/cloud_file.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

constexpr int kNeighbours = 8;  // of the density

CloudFigures& CloudFiguresIn(FrameReport& report) {
  if (!report.details.has_value()) report.details = CloudFigures{};
  return std::any_cast<CloudFigures&>(report.details);
}

}  // namespace

CloudFigures CloudFiguresOf(const FrameReport& report) {
  const auto* figures = std::any_cast<CloudFigures>(&report.details);
  return figures != nullptr ? *figures : CloudFigures{};
}

RunClouds::RunClouds(const std::string& clean, std::unique_ptr<CloudMeasures> measures)
    : measures_(std::move(measures)) {
  if (!clean.empty())
    cleaning_.statistical = ParseStatistical("--cloud-clean", clean, OutlierConvention::kPcl);
}

void RunClouds::Clean(PointCloud& cloud, std::vector<float>& values, FrameReport& report) {
  if (!cleans()) return;
  const std::scoped_lock lock(mutex_);
  CheckNotStopped();
  const Stopwatch watch;
  const std::size_t num_before = cloud.size();
  if (num_before > 0) {
    CleanedCloud cleaned = app::Clean(cloud, cleaning_, *measures_);
    if (!values.empty()) {
      std::vector<float> kept;
      kept.reserve(cleaned.indices.size());
      for (const std::int32_t i : cleaned.indices) kept.push_back(values[static_cast<std::size_t>(i)]);
      values = std::move(kept);
    }
    cloud = std::move(cleaned.cloud);
  }
  CloudFigures& figures = CloudFiguresIn(report);
  figures.clean_ms = watch.ms();
  figures.num_points = num_before;
  figures.num_points_removed = num_before - cloud.size();
}

void RunClouds::WriteDensity(const PointCloud& cloud, const std::filesystem::path& file,
                             FrameReport& report) {
  if (cloud.size() <= static_cast<std::size_t>(kNeighbours)) {
    report.notes.push_back("no density: the cloud has only " + CountOf(cloud.size(), "point"));
    return;
  }
  const Stopwatch watch;
  CloudDensity density;
  {
    const std::scoped_lock lock(mutex_);
    CheckNotStopped();
    density = MeasureDensity(*measures_, cloud.points, kNeighbours, DensityKind::kSurface);
  }
  CloudFiguresIn(report).density_ms = watch.ms();
  const ValueScale scale = DensityScale(density);
  WritePly(file, {cloud.points, ColorValues(density.densities, scale)}, CloudEncoding::kBinary,
           {"density, " + UnitOf(density.kind), density.densities});
}

}  // namespace parallax::app
