// What `parallax run` does with the cloud of a frame: cleaning it, measuring its density.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/cloud/cloud_cleaning.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// Of --cloud-clean without a value.
inline constexpr const char* kUsualCloudCleaning = "16,2";

// What became of a frame's cloud, where it was cleaned or measured; part of the report's write_ms.
struct CloudFigures {
  double clean_ms = 0, density_ms = 0;
  std::size_t num_points = 0, num_points_removed = 0;
};
// As RunClouds left them in the report; zeros where it did nothing.
CloudFigures CloudFiguresOf(const FrameReport& report);

// For several threads: the measures are used by one at a time.
class RunClouds {
 public:
  // Throws InvalidArgument for a faulty text.
  // clean: "K,RATIO" of statistical outliers, PCL's convention; empty = not cleaned.
  RunClouds(const std::string& clean, std::unique_ptr<CloudMeasures> measures);

  // What is thrown instead of beginning with a cloud once stop() is true: other frames may be ahead of it,
  // and each takes a second or two.
  struct Stopped {};
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }

  bool cleans() const { return cleaning_.statistical.has_value(); }

  // Removes outliers, where that was asked for; adds what it took, and how many went, to the report.
  // values: one a point, or none; those of removed points go with them.
  void Clean(PointCloud& cloud, std::vector<float>& values, FrameReport& report);
  // Writes the cloud in the colours of its density. A cloud of too few points has none: a note in the report.
  void WriteDensity(const PointCloud& cloud, const std::filesystem::path& file, FrameReport& report);

 private:
  void CheckGoesOn() const {
    if (stop_ && stop_()) throw Stopped();
  }

  std::mutex mutex_;
  std::function<bool()> stop_;  // may be empty
  std::unique_ptr<CloudMeasures> measures_;
  CloudCleaning cleaning_;
};

}  // namespace parallax::app
