#include "app/session/heap.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace parallax::app {

void KeepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargest_bytes = 32 << 20;  // glibc's limit; larger ones return to the system
  constexpr int kMostKept_bytes = 256 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargest_bytes);
  mallopt(M_TRIM_THRESHOLD, kMostKept_bytes);
#endif
}

void ShareOneHeap() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace parallax::app
