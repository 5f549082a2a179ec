// What `parallax run` does with a frame's cloud: cleaning and measuring density.
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

// The default of --cloud-clean.
inline constexpr const char* kUsualCloudCleaning = "16,2";

// How a frame's cloud was cleaned or measured; part of the report's write_ms.
struct CloudFigures {
  double clean_ms = 0, density_ms = 0;
  std::size_t num_points = 0, num_points_removed = 0;
};
// The figures that RunClouds left in the report; zeros if it did nothing.
CloudFigures CloudFiguresOf(const FrameReport& report);

// Thread-safe; one thread at a time measures.
class RunClouds {
 public:
  // clean: "K,RATIO" of statistical outliers, PCL's convention; empty = not cleaned. Throws InvalidArgument
  // for a faulty text.
  RunClouds(const std::string& clean, std::unique_ptr<CloudMeasures> measures);

  // Thrown instead of starting on a cloud once stop() is true: other frames may be waiting in front of it,
  // and each takes a second or two.
  struct Stopped {};
  void StopWhen(std::function<bool()> stop) { stop_ = std::move(stop); }

  bool cleans() const { return cleaning_.statistical.has_value(); }

  // Removes outliers, if requested, and adds the time and the number of removed points to the report. values:
  // one for each point, or empty; the removed points' values go with them.
  void Clean(PointCloud& cloud, std::vector<float>& values, FrameReport& report);
  // Writes the cloud coloured by its density. A cloud with too few points gets a note in the report instead.
  void WriteDensity(const PointCloud& cloud, const std::filesystem::path& file, FrameReport& report);

 private:
  void CheckNotStopped() const {
    if (stop_ && stop_()) throw Stopped();
  }

  std::mutex mutex_;
  std::function<bool()> stop_;  // may be empty
  std::unique_ptr<CloudMeasures> measures_;
  CloudCleaning cleaning_;
};

}  // namespace parallax::app
