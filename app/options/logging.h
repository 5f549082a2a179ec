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

// Opens the file of --log-file, once the files that the command reads and writes are known. Throws
// InvalidArgument if it is one of the files that are read, Error if it cannot be written. Only the first call
// counts.
void OpenLogFile(std::vector<std::string> read);
// The name given to --log-file, until OpenLogFile is called; else empty.
std::string LogFile();

// Stops logging in this process, because another one logs.
void StopLogging();

// False if neither option was given; callers can then skip costly messages.
bool IsLogging();

// Logs one line, with the time before it. May be called from any thread.
void Log(const std::string& line);

// Logs how many frames of a live source came too fast; nothing for 0.
void LogDropped(std::size_t num_frames);

// Logs the frame's calibration, or why it has none, if that differs from the last frame's.
void LogCalibration(const StereoFrame& frame);

}  // namespace parallax::app
