// Sweeps of PathCosts::kStepPairs8.
#define PARALLAX_GET_SWEEP GetStepPairs8Sweep
#define PARALLAX_CHOOSE_SWEEP ChooseSweep<PathCosts::kStepPairs8, SweepTerms::kBasic, 62>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
