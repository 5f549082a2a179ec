// parallax eval SOURCE: scores every frame of a source, matched here or given as files.
#pragma once

#include "app/eval/eval_options.h"
#include "app/team/shared_run.h"

namespace parallax::app {

// Scores the source's frames, prints the tables, writes the files that were asked for. Frames without truth
// or without an estimate are skipped, bad ones fail; the others are still scored. Throws Error at the end
// when frames failed or nothing was scored, InvalidArgument for what cannot be asked.
// team: with whom the frames are shared; may be null.
void EvaluateSource(const EvalOptions& options, SharedRun* team);

}  // namespace parallax::app
