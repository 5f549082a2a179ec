#include "app/view/window/display_check.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "parallax/error.h"

namespace parallax::app {
namespace {

bool DrawsInSoftware(GLFWwindow* window) {
  constexpr unsigned kRenderer = 0x1F01;  // GL_RENDERER
  glfwMakeContextCurrent(window);
  const auto get_string =
      reinterpret_cast<const unsigned char* (*)(unsigned)>(glfwGetProcAddress("glGetString"));
  const unsigned char* name = get_string != nullptr ? get_string(kRenderer) : nullptr;
  const std::string renderer = name != nullptr ? reinterpret_cast<const char*>(name) : "";
  glfwMakeContextCurrent(nullptr);
  for (const char* software : {"llvmpipe", "softpipe", "swrast", "SwiftShader"}) {
    if (renderer.find(software) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

DisplayInfo CheckDisplay() {
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0') {
    throw Error("no display to open a window on: set DISPLAY, log in with ssh -X, or run under xvfb-run");
  }
  if (glfwInit() != GLFW_TRUE) {
    throw Error("cannot reach display " + std::string(display) +
                ": check DISPLAY and its permissions, or run under xvfb-run");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 1);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* window = glfwCreateWindow(16, 16, "", nullptr, nullptr);
  glfwDefaultWindowHints();
  if (window == nullptr) {
    throw Error("display " + std::string(display) +
                " offers no OpenGL 4.1: install libgl1-mesa-dri (software rendering), or run under xvfb-run");
  }
  const DisplayInfo info{.draws_in_software = DrawsInSoftware(window)};
  glfwDestroyWindow(window);
  return info;
}

SilencedOutput::SilencedOutput() {
  std::fflush(stdout);
  saved_ = dup(STDOUT_FILENO);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDOUT_FILENO);
  close(nothing);
}

SilencedOutput::~SilencedOutput() {
  std::fflush(stdout);
  if (saved_ < 0) return;
  dup2(saved_, STDOUT_FILENO);
  close(saved_);
}

}  // namespace parallax::app
