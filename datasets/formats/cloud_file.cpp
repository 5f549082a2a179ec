#include "datasets/formats/cloud_file.h"

#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace {

[[noreturn]] void ThrowUnknownEnding(const std::filesystem::path& path) {
  throw InvalidArgument(path.string() + ": clouds are .ply or .pcd files");
}

}  // namespace

PointCloud ReadCloud(const std::filesystem::path& path) {
  if (EndingOf(path) == ".ply") return ReadPly(path);
  if (EndingOf(path) == ".pcd") return ReadPcd(path);
  ThrowUnknownEnding(path);
}

void CheckCloudName(const std::filesystem::path& path) {
  if (EndingOf(path) != ".ply" && EndingOf(path) != ".pcd") ThrowUnknownEnding(path);
}

void WriteCloud(const std::filesystem::path& path, const PointCloudView& cloud, CloudEncoding encoding,
                const ScalarField& scalars) {
  if (EndingOf(path) == ".ply") return WritePly(path, cloud, encoding, scalars);
  if (EndingOf(path) == ".pcd") return WritePcd(path, cloud, encoding, scalars);
  ThrowUnknownEnding(path);
}

}  // namespace parallax
