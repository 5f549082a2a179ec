// LD_PRELOADed: a system whose calls fail. Calls are counted from main on, kind by kind (kNames), in all threads.
//   PARALLAX_FAIL=KIND:N:ERRNO      the N-th call of the kind fails with this number, once
//   PARALLAX_FAIL=KIND:N:ERRNO:on   so do all that follow
//   PARALLAX_FAIL=KIND:N:0[:on]     reads and writes only a part of the bytes
//   PARALLAX_FAIL_COUNTS=FILE       where main returns, "KIND NUMBER" a line
//   PARALLAX_CLOCK_BACK=SECONDS     at every look the time of day is so much earlier than at the one before
//   parallax_num_calls(KIND)        for the program itself: their number so far
// Of reads and writes, those of pipes and devices fail with EINTR only. A close that fails has closed the file, as on Linux. Programs under the address sanitizer have their own malloc.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

enum Kind {
  kMalloc,
  kRead,
  kWrite,
  kOpen,
  kClose,
  kSync,
  kRename,
  kUnlink,
  kLink,
  kMkdir,
  kMmap,
  kReaddir,
  kThread,
  kNone
};
constexpr const char* kNames[kNone] = {"malloc", "read", "write", "open", "close",   "fsync", "rename",
                                       "unlink", "link", "mkdir", "mmap", "readdir", "thread"};

struct Plan {
  Kind kind = kNone;
  long at = 0;
  int number = 0;
  bool lasting = false;
};

Plan g_plan;
std::atomic<long> g_count[kNone];
std::atomic<bool> g_in_main{false};

// Whether this call fails, with errno set; *part: reads and writes a part.
bool Fails(Kind kind, bool* part = nullptr) {
  if (!g_in_main.load(std::memory_order_relaxed)) return false;
  const long count = ++g_count[kind];
  if (kind != g_plan.kind || count < g_plan.at || (count > g_plan.at && !g_plan.lasting)) return false;
  if (g_plan.number == 0) {
    if (part != nullptr) *part = true;
    return false;
  }
  errno = g_plan.number;
  return true;
}

void ReadPlan() {
  const char* text = std::getenv("PARALLAX_FAIL");
  if (text == nullptr) return;
  for (int kind = 0; kind < kNone; ++kind) {
    const std::size_t length = std::strlen(kNames[kind]);
    if (std::strncmp(text, kNames[kind], length) != 0 || text[length] != ':') continue;
    char* rest = nullptr;
    g_plan.kind = static_cast<Kind>(kind);
    g_plan.at = std::strtol(text + length + 1, &rest, 10);
    if (*rest == ':') g_plan.number = static_cast<int>(std::strtol(rest + 1, &rest, 10));
    g_plan.lasting = std::strcmp(rest, ":on") == 0;
  }
}

void WriteCounts() {
  const char* file = std::getenv("PARALLAX_FAIL_COUNTS");
  if (file == nullptr) return;
  std::FILE* const counts = std::fopen(file, "w");
  if (counts == nullptr) return;
  for (int kind = 0; kind < kNone; ++kind)
    std::fprintf(counts, "%s %ld\n", kNames[kind], g_count[kind].load());
  std::fclose(counts);
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

int CountedMain(int argc, char** argv, char** environment) {
  ReadPlan();
  g_in_main = true;
  const int code = g_main(argc, argv, environment);
  g_in_main = false;
  WriteCounts();
  return code;
}

// Seconds by which the time of day is wrong at this look.
long SecondsBack() {
  static const long step =
      std::getenv("PARALLAX_CLOCK_BACK") ? std::atol(std::getenv("PARALLAX_CLOCK_BACK")) : 0;
  static std::atomic<long> looks{0};
  return step == 0 ? 0 : step * ++looks;
}

}  // namespace

// A function of the system of the same name and type, in whose place this one stands.
#define NEXT(name) static const auto next = Next<decltype(&name)>(#name)

extern "C" {

long parallax_num_calls(const char* kind) {
  for (int i = 0; i < kNone; ++i) {
    if (std::strcmp(kind, kNames[i]) == 0) return g_count[i];
  }
  return -1;
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  g_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return Next<Start>("__libc_start_main")(CountedMain, argc, argv, init, fini, loader_fini, stack_end);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return Fails(kMalloc) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t number, std::size_t size) {
  return Fails(kMalloc) ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  return Fails(kMalloc) ? nullptr : __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  return Fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* const got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}
#endif

// Whether a read or write of this file fails; *size: of how many bytes, fewer where a part is wanted.
bool TransferFails(Kind kind, int file, std::size_t* size) {
  struct stat status {};
  const bool any_error = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (!any_error && g_plan.kind == kind && g_plan.number != EINTR) return false;
  bool part = false;
  if (Fails(kind, &part)) return true;
  if (part && *size > 1) *size /= 2;
  return false;
}
#define TRANSFER(kind, name, bytes_type)                                    \
  ssize_t name(int file, bytes_type bytes, std::size_t size) {              \
    NEXT(name);                                                             \
    return TransferFails(kind, file, &size) ? -1 : next(file, bytes, size); \
  }
TRANSFER(kRead, read, void*)
TRANSFER(kWrite, write, const void*)
#define TRANSFER_AT(kind, name, bytes_type)                                        \
  ssize_t name(int file, bytes_type bytes, std::size_t size, off_t place) {        \
    NEXT(name);                                                                    \
    return TransferFails(kind, file, &size) ? -1 : next(file, bytes, size, place); \
  }
TRANSFER_AT(kRead, pread, void*)
TRANSFER_AT(kRead, pread64, void*)
TRANSFER_AT(kWrite, pwrite, const void*)
TRANSFER_AT(kWrite, pwrite64, const void*)
// Of several parts, a half of them.
#define TRANSFER_PARTS(kind, name)                                                            \
  ssize_t name(int file, const iovec* parts, int number) {                                    \
    NEXT(name);                                                                               \
    auto size = static_cast<std::size_t>(number);                                             \
    return TransferFails(kind, file, &size) ? -1 : next(file, parts, static_cast<int>(size)); \
  }
TRANSFER_PARTS(kRead, readv)
TRANSFER_PARTS(kWrite, writev)

#define OPEN(name)                                      \
  int name(const char* path, int flags, ...) {          \
    NEXT(name);                                         \
    std::va_list rest;                                  \
    va_start(rest, flags);                              \
    const mode_t mode = va_arg(rest, mode_t);           \
    va_end(rest);                                       \
    return Fails(kOpen) ? -1 : next(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                            \
  int name(int folder, const char* path, int flags, ...) {      \
    NEXT(name);                                                 \
    std::va_list rest;                                          \
    va_start(rest, flags);                                      \
    const mode_t mode = va_arg(rest, mode_t);                   \
    va_end(rest);                                               \
    return Fails(kOpen) ? -1 : next(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)
std::FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen);
  return Fails(kOpen) ? nullptr : next(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  NEXT(fopen64);
  return Fails(kOpen) ? nullptr : next(path, mode);
}
DIR* opendir(const char* path) {
  NEXT(opendir);
  return Fails(kOpen) ? nullptr : next(path);
}
dirent* readdir(DIR* folder) {
  NEXT(readdir);
  return Fails(kReaddir) ? nullptr : next(folder);
}
dirent64* readdir64(DIR* folder) {
  NEXT(readdir64);
  return Fails(kReaddir) ? nullptr : next(folder);
}

int close(int file) {
  NEXT(close);
  const int closed = next(file);
  return Fails(kClose) ? -1 : closed;
}
int fclose(std::FILE* file) {
  NEXT(fclose);
  const int closed = next(file);
  return Fails(kClose) ? EOF : closed;
}

#define FAILING(kind, name, parameters, arguments) \
  int name parameters {                            \
    NEXT(name);                                    \
    return Fails(kind) ? -1 : next arguments;      \
  }
FAILING(kSync, fsync, (int file), (file))
FAILING(kSync, fdatasync, (int file), (file))
FAILING(kRename, rename, (const char* from, const char* to), (from, to))
FAILING(kRename, renameat, (int a, const char* from, int b, const char* to), (a, from, b, to))
FAILING(kRename, renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
        (a, from, b, to, flags))
FAILING(kUnlink, unlink, (const char* path), (path))
FAILING(kUnlink, unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
FAILING(kUnlink, remove, (const char* path), (path))
FAILING(kUnlink, rmdir, (const char* path), (path))
FAILING(kLink, link, (const char* from, const char* to), (from, to))
FAILING(kLink, linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags))
FAILING(kLink, symlink, (const char* from, const char* to), (from, to))
FAILING(kMkdir, mkdir, (const char* path, mode_t mode), (path, mode))
FAILING(kMkdir, mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t place) {
  NEXT(mmap);
  return Fails(kMmap) ? MAP_FAILED : next(address, size, protection, flags, file, place);
}
void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off64_t place) {
  NEXT(mmap64);
  return Fails(kMmap) ? MAP_FAILED : next(address, size, protection, flags, file, place);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  NEXT(pthread_create);
  return Fails(kThread) ? errno : next(thread, attributes, work, argument);
}

int clock_gettime(clockid_t clock, timespec* now) {
  NEXT(clock_gettime);
  const int result = next(clock, now);
  if (clock == CLOCK_REALTIME && result == 0) now->tv_sec -= SecondsBack();
  return result;
}
int gettimeofday(timeval* now, void* zone) {
  NEXT(gettimeofday);
  const int result = next(now, zone);
  now->tv_sec -= SecondsBack();
  return result;
}
std::time_t time(std::time_t* now) {
  NEXT(time);
  const std::time_t result = next(nullptr) - SecondsBack();
  if (now != nullptr) *now = result;
  return result;
}
}
