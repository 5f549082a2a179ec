// What `parallax run` does without a window, for commands that repeat a run.
#pragma once

#include "app/frames/run_options.h"

namespace parallax::app {

// Matches the frames and writes the results; prints progress and summary. Throws what `parallax run` prints
// as an error, InvalidArgument before anything is written.
void RunOnce(const RunOptions& options);

}  // namespace parallax::app
