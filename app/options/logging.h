// The log of a run: which source, parameters, back end and calibration were in effect, and which frames were lost.
// Written to the terminal with --verbose, to a file with --log-file.
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

// Logs nothing from now on: another process does.
void StopLogging();

// False if neither option was given; costly messages can be skipped then.
bool IsLogging();

// One line, with the time before it. May be called from any thread.
void Log(const std::string& line);

// How many frames of a live source came too fast; nothing where there are none.
void LogDropped(std::size_t num_frames);

// The frame's calibration, or why it has none, where that is not the same as the last frame's.
void LogCalibration(const StereoFrame& frame);

}  // namespace parallax::app
