// What a run says in the end when not all went well.
#pragma once

#include <filesystem>

#include "app/frames/summary.h"

namespace parallax::app {

// Throws Error for frames that failed, or that lack what was asked for. summary_file names them all.
void ThrowOnFailures(const RunSummary& summary, const std::filesystem::path& summary_file);

}  // namespace parallax::app
