#include "app/session/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "parallax/error.h"

namespace parallax::app {
namespace {

std::atomic<bool> g_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "is set in a signal handler");
// A pipe that wakes the guard's thread: a byte for a request, another for the end.
int g_read_end = -1, g_write_end = -1;
constexpr char kRequestByte = 'r', kEndByte = 'e';

void Wake(char byte) {
  while (write(g_write_end, &byte, 1) < 0 && errno == EINTR) continue;
}

// When the first signal came, ns; 0 = no signal yet. timeout and systemd signal both the process and its
// group: the two signals are one request.
std::atomic<std::int64_t> g_requested_at{0};
constexpr std::int64_t kOneRequest_ns = 500'000'000;

extern "C" void OnInterrupt(int signal) {
  const int error = errno;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  std::int64_t first_ns = 0;
  if (g_requested_at.compare_exchange_strong(first_ns, now_ns)) {
    g_requested = true;
    Wake(kRequestByte);
  } else if (now_ns - first_ns >= kOneRequest_ns) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  errno = error;
}

// Waits for a byte for at most timeout_ms (-1: without limit); '\0' if none came.
char NextByte(int timeout_ms) {
  pollfd waiting{g_read_end, POLLIN, 0};
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    int left_ms = timeout_ms;
    if (timeout_ms >= 0) {
      const auto passed = std::chrono::steady_clock::now() - begin;
      left_ms -= static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
      if (left_ms < 0) return '\0';
    }
    const int count = poll(&waiting, 1, left_ms);
    char byte = '\0';
    if (count > 0 && read(g_read_end, &byte, 1) == 1) return byte;
    if (count == 0 || (count < 0 && errno != EINTR)) return '\0';
  }
}

}  // namespace

InterruptGuard::InterruptGuard(std::function<void()> on_request, std::function<void()> on_deadline,
                               std::chrono::milliseconds patience) {
  g_requested = false;
  g_requested_at = 0;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(std::string("cannot create a pipe for signals: ") + std::strerror(errno));
  g_read_end = ends[0];
  g_write_end = ends[1];
  watcher_ = std::thread([this, on_request = std::move(on_request), on_deadline = std::move(on_deadline),
                          patience] { Watch(on_request, on_deadline, patience); });
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  Disarm();
  close(g_read_end);
  close(g_write_end);
}

void InterruptGuard::Disarm() {
  if (!watcher_.joinable()) return;
  Wake(kEndByte);
  watcher_.join();
}

void InterruptGuard::Watch(const std::function<void()>& on_request, const std::function<void()>& on_deadline,
                           std::chrono::milliseconds patience) const {
  if (NextByte(-1) != kRequestByte) return;
  if (on_request) on_request();
  char byte = kRequestByte;  // the other signal may come, too
  while (byte == kRequestByte) byte = NextByte(static_cast<int>(patience.count()));
  if (byte == '\0' && on_deadline) on_deadline();
}

const std::atomic<bool>& InterruptGuard::requested() const { return g_requested; }

}  // namespace parallax::app
