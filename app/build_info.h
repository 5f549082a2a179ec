// How this program was built. No dates: the same sources give the same program.
#pragma once

#include <span>
#include <string_view>

namespace parallax::app {

struct LibraryVersion {
  std::string_view name, version;
};

struct BuildInfo {
  std::string_view version;                                            // of parallax
  std::string_view build_type;                                         // "Release"
  std::string_view compiler;                                           // "GNU 12.2.0"
  std::string_view flags;                                              // of every C++ file
  std::string_view cuda_compiler;                                      // "NVIDIA 12.4"; empty without CUDA
  std::string_view cuda_architectures;                                 // "90", or empty
  bool viewer = false, video = false, gstreamer = false, dds = false;  // switches of the build
  std::span<const LibraryVersion> libraries;                           // of what was built against
};

const BuildInfo& ThisBuild();

}  // namespace parallax::app
