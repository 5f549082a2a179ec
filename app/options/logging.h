// What a user may want to know of a run beside its results: which source, parameters, back end and
// calibration were in effect, and which frames were lost. Said on the terminal with --verbose, in a file with
// --log-file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace parallax {
struct StereoFrame;
}

namespace parallax::app {

// Declares --verbose and --log-file.
void AddLogOptions(CLI::App& command);

// Begins the file of --log-file, which is not opened before it is known what the command reads and writes.
// Throws InvalidArgument where it is one of the files that are read, Error where it cannot be written. The
// first call counts.
void OpenLogFile(std::vector<std::string> read);
// Its name, as long as it is not open; empty where none was asked for.
std::string LogFile();

// Nothing is said from now on: another process says it.
void StopLogging();

// False where neither was given: what is costly to say can be left out then.
bool IsLogging();

// One line, with the time before it. May be called from any thread.
void Log(const std::string& line);

// How many frames of a live source came too fast; nothing where there are none.
void LogDropped(std::size_t num_frames);

// The frame's calibration, or why it has none, where that is not the same as the last frame's.
void LogCalibration(const StereoFrame& frame);

}  // namespace parallax::app
