#include "app/options/resolved_parameters.h"

#include "app/options/logging.h"

namespace parallax::app {

Parameters ParametersFor(const StereoFrame& frame, const ChosenParameters& chosen) {
  LogCalibration(frame);
  return ParametersOfFrame(frame, chosen);
}

}  // namespace parallax::app
