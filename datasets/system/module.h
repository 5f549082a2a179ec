// Modules: parts of the program in separate shared libraries, loaded on request, because the libraries that
// they need would slow the start of every other command.
#pragma once

#include <string>

namespace parallax {

struct ModuleDescription {
  const char* file_name;  // "libparallax_x.so"
  const char* what;       // in messages: "cannot load WHAT: ..."
  const char* packages;   // of Debian, with the libraries that it needs
  const char* absent;     // the remedy if the program was built without it
};

// Loads a module of this program's version. It looks next to the program (a build folder, a bundle) or next
// to the shared library with this code (a Python package), then in lib/parallax next to the program's bin/,
// then in the configured install folder. The module is never unloaded: its libraries keep threads and
// statics. Returns the address of its function `name`. Throws Error with the remedy.
void* FunctionOfModule(const ModuleDescription& module, const char* name);

}  // namespace parallax

// What every module exports: the version of the project that it belongs to.
extern "C" const char* ParallaxModuleVersion();
