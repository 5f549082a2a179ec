// A cost volume of a hundred megabytes is not copied by accident.
// Fails with: use of deleted function|call to deleted|deleted constructor|implicitly deleted
#include <utility>

#include "pipeline/types/cost_volume.h"

namespace parallax {

#ifdef PARALLAX_MUST_FAIL
HostCostVolume<int> Use(HostCostVolume<int>& volume) { return volume; }
#else
HostCostVolume<int> Use(HostCostVolume<int>& volume) { return std::move(volume); }
#endif

}  // namespace parallax
