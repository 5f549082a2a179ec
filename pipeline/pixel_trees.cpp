#include "pipeline/pixel_trees.h"

#include "pipeline/driving_trees.h"

namespace parallax {

const PixelTrees& TreesOf(TreeSet) { return kDrivingTrees; }

}  // namespace parallax
