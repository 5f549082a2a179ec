// The figures of pipeline/metrics under the keys of docs/metrics.md, in percent and px.
#pragma once

#include <string>

#include "app/scores/scores.h"
#include "pipeline/metrics/eth3d.h"
#include "pipeline/metrics/kitti2012.h"
#include "pipeline/metrics/kitti2015.h"
#include "pipeline/metrics/middlebury.h"
#include "pipeline/metrics/sigma_scores.h"
#include "pipeline/metrics/sparsification.h"

namespace parallax::app {

// suffix: of every key, such as "_noc".
Scores ScoresOf(const Kitti2012Scores& scores, const std::string& suffix);
Scores ScoresOf(const Kitti2015Counts& counts, const std::string& suffix);

// filled: the scores of the same estimate after its holes were filled as KITTI fills them; they become
// further figures.
Scores ScoresOf(const MiddleburyScores& scores, const MiddleburyScores& filled, const std::string& suffix);
Scores ScoresOf(const Eth3dScores& scores, const Eth3dScores& filled, const std::string& suffix);

Scores ScoresOf(const SparsificationScores& scores);
Scores ScoresOf(const UncertaintyScores& scores);

}  // namespace parallax::app
