// LD_PRELOADed: a system that gives a program $PARALLAX_FEW_THREADS threads and refuses every further one.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                              void* argument) {
  static std::atomic<int> num_given{0};
  const char* const limit = std::getenv("PARALLAX_FEW_THREADS");
  if (limit != nullptr && num_given++ >= std::atoi(limit)) return EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, work, argument);
}
