#include "pipeline/pixel_trees.h"

#include "pipeline/candidate_choice.h"
#include "pipeline/driving_trees.h"

namespace parallax {

const PixelTrees& TreesOf(TreeSet) { return kDrivingTrees; }
const CandidateTrees& CandidateTreesOf(TreeSet) { return kDrivingCandidateTrees; }

}  // namespace parallax
