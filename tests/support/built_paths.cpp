#include "tests/support/built_paths.h"

namespace parallax::test {

const char* const kProgram = PARALLAX_PROGRAM;
const char* const kMpirun = PARALLAX_MPIRUN;
const char* const kFakeV4l2 = PARALLAX_FAKE_V4L2;
const char* const kSlowDisk = PARALLAX_SLOW_DISK;
const char* const kFailingCalls = PARALLAX_FAILING_CALLS;
const char* const kImageSeeds = PARALLAX_IMAGE_SEEDS;

std::string SourcePath(const std::string& relative) { return PARALLAX_SOURCE_FOLDER "/" + relative; }

}  // namespace parallax::test
