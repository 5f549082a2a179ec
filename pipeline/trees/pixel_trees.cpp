#include "pipeline/trees/pixel_trees.h"

#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"

namespace parallax {

const PixelTrees& TreesOf(TreeSet set) { return set == TreeSet::kDriving ? kDrivingTrees : kGeneralTrees; }
const CandidateTrees& CandidateTreesOf(TreeSet set) {
  return set == TreeSet::kDriving ? kDrivingCandidateTrees : kGeneralCandidateTrees;
}

}  // namespace parallax
