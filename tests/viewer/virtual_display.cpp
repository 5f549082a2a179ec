#include "tests/viewer/virtual_display.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace parallax::test {
namespace {

std::optional<WindowOnDisplay> FindBelow(Display* display, Window parent, const std::string& title) {
  Window root = 0, up = 0, *children = nullptr;
  unsigned num_children = 0;
  if (XQueryTree(display, parent, &root, &up, &children, &num_children) == 0) return std::nullopt;
  std::optional<WindowOnDisplay> found;
  for (unsigned i = 0; i < num_children && !found; ++i) {
    char* name = nullptr;
    const bool named = XFetchName(display, children[i], &name) != 0 && name != nullptr && title == name;
    if (name != nullptr) XFree(name);
    XWindowAttributes attributes;
    if (named && XGetWindowAttributes(display, children[i], &attributes) != 0 &&
        attributes.map_state == IsViewable) {
      found = WindowOnDisplay{children[i], attributes.width, attributes.height};
    } else {
      found = FindBelow(display, children[i], title);
    }
  }
  if (children != nullptr) XFree(children);
  return found;
}

// Windows come and go between two requests.
int IgnoreError(Display*, XErrorEvent*) { return 0; }

}  // namespace

VirtualDisplay::VirtualDisplay() {
  int ends[2];
  if (pipe(ends) != 0) {
    problem_ = "no pipe";
    return;
  }
  const std::string descriptor = std::to_string(ends[1]);
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    execlp("Xvfb", "Xvfb", "-displayfd", descriptor.c_str(), "-screen", "0", "1600x1400x24", "-nolisten",
           "tcp", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string number;
  pollfd ready{ends[0], POLLIN, 0};
  constexpr int kTimeout_ms = 20000;
  while (number.find('\n') == std::string::npos && poll(&ready, 1, kTimeout_ms) > 0) {
    char text[16];
    const ssize_t length = read(ends[0], text, sizeof(text));
    if (length <= 0) break;
    number.append(text, static_cast<std::size_t>(length));
  }
  close(ends[0]);
  if (number.find('\n') == std::string::npos) {
    problem_ = "Xvfb did not start (Debian: xvfb)";
    return;
  }
  number.erase(number.find('\n'));
  setenv("DISPLAY", (":" + number).c_str(), 1);
  setenv("LP_NUM_THREADS", "1", 1);  // of Mesa: a tenth less work for the processors, in the same time
}

VirtualDisplay::~VirtualDisplay() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

void SetScaling(double scaling) {
  Display* display = XOpenDisplay(nullptr);
  if (display == nullptr) return;
  constexpr double kDpi = 96;  // of 100 %
  const std::string resource = "Xft.dpi:\t" + std::to_string(static_cast<int>(kDpi * scaling)) + "\n";
  XChangeProperty(display, DefaultRootWindow(display), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(resource.data()), static_cast<int>(resource.size()));
  XSetCloseDownMode(display, RetainPermanent);
  XCloseDisplay(display);
}

std::optional<WindowOnDisplay> FindWindow(const std::string& title, double timeout_s) {
  XSetErrorHandler(IgnoreError);
  Display* display = XOpenDisplay(nullptr);
  if (display == nullptr) return std::nullopt;
  std::optional<WindowOnDisplay> found;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (!(found = FindBelow(display, DefaultRootWindow(display), title)) &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  XCloseDisplay(display);
  return found;
}

void CloseWindow(const WindowOnDisplay& window) {
  Display* display = XOpenDisplay(nullptr);
  if (display == nullptr) return;
  XEvent event{};
  event.xclient.type = ClientMessage;
  event.xclient.window = window.id;
  event.xclient.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
  event.xclient.format = 32;
  event.xclient.data.l[0] = static_cast<long>(XInternAtom(display, "WM_DELETE_WINDOW", False));
  event.xclient.data.l[1] = CurrentTime;
  XSendEvent(display, window.id, False, NoEventMask, &event);
  XCloseDisplay(display);
}

}  // namespace parallax::test
