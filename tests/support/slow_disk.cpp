// LD_PRELOADed: a disk that is busy with what others write from the moment on at which the file
// $PARALLAX_SLOW_DISK is there. Whoever waits for it waits for ever.
#include <unistd.h>

#include <cstdlib>

namespace {

int Sync() {
  const char* const busy = std::getenv("PARALLAX_SLOW_DISK");
  while (busy != nullptr && access(busy, F_OK) == 0) sleep(1);
  return 0;
}

}  // namespace

extern "C" {
int fsync(int /*file*/) { return Sync(); }
int fdatasync(int /*file*/) { return Sync(); }
}
