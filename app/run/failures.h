// The final error of a run in which frames failed or lack outputs.
#pragma once

#include <filesystem>

#include "app/frames/summary.h"

namespace parallax::app {

// Throws Error for frames that failed or lack requested outputs. summary_file names them all.
void ThrowOnFailures(const RunSummary& summary, const std::filesystem::path& summary_file);

}  // namespace parallax::app
