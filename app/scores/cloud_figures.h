// The figures of clouds from `parallax eval --cloud`. Each row has a key (docs/clouds.md), the table that
// shows the figure, and the header of its column; rows are in the order of the columns.
#pragma once

#include <stdexcept>
#include <string_view>

namespace parallax::app {

// The tables, in the order in which they are printed.
enum class CloudTable { kDistances, kShares, kGeodesics, kDensity, kNone };

struct CloudFigure {
  const char* key;
  CloudTable table = CloudTable::kNone;  // kNone: only in CSV and JSON
  const char* header = nullptr;
  const char* format = nullptr;  // of printf
};

inline constexpr CloudFigure kCloudFigures[] = {
    {"cloud_accuracy_m", CloudTable::kDistances, "accuracy", "%.4f"},
    {"cloud_accuracy_q50_m"},
    {"cloud_accuracy_q90_m"},
    {"cloud_completeness_m", CloudTable::kDistances, "complete", "%.4f"},
    {"cloud_completeness_q50_m"},
    {"cloud_completeness_q90_m"},
    {"cloud_chamfer_sum_m", CloudTable::kDistances, "Chamfer", "%.4f"},
    {"cloud_chamfer_squared_sum_m2"},
    {"cloud_hausdorff_m", CloudTable::kDistances, "Hausdorff", "%.3f"},
    {"cloud_depth_bias_m", CloudTable::kDistances, "z bias", "%.4f"},
    {"cloud_depth_median_abs_m", CloudTable::kDistances, "z med abs", "%.4f"},
    {"cloud_depth_mean_abs_m", CloudTable::kDistances, "z mean abs", "%.4f"},
    {"cloud_depth_rms_m"},
    {"cloud_emd_lower_m", CloudTable::kDistances, "EMD from", "%.4f"},
    {"cloud_emd_upper_m", CloudTable::kDistances, "to", "%.4f"},
    {"cloud_emd_draws_m", CloudTable::kDistances, "of draws", "%.4f"},
    {"cloud_geodesic_pairs", CloudTable::kGeodesics, "pairs", "%.0f"},
    {"cloud_geodesic_straight", CloudTable::kGeodesics, "estimate", "%.3f"},
    {"cloud_geodesic_straight_truth", CloudTable::kGeodesics, "truth", "%.3f"},
    {"cloud_geodesic_ratio", CloudTable::kGeodesics, "est/truth", "%.3f"},
    {"cloud_geodesic_shortcuts", CloudTable::kGeodesics, "shortcuts", "%.2f"},
    {"cloud_geodesic_torn", CloudTable::kGeodesics, "torn", "%.2f"},
    {"cloud_points", CloudTable::kDensity, "points", "%.0f"},
    {"cloud_judged_points", CloudTable::kDensity, "judged", "%.0f"},
    {"cloud_truth_points", CloudTable::kDensity, "truth", "%.0f"},
    {"cloud_spacing_m", CloudTable::kDensity, "distance, m", "%.4f"},
    {"cloud_density_p5"},
    {"cloud_density", CloudTable::kDensity, "points/m^2", "%.1f"},
    {"cloud_density_p95"},
    {"cloud_ms", CloudTable::kDensity, "cloud ms", "%.0f"},
};

// The same for the figures of each threshold: "_0.1m" is added to their keys, " 0.1m" to their headers.
inline constexpr CloudFigure kCloudThresholdFigures[] = {
    {"cloud_precision", CloudTable::kShares, "P", "%.2f"},
    {"cloud_recall", CloudTable::kShares, "R", "%.2f"},
    {"cloud_f", CloudTable::kShares, "F", "%.2f"},
};

// The key itself. A key without a row above does not compile.
consteval const char* CloudKey(std::string_view key) {
  for (const CloudFigure& figure : kCloudFigures) {
    if (figure.key == key) return figure.key;
  }
  for (const CloudFigure& figure : kCloudThresholdFigures) {
    if (figure.key == key) return figure.key;
  }
  throw std::invalid_argument("no figure of clouds has this key");
}

}  // namespace parallax::app
