// Sweeps of PathCosts::kPairs8.
#define PARALLAX_GET_SWEEP GetPairs8Sweep
#define PARALLAX_CHOOSE_SWEEP ChooseSweep<PathCosts::kPairs8, SweepTerms::kBasic, 31>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
