// The figures of every benchmark. Each row has a key (docs/metrics.md), the column in the table, and the
// source of the value. Scores, tables, CSV and JSON use these rows alone.
#pragma once

#include <cstddef>
#include <limits>

#include "pipeline/metrics/eth3d.h"
#include "pipeline/metrics/kitti2012.h"
#include "pipeline/metrics/kitti2015.h"
#include "pipeline/metrics/middlebury.h"
#include "pipeline/metrics/sigma_scores.h"
#include "pipeline/metrics/sparsification.h"

namespace parallax::app {

// Printed with as many digits as the benchmark's own tool prints.
inline constexpr const char* kPercent4 = "%.4f";
inline constexpr const char* kPixels6 = "%.6f";
inline constexpr const char* kTwoDecimals = "%.2f";
inline constexpr const char* kSixDigits = "%.6g";

// The estimate that a figure describes: unchanged, or with its holes filled as KITTI does.
enum class Holes { kLeft, kFilled };

template <typename S>
struct Figure {
  const char* key;     // a region's suffix follows: "out3_all" + "_noc"
  const char* header;  // the benchmark's name for it; null: only in CSV and JSON
  const char* format;  // of printf; null without a column
  double (*value)(const S&);
  Holes holes = Holes::kLeft;
};

namespace figures {

// A member in percent, one of its elements in percent, or a member unchanged.
template <auto kMember>
constexpr auto kPercent = [](const auto& scores) { return 100 * (scores.*kMember); };
template <auto kMember, std::size_t kIndex>
constexpr auto kPercentAt = [](const auto& scores) {
  const auto& rates = scores.*kMember;
  return kIndex < rates.size() ? 100 * rates[kIndex] : std::numeric_limits<double>::quiet_NaN();
};
template <auto kMember>
constexpr auto kAsItIs = [](const auto& scores) { return scores.*kMember; };
template <auto kMember>
constexpr auto kQuantile = [](const auto& scores) { return scores.quantiles_px.*kMember; };

using K12 = Kitti2012Scores;
inline constexpr Figure<K12> kKitti2012[] = {
    {"out1_all", ">1 all", kPercent4, kPercentAt<&K12::outliers, 0>},
    {"out2_all", ">2 all", kPercent4, kPercentAt<&K12::outliers, 1>},
    {"out3_all", ">3 all", kPercent4, kPercentAt<&K12::outliers, 2>},
    {"out4_all", ">4 all", kPercent4, kPercentAt<&K12::outliers, 3>},
    {"out5_all", ">5 all", kPercent4, kPercentAt<&K12::outliers, 4>},
    {"out1_est", ">1 est", kPercent4, kPercentAt<&K12::outliers_estimated, 0>},
    {"out2_est", ">2 est", kPercent4, kPercentAt<&K12::outliers_estimated, 1>},
    {"out3_est", ">3 est", kPercent4, kPercentAt<&K12::outliers_estimated, 2>},
    {"out4_est", ">4 est", kPercent4, kPercentAt<&K12::outliers_estimated, 3>},
    {"out5_est", ">5 est", kPercent4, kPercentAt<&K12::outliers_estimated, 4>},
    {"density", "density", kPercent4, kPercent<&K12::density>},
    {"mean_all", "avg all", kPixels6, kAsItIs<&K12::mean_error_px>},
    {"mean_est", "avg est", kPixels6, kAsItIs<&K12::mean_error_estimated_px>},
    {"out1_or_holes", nullptr, nullptr, kPercentAt<&K12::outliers_or_holes, 0>},
    {"out2_or_holes", nullptr, nullptr, kPercentAt<&K12::outliers_or_holes, 1>},
    {"out3_or_holes", nullptr, nullptr, kPercentAt<&K12::outliers_or_holes, 2>},
    {"out4_or_holes", nullptr, nullptr, kPercentAt<&K12::outliers_or_holes, 3>},
    {"out5_or_holes", nullptr, nullptr, kPercentAt<&K12::outliers_or_holes, 4>},
};

using K15 = Kitti2015Counts;
template <auto kMember>
constexpr auto kErrorRate = [](const K15& counts) { return 100 * (counts.*kMember).Rate(); };
inline constexpr Figure<K15> kKitti2015[] = {
    {"d1_bg", "D1-bg", kPercent4, kErrorRate<&K15::background>},
    {"d1_fg", "D1-fg", kPercent4, kErrorRate<&K15::foreground>},
    {"d1_all", "D1-all", kPercent4, kErrorRate<&K15::all>},
    {"d1_bg_est", "D1-bg est", kPercent4, kErrorRate<&K15::background_estimated>},
    {"d1_fg_est", "D1-fg est", kPercent4, kErrorRate<&K15::foreground_estimated>},
    {"d1_all_est", "D1-all est", kPercent4, kErrorRate<&K15::all_estimated>},
    {"density", "density", kPercent4, [](const K15& counts) { return 100 * counts.Density(); }},
    {"d1_all_or_holes", nullptr, nullptr, [](const K15& counts) { return 100 * counts.AllOrHolesRate(); }},
};
// The development kit's counters behind its percentages: KEY_errors of KEY_pixels.
struct CountFigure {
  const char* key;
  const char* header;
  ErrorCount K15::*count;
};
inline constexpr CountFigure kKitti2015Counts[] = {
    {"d1_bg", "bg", &K15::background},
    {"d1_fg", "fg", &K15::foreground},
    {"d1_all", "all", &K15::all},
    {"d1_bg_est", "bg est", &K15::background_estimated},
    {"d1_fg_est", "fg est", &K15::foreground_estimated},
    {"d1_all_est", "all est", &K15::all_estimated},
};

using Mid = MiddleburyScores;
inline constexpr Figure<Mid> kMiddlebury[] = {
    {"evaluated", "pixels%", "%.1f", kPercent<&Mid::evaluated>},
    {"bad05", "bad0.5", kTwoDecimals, kPercentAt<&Mid::bad, 0>},
    {"bad1", "bad1.0", kTwoDecimals, kPercentAt<&Mid::bad, 1>},
    {"bad2", "bad2.0", kTwoDecimals, kPercentAt<&Mid::bad, 2>},
    {"bad4", "bad4.0", kTwoDecimals, kPercentAt<&Mid::bad, 3>},
    {"invalid", "invalid", kTwoDecimals, kPercent<&Mid::invalid>},
    {"totbad05", "tot0.5", kTwoDecimals, kPercentAt<&Mid::totbad, 0>},
    {"totbad1", "tot1.0", kTwoDecimals, kPercentAt<&Mid::totbad, 1>},
    {"totbad2", "tot2.0", kTwoDecimals, kPercentAt<&Mid::totbad, 2>},
    {"totbad4", "tot4.0", kTwoDecimals, kPercentAt<&Mid::totbad, 3>},
    {"avgerr", "avgErr", kTwoDecimals, kAsItIs<&Mid::mean_error_px>},
    {"rms", "rms", kTwoDecimals, kAsItIs<&Mid::rms_error_px>},
    {"a50", "A50", kTwoDecimals, kQuantile<&ErrorQuantiles::a50>},
    {"a90", "A90", kTwoDecimals, kQuantile<&ErrorQuantiles::a90>},
    {"a95", "A95", kTwoDecimals, kQuantile<&ErrorQuantiles::a95>},
    {"a99", "A99", kTwoDecimals, kQuantile<&ErrorQuantiles::a99>},
    {"density", nullptr, nullptr, [](const Mid& scores) { return 100 * (1 - scores.invalid); }},
    {"bad05_est", nullptr, nullptr, kPercentAt<&Mid::bad_estimated, 0>},
    {"bad1_est", nullptr, nullptr, kPercentAt<&Mid::bad_estimated, 1>},
    {"bad2_est", nullptr, nullptr, kPercentAt<&Mid::bad_estimated, 2>},
    {"bad4_est", nullptr, nullptr, kPercentAt<&Mid::bad_estimated, 3>},
    {"bad05_filled", nullptr, nullptr, kPercentAt<&Mid::bad, 0>, Holes::kFilled},
    {"bad1_filled", nullptr, nullptr, kPercentAt<&Mid::bad, 1>, Holes::kFilled},
    {"bad2_filled", nullptr, nullptr, kPercentAt<&Mid::bad, 2>, Holes::kFilled},
    {"bad4_filled", nullptr, nullptr, kPercentAt<&Mid::bad, 3>, Holes::kFilled},
};

using Eth = Eth3dScores;
inline constexpr Figure<Eth> kEth3d[] = {
    {"coverage", "coverage", kSixDigits, kPercent<&Eth::coverage>},
    {"bad05", "bad_0_5", kSixDigits, kPercentAt<&Eth::bad, 0>},
    {"bad1", "bad_1_0", kSixDigits, kPercentAt<&Eth::bad, 1>},
    {"bad2", "bad_2_0", kSixDigits, kPercentAt<&Eth::bad, 2>},
    {"bad4", "bad_4_0", kSixDigits, kPercentAt<&Eth::bad, 3>},
    {"avgerr", "avgerr", kSixDigits, kAsItIs<&Eth::mean_error_px>},
    {"rms", "rms", kSixDigits, kAsItIs<&Eth::rms_error_px>},
    {"a50", "a50", kSixDigits, kQuantile<&ErrorQuantiles::a50>},
    {"a90", "a90", kSixDigits, kQuantile<&ErrorQuantiles::a90>},
    {"a95", "a95", kSixDigits, kQuantile<&ErrorQuantiles::a95>},
    {"a99", "a99", kSixDigits, kQuantile<&ErrorQuantiles::a99>},
    {"totbad05", nullptr, nullptr, kPercentAt<&Eth::bad_or_holes, 0>},
    {"totbad1", nullptr, nullptr, kPercentAt<&Eth::bad_or_holes, 1>},
    {"totbad2", nullptr, nullptr, kPercentAt<&Eth::bad_or_holes, 2>},
    {"totbad4", nullptr, nullptr, kPercentAt<&Eth::bad_or_holes, 3>},
    {"bad05_filled", nullptr, nullptr, kPercentAt<&Eth::bad, 0>, Holes::kFilled},
    {"bad1_filled", nullptr, nullptr, kPercentAt<&Eth::bad, 1>, Holes::kFilled},
    {"bad2_filled", nullptr, nullptr, kPercentAt<&Eth::bad, 2>, Holes::kFilled},
    {"bad4_filled", nullptr, nullptr, kPercentAt<&Eth::bad, 3>, Holes::kFilled},
};

using Spa = SparsificationScores;
inline constexpr Figure<Spa> kSparsification[] = {
    {"sparsification_area", nullptr, nullptr, kPercent<&Spa::area>},
    {"sparsification_best", nullptr, nullptr, kPercent<&Spa::best_area>},
    {"ause", nullptr, nullptr, [](const Spa& scores) { return 100 * (scores.area - scores.best_area); }},
    {"errors_below_median", nullptr, nullptr, kPercent<&Spa::errors_below_median>},
};

using Unc = UncertaintyScores;
inline constexpr Figure<Unc> kUncertainty[] = {
    {"within_sigma", "in 1 sigma", kTwoDecimals, kPercent<&Unc::within_one>},
    {"within_2_sigma", "in 2 sigma", kTwoDecimals, kPercent<&Unc::within_two>},
    {"sigma_mean_px", "mean sigma", "%.3f", kAsItIs<&Unc::mean_sigma_px>},
};

}  // namespace figures
}  // namespace parallax::app
