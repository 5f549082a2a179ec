// Modules: parts of the program in shared libraries of their own, loaded when they are asked for, because the
// libraries that they need would cost every other command its start.
#pragma once

#include <string>

namespace parallax {

struct ModuleDescription {
  const char* file_name;  // "libparallax_x.so"
  const char* what;       // in messages: "cannot load WHAT: ..."
  const char* packages;   // of Debian, whose libraries it needs
  const char* absent;     // what to do where the program was built without it
};

// Loads a module of this program's version: from beside the program (a build folder, a bundle) or beside the shared
// library that holds this code (a Python package), from lib/parallax beside the program's bin/, then from where the
// program was configured to be installed. It is never unloaded: what it links keeps threads and statics.
// Returns the address of its function `name`. Throws Error, naming the remedy.
void* FunctionOfModule(const ModuleDescription& module, const char* name);

}  // namespace parallax

// What every module exports: the version of the project that it belongs to.
extern "C" const char* ParallaxModuleVersion();
