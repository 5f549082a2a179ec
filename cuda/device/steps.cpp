#include "cuda/device/steps.h"

#include <nvtx3/nvToolsExt.h>

namespace parallax::cuda {

StepRange::StepRange(Step step) { nvtxRangePushA(kStepNames[static_cast<int>(step)]); }
StepRange::~StepRange() { nvtxRangePop(); }

}  // namespace parallax::cuda
