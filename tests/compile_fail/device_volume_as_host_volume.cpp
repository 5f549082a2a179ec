// The memory kind is part of a cost volume's type too.
// Fails with: could not convert|no viable conversion|cannot convert|no matching function
#include "pipeline/types/cost_volume.h"

namespace parallax {

int CostAt(HostCostVolumeView<int> volume) { return volume(0, 0, 0); }

#ifdef PARALLAX_MUST_FAIL
int Use(DeviceCostVolumeView<int> volume) { return CostAt(volume); }
#else
int Use(HostCostVolumeView<int> volume) { return CostAt(volume); }
#endif

}  // namespace parallax
