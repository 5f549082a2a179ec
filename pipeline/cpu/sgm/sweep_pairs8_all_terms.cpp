// Sweeps of PathCosts::kPairs8 with all terms.
#define PARALLAX_GET_SWEEP GetPairs8SweepOfAllTerms
#define PARALLAX_CHOOSE_SWEEP ChooseSweep<PathCosts::kPairs8, SweepTerms::kAll, 31>
#include "pipeline/cpu/sgm/get_sweep-inl.h"
