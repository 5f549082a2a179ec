// Sweeps of PathCosts::kWide8.
#define PARALLAX_GET_SWEEP GetWide8Sweep
#define PARALLAX_CHOOSE_SWEEP ChooseWideSweep<PathCosts::kWide8>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
