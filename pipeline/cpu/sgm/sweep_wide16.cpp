// Sweeps of PathCosts::kWide16.
#define PARALLAX_GET_SWEEP GetWide16Sweep
#define PARALLAX_CHOOSE_SWEEP ChooseWideSweep<PathCosts::kWide16>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
