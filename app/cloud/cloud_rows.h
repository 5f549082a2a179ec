// Points of a cloud or rows of a matrix: the sets between which distances are measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cloud/cloud_options.h"
#include "datasets/formats/matrix_file.h"
#include "pipeline/cloud/distances/distances.h"

namespace parallax::app {

// The finite ones of a file: points in metres, or rows of any unit in which all numbers are finite.
class InputRows {
 public:
  // .ply and .pcd: points; .npy, .csv and .txt: rows. Throws what ReadInputCloud and ReadMatrix throw.
  explicit InputRows(const std::filesystem::path& path);

  const std::string& file() const { return input_.file; }
  bool is_cloud() const { return matrix_.values.empty(); }
  // "point" or "row".
  std::string thing() const { return is_cloud() ? "point" : "row"; }
  std::size_t size() const { return static_cast<std::size_t>(View().rows); }
  MatrixView View() const;
  std::int32_t IndexInFile(std::size_t i) const { return input_.IndexInFile(i); }
  // "a.npy: 31 622 rows of 128 numbers (3 not finite, left out)".
  std::string Description() const;

 private:
  void KeepRows(const std::vector<std::int32_t>& kept);

  InputCloud input_;  // matrices only: everything but the cloud
  Matrix matrix_;     // empty for a cloud
};

}  // namespace parallax::app
