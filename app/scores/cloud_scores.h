// Scores of an estimate's cloud against the truth's: what `parallax eval --cloud` adds. docs/clouds.md defines every
// figure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/output/ordered_json.h"
#include "app/scores/score_table.h"
#include "app/scores/scores.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace CLI {
class App;
}

namespace parallax::app {

struct CloudScoreOptions {
  bool enabled = false;
  std::vector<double> thresholds_m = {0.02, 0.05, 0.1, 0.2, 0.5};
  int k = 8;                       // neighbours of density
  std::int64_t emd_points = 2048;  // sampled from each; 0 = no EMD
  std::uint64_t seed = 0;
  double emd_gap = 0.01;
};
// Declares --cloud and its other options. options must outlive the parsing.
void AddCloudScoreOptions(CLI::App& command, CloudScoreOptions& options);

// Scores frames one by one; the total covers the added ones.
class CloudEvaluator {
 public:
  CloudEvaluator(CloudScoreOptions options, std::unique_ptr<CloudMeasures> measures);
  // Adds figures that were measured elsewhere on that back end.
  CloudEvaluator(CloudScoreOptions options, std::string backend);
  const std::string& backend() const { return backend_; }

  // frame: with truth. estimate: px, NaN = no value; of the truth's size, or smaller by a whole factor.
  // limits: of the depth, for both clouds. Without a calibration, or with an empty cloud, there are no
  // scores, and `why` has a line.
  Scores Measure(const StereoFrame& frame, HostImageView<const float> estimate,
                 const ReprojectionParameters& limits, std::string& why);
  // Adds a frame's scores to the total.
  void Add(const Scores& frame) {
    if (!frame.empty()) frames_.push_back(frame);
  }
  // The plain mean of the frames' figures.
  Scores Total() const;

  std::vector<TableSection> Sections() const;
  // The settings of the measurement.
  OrderedJson Settings() const;

 private:
  void AddDensity(const PointCloud& estimate, Scores& scores);
  void AddComparison(const PointCloud& estimate, const PointCloud& truth, Scores& scores);
  void AddGeodesics(HostImageView<const float> estimate_m, HostImageView<const float> truth_m,
                    const StereoRig& rig, Scores& scores);
  void AddEmd(const PointCloud& estimate, const PointCloud& truth, Scores& scores);

  CloudScoreOptions options_;
  std::unique_ptr<CloudMeasures> measures_;  // null if nothing is measured
  std::string backend_;
  std::vector<Scores> frames_;
};

}  // namespace parallax::app
