// Finds and loads the viewer module.
#include "app/view/viewer.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/view/window/module.h"
#include "pipeline/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
constexpr char kModuleName[] = "libparallax_viewer.so";

// Beside the program (a build folder, a bundle), then in the library folder of an install tree, then where
// this program was configured to be installed.
std::vector<fs::path> ModulePlaces() {
  std::vector<fs::path> places;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    places.push_back(program.parent_path() / kModuleName);
    places.push_back(program.parent_path() / PARALLAX_LIBDIR_FROM_BINDIR / "parallax" / kModuleName);
  }
  places.push_back(fs::path(PARALLAX_INSTALL_LIBDIR) / "parallax" / kModuleName);
  return places;
}

template <typename Function>
Function* Find(void* module, const char* name) {
  return reinterpret_cast<Function*>(dlsym(module, name));
}

}  // namespace

std::unique_ptr<Viewer> OpenViewer(const ViewerOptions& options) {
  for (const fs::path& place : ModulePlaces()) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    // Never closed: Open3D keeps threads and statics.
    void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      throw Error("cannot load the viewer: " + std::string(dlerror()) +
                  " (Debian: libopen3d0.16, open3d-gui-data)");
    }
    auto* version = Find<decltype(ParallaxViewerVersion)>(module, "ParallaxViewerVersion");
    auto* open = Find<decltype(ParallaxOpenViewer)>(module, "ParallaxOpenViewer");
    if (version == nullptr || open == nullptr || version() != std::string_view(PARALLAX_VERSION)) {
      throw Error("the viewer " + place.string() +
                  " belongs to another version than this program's " PARALLAX_VERSION
                  ": build and install both together");
    }
    return std::unique_ptr<Viewer>(open(options));
  }
  throw Error(std::string("this program has no viewer (") + kModuleName +
              " is neither beside it nor in its library folder): configure with -DPARALLAX_VIEWER=ON (needs "
              "libopen3d-dev and open3d-gui-data), build and install again");
}

}  // namespace parallax::app
