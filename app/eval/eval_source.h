// parallax eval SOURCE: scores every frame of a source, matched here or given as files.
#pragma once

#include "app/eval/eval_options.h"
#include "app/team/shared_run.h"

namespace parallax::app {

// Scores the source's frames, prints the tables and writes the requested files. Frames without truth or
// without an estimate are skipped, bad ones fail; the others are still scored. Throws Error at the end when
// frames failed or nothing was scored, InvalidArgument for invalid requests. team: the processes that share
// the frames; may be null.
void EvaluateSource(const EvalOptions& options, SharedRun* team);

}  // namespace parallax::app
