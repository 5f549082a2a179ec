// Options of commands that read cameras and streams, and the messages about such a source.
#pragma once

#include <string>

#include "datasets/live/live_options.h"

namespace CLI {
class App;
}

namespace parallax::app {

// Declares --layout and --pair-tolerance. options must outlive the parsing.
void AddLiveOptions(CLI::App& command, LiveOptions& options);

// Prints a line to standard error, and logs it.
void PrintToStderr(const std::string& line);

// The options with a monitor whose lines go to standard error and the log.
LiveOptions ReportingToStderr(LiveOptions options);

// Describes faults of a live source: "3 pictures of the left and 0 of the right camera have no counterpart;
// lost once, ..."; empty if nothing happened.
std::string LiveText(const LiveCounts& counts);

}  // namespace parallax::app
