#include "datasets/system/module.h"

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "datasets/system/process_memory.h"
#include "parallax/error.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Places(const char* file_name) {
  std::vector<fs::path> places;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back(program.parent_path() / file_name);
    places.push_back(program.parent_path() / PARALLAX_LIBDIR_FROM_BINDIR / "parallax" / file_name);
  }
  Dl_info holder;
  if (dladdr(reinterpret_cast<const void*>(&FunctionOfModule), &holder) != 0 && holder.dli_fname[0] == '/')
    places.push_back(fs::path(holder.dli_fname).parent_path() / file_name);
  places.push_back(fs::path(PARALLAX_INSTALL_LIBDIR) / "parallax" / file_name);
  return places;
}

}  // namespace

void* FunctionOfModule(const ModuleDescription& module, const char* name) {
  for (const fs::path& place : Places(module.file_name)) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    void* loaded = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) {
      const std::string why = dlerror();
      const AvailableMemory available = MemoryAvailable();
      constexpr std::uint64_t kMostThatAModuleTakes_bytes = 1'000'000'000;
      if (available.bytes < kMostThatAModuleTakes_bytes) {
        throw Error("cannot load " + std::string(module.what) + ": " + why + "; the " +
                    std::to_string(available.bytes / 1'000'000) + " MB " + available.whose +
                    " may not be enough: give it more memory, or do without");
      }
      throw Error("cannot load " + std::string(module.what) + ": " + why + " (Debian: " + module.packages +
                  ")");
    }
    auto* version =
        reinterpret_cast<decltype(&ParallaxModuleVersion)>(dlsym(loaded, "ParallaxModuleVersion"));
    void* function = dlsym(loaded, name);
    if (version == nullptr || function == nullptr || version() != std::string_view(PARALLAX_VERSION)) {
      throw Error(place.string() + " belongs to another version than this program's " PARALLAX_VERSION
                                   ": build and install both together");
    }
    return function;
  }
  throw Error(std::string("this program lacks ") + module.what + " (" + module.file_name +
              " is neither next to it nor in its library folder): " + module.absent);
}

}  // namespace parallax
