// Sweeps of PathCosts::kStepPairs8 with all terms.
#define PARALLAX_GET_SWEEP GetStepPairs8SweepOfAllTerms
#define PARALLAX_CHOOSE_SWEEP ChooseSweep<PathCosts::kStepPairs8, SweepTerms::kAll, 64>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
