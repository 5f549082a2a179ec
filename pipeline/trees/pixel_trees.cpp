#include "pipeline/trees/pixel_trees.h"

#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/driving_trees.h"

namespace parallax {

const PixelTrees& TreesOf(TreeSet) { return kDrivingTrees; }
const CandidateTrees& CandidateTreesOf(TreeSet) { return kDrivingCandidateTrees; }

}  // namespace parallax
