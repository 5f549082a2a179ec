#include "datasets/formats/cloud_file.h"

#include "pipeline/error.h"

namespace parallax {
namespace {

[[noreturn]] void ThrowUnknownEnding(const std::filesystem::path& path) {
  throw InvalidArgument(path.string() + ": clouds are .ply or .pcd files");
}

}  // namespace

PointCloud ReadCloud(const std::filesystem::path& path) {
  if (path.extension() == ".ply") return ReadPly(path);
  if (path.extension() == ".pcd") return ReadPcd(path);
  ThrowUnknownEnding(path);
}

void CheckCloudName(const std::filesystem::path& path) {
  if (path.extension() != ".ply" && path.extension() != ".pcd") ThrowUnknownEnding(path);
}

void WriteCloud(const std::filesystem::path& path, const PointCloud& cloud, CloudEncoding encoding,
                const ScalarField& scalars) {
  if (path.extension() == ".ply") return WritePly(path, cloud, encoding, scalars);
  if (path.extension() == ".pcd") return WritePcd(path, cloud, encoding, scalars);
  ThrowUnknownEnding(path);
}

}  // namespace parallax
