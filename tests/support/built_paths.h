// What the tests run and read, where this build has it. Not on the compiler's command line: a compiler cache then serves
// every clone of the project.
#pragma once

#include <string>

namespace parallax::test {

extern const char* const kProgram;       // the program parallax
extern const char* const kMpirun;        // "" without MPI
extern const char* const kFakeV4l2;      // libraries to be loaded before the program's: a camera,
extern const char* const kSlowDisk;      // a disk that is busy,
extern const char* const kFailingCalls;  // calls of the system that fail
extern const char* const kImageSeeds;    // a library of the fuzz targets

// A file of the repository, e.g. "docs/metrics.md".
std::string SourcePath(const std::string& relative);

}  // namespace parallax::test
