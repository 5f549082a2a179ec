#include "app/cloud/cloud_rows.h"

#include <algorithm>
#include <cmath>

#include "app/output/number_text.h"
#include "datasets/formats/cloud_file.h"
#include "parallax/error.h"

namespace parallax::app {

InputRows::InputRows(const std::filesystem::path& path) {
  if (!IsMatrixName(path)) {
    if (path.extension() != ".ply" && path.extension() != ".pcd") {
      throw InvalidArgument(path.string() +
                            ": clouds are .ply or .pcd files, matrices .npy, .csv or .txt files");
    }
    input_ = ReadInputCloud(path);
    return;
  }
  matrix_ = ReadMatrix(path);
  input_.file = path.string();
  input_.num_in_file = static_cast<std::size_t>(matrix_.rows);
  const auto dims = static_cast<std::ptrdiff_t>(matrix_.dims);
  const auto row = [&](std::size_t i) {
    return matrix_.values.begin() + static_cast<std::ptrdiff_t>(i) * dims;
  };
  input_.index_in_file = FiniteOnes(input_.file, input_.num_in_file, "row", [&](std::size_t i) {
    return std::all_of(row(i), row(i) + dims, [](float value) { return std::isfinite(value); });
  });
  const std::vector<std::int32_t>& kept = input_.index_in_file;
  if (!kept.empty()) KeepRows(kept);
  CheckDistancesFit(input_.file, "row", matrix_.values, matrix_.dims, kept);
}

void InputRows::KeepRows(const std::vector<std::int32_t>& kept) {
  const auto dims = static_cast<std::ptrdiff_t>(matrix_.dims);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto from = static_cast<std::size_t>(kept[i]);
    const auto values = matrix_.values.begin();
    if (from != i)
      std::copy_n(values + static_cast<std::ptrdiff_t>(from) * dims, dims,
                  values + static_cast<std::ptrdiff_t>(i) * dims);
  }
  matrix_.rows = static_cast<std::int64_t>(kept.size());
  matrix_.values.resize(kept.size() * static_cast<std::size_t>(dims));
}

MatrixView InputRows::View() const {
  if (!is_cloud()) return {matrix_.values.data(), matrix_.rows, matrix_.dims, matrix_.dims};
  static_assert(sizeof(Point3f) == 3 * sizeof(float));
  const std::vector<Point3f>& points = input_.cloud.points;
  return {&points.front().x, static_cast<std::int64_t>(points.size()), 3, 3};
}

std::string InputRows::Description() const {
  if (is_cloud()) return input_.Description();
  const std::size_t num_left_out = input_.num_in_file - size();
  return file() + ": " + CountOf(input_.num_in_file, "row") + " of " +
         CountOf(static_cast<std::size_t>(matrix_.dims), "number") +
         (num_left_out > 0 ? " (" + WithThousands(num_left_out) + " not finite, left out)" : "");
}

}  // namespace parallax::app
