// GLib's locks for the thread sanitizer, which sees those of pthread alone: GLib makes GMutex and GCond of futexes.
// The program's definitions stand before the library's.
#include <dlfcn.h>
#include <glib.h>
#include <sanitizer/tsan_interface.h>

#undef g_mutex_trylock

namespace {

template <typename Function>
Function* Real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define PARALLAX_REAL(function) static auto* const real = Real(&function, #function)

extern "C" {

void g_mutex_lock(GMutex* mutex) {
  PARALLAX_REAL(g_mutex_lock);
  real(mutex);
  __tsan_acquire(mutex);
}
gboolean g_mutex_trylock(GMutex* mutex) {
  PARALLAX_REAL(g_mutex_trylock);
  const gboolean is_locked = real(mutex);
  if (is_locked != FALSE) __tsan_acquire(mutex);
  return is_locked;
}
void g_mutex_unlock(GMutex* mutex) {
  PARALLAX_REAL(g_mutex_unlock);
  __tsan_release(mutex);
  real(mutex);
}
void g_cond_wait(GCond* cond, GMutex* mutex) {
  PARALLAX_REAL(g_cond_wait);
  __tsan_release(mutex);
  real(cond, mutex);
  __tsan_acquire(mutex);
}
gboolean g_cond_wait_until(GCond* cond, GMutex* mutex, gint64 end_time) {
  PARALLAX_REAL(g_cond_wait_until);
  __tsan_release(mutex);
  const gboolean is_told = real(cond, mutex, end_time);
  __tsan_acquire(mutex);
  return is_told;
}

}  // extern "C"
