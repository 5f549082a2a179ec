// parallax eval SOURCE: every frame of a source, matched here or by others.
#pragma once

#include "app/eval/eval_options.h"

namespace parallax::app {

// Scores the source's frames, prints the tables, writes the files that were asked for. Frames without truth
// or without an estimate are skipped, bad ones fail; the others are still scored. Throws Error at the end
// when frames failed or nothing was scored, InvalidArgument for what cannot be asked.
void EvaluateSource(const EvalOptions& options);

}  // namespace parallax::app
