#include "app/scores/named_scores.h"

#include "app/scores/figures.h"

namespace parallax::app {
namespace {

template <typename S, std::size_t kSize>
Scores ScoresByTable(const Figure<S> (&figures)[kSize], const S& scores, const S& filled,
                     const std::string& suffix) {
  Scores named;
  for (const Figure<S>& figure : figures) {
    named.Add(figure.key + suffix, figure.value(figure.holes == Holes::kFilled ? filled : scores));
  }
  return named;
}

}  // namespace

Scores ScoresOf(const Kitti2012Scores& scores, const std::string& suffix) {
  return ScoresByTable(figures::kKitti2012, scores, scores, suffix);
}

Scores ScoresOf(const Kitti2015Counts& counts, const std::string& suffix) {
  Scores named = ScoresByTable(figures::kKitti2015, counts, counts, suffix);
  for (const figures::CountFigure& figure : figures::kKitti2015Counts) {
    const ErrorCount& count = counts.*figure.count;
    named.Add(figure.key + suffix + "_errors", static_cast<double>(count.num_errors));
    named.Add(figure.key + suffix + "_pixels", static_cast<double>(count.num_pixels));
  }
  return named;
}

Scores ScoresOf(const MiddleburyScores& scores, const MiddleburyScores& filled, const std::string& suffix) {
  return ScoresByTable(figures::kMiddlebury, scores, filled, suffix);
}

Scores ScoresOf(const Eth3dScores& scores, const Eth3dScores& filled, const std::string& suffix) {
  return ScoresByTable(figures::kEth3d, scores, filled, suffix);
}

Scores ScoresOf(const SparsificationScores& scores) {
  return ScoresByTable(figures::kSparsification, scores, scores, "");
}

Scores ScoresOf(const UncertaintyScores& scores) {
  return ScoresByTable(figures::kUncertainty, scores, scores, "");
}

}  // namespace parallax::app
