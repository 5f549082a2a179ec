#include "app/eval/named_scores.h"

#include <cstddef>

namespace parallax::app {
namespace {

constexpr double kPercent = 100;
constexpr const char* kThresholdNames[] = {"05", "1", "2", "4"};  // of Middlebury and ETH3D, in keys

void AddQuantiles(Scores& named, const ErrorQuantiles& q, const std::string& suffix) {
  named.Add("a50" + suffix, q.a50);
  named.Add("a90" + suffix, q.a90);
  named.Add("a95" + suffix, q.a95);
  named.Add("a99" + suffix, q.a99);
}

// One figure a threshold: "bad05_all" and so on.
template <typename Rates>
void AddRates(Scores& named, const char* prefix, const Rates& rates, const std::string& suffix) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    named.Add(std::string(prefix) + kThresholdNames[i] + suffix, kPercent * rates[i]);
  }
}

}  // namespace

Scores Named(const Kitti2012Scores& s, const std::string& suffix) {
  Scores named;
  const auto add = [&](const char* prefix, const auto& rates, const char* hole_convention) {
    for (int i = 0; i < kKitti2012NumThresholds; ++i) {
      named.Add(prefix + std::to_string(i + 1) + hole_convention + suffix, kPercent * rates[i]);
    }
  };
  add("out", s.outliers, "_all");
  add("out", s.outliers_estimated, "_est");
  named.Add("density" + suffix, kPercent * s.density);
  named.Add("mean_all" + suffix, s.mean_error_px);
  named.Add("mean_est" + suffix, s.mean_error_estimated_px);
  add("out", s.outliers_or_holes, "_or_holes");
  return named;
}

Scores Named(const Kitti2015Counts& c, const std::string& suffix) {
  const struct {
    const char* key;
    const ErrorCount& count;
  } counts[] = {{"d1_bg", c.background},
                {"d1_fg", c.foreground},
                {"d1_all", c.all},
                {"d1_bg_est", c.background_estimated},
                {"d1_fg_est", c.foreground_estimated},
                {"d1_all_est", c.all_estimated}};
  Scores named;
  for (const auto& [key, count] : counts) named.Add(key + suffix, kPercent * count.Rate());
  named.Add("density" + suffix, kPercent * c.Density());
  named.Add("d1_all_or_holes" + suffix, kPercent * c.AllOrHolesRate());
  for (const auto& [key, count] : counts) {
    named.Add(key + suffix + "_errors", static_cast<double>(count.num_errors));
    named.Add(key + suffix + "_pixels", static_cast<double>(count.num_pixels));
  }
  return named;
}

Scores Named(const MiddleburyScores& s, const MiddleburyScores& filled, const std::string& suffix) {
  Scores named;
  AddRates(named, "bad", s.bad, suffix);
  named.Add("invalid" + suffix, kPercent * s.invalid);
  AddRates(named, "totbad", s.totbad, suffix);
  named.Add("avgerr" + suffix, s.mean_error_px);
  named.Add("rms" + suffix, s.rms_error_px);
  AddQuantiles(named, s.quantiles_px, suffix);
  named.Add("evaluated" + suffix, kPercent * s.evaluated);
  named.Add("density" + suffix, kPercent * (1 - s.invalid));
  AddRates(named, "bad", s.bad_estimated, "_est" + suffix);
  AddRates(named, "bad", filled.bad, "_filled" + suffix);
  return named;
}

Scores Named(const Eth3dScores& s, const Eth3dScores& filled, const std::string& suffix) {
  Scores named;
  named.Add("coverage" + suffix, kPercent * s.coverage);
  AddRates(named, "bad", s.bad, suffix);
  named.Add("avgerr" + suffix, s.mean_error_px);
  named.Add("rms" + suffix, s.rms_error_px);
  AddQuantiles(named, s.quantiles_px, suffix);
  AddRates(named, "totbad", s.bad_or_holes, suffix);
  AddRates(named, "bad", filled.bad, "_filled" + suffix);
  return named;
}

Scores Named(const SparsificationScores& s) {
  Scores named;
  named.Add("sparsification_area", kPercent * s.area);
  named.Add("sparsification_best", kPercent * s.best_area);
  named.Add("ause", kPercent * (s.area - s.best_area));
  named.Add("errors_below_median", kPercent * s.errors_below_median);
  return named;
}

}  // namespace parallax::app
