#include "pipeline/calibration/vectors.h"

#include <algorithm>
#include <limits>

namespace parallax {

Matrix3 RotationOf(const Vector3& v) {
  const double angle = Length(v);
  // sin(a)/a and (1 - cos(a))/a^2, by their series where a is small.
  const bool is_small = angle < 1e-8;
  const double s = is_small ? 1 - angle * angle / 6 : std::sin(angle) / angle;
  const double half = std::sin(angle / 2);
  const double c = is_small ? 0.5 : 2 * half * half / (angle * angle);
  const double diagonal = 1 - c * angle * angle;
  return {{diagonal + c * v.x * v.x, c * v.x * v.y - s * v.z, c * v.x * v.z + s * v.y,
           c * v.x * v.y + s * v.z, diagonal + c * v.y * v.y, c * v.y * v.z - s * v.x,
           c * v.x * v.z - s * v.y, c * v.y * v.z + s * v.x, diagonal + c * v.z * v.z}};
}

Vector3 RotationVectorOf(const Matrix3& r) {
  const Vector3 axis{r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};  // 2 sin(angle) of the axis
  const double sine = Length(axis) / 2;
  const double cosine = (r(0, 0) + r(1, 1) + r(2, 2) - 1) / 2;
  const double angle = std::atan2(sine, cosine);
  if (sine > 1e-6) return (angle / (2 * sine)) * axis;
  if (cosine > 0) return 0.5 * axis;
  // Near pi the axis is the longest column of R + 1.
  Vector3 longest;
  for (int i = 0; i < 3; ++i) {
    Vector3 column{r(0, i), r(1, i), r(2, i)};
    (i == 0 ? column.x : i == 1 ? column.y : column.z) += 1;
    if (Length(column) > Length(longest)) longest = column;
  }
  const Vector3 direction = Normalized(longest);
  return (Dot(direction, axis) < 0 ? -angle : angle) * direction;
}

Matrix3 NearestRotation(Matrix3 matrix) {
  // Newton's iteration of the polar decomposition: A <- (A + A^-T) / 2 (Higham 1986).
  for (int i = 0; i < 20; ++i) {
    const Vector3 a = Row(matrix, 0), b = Row(matrix, 1), c = Row(matrix, 2);
    const double scale = 1 / Determinant(matrix);
    const Matrix3 inverse_transposed = Rows(scale * Cross(b, c), scale * Cross(c, a), scale * Cross(a, b));
    for (std::size_t k = 0; k < 9; ++k) matrix.m[k] = (matrix.m[k] + inverse_transposed.m[k]) / 2;
  }
  return matrix;
}

double DistanceFromRotation(const Matrix3& matrix) {
  const Matrix3 product = matrix * Transposed(matrix);
  double distance = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const double off = std::abs(product(row, column) - (row == column ? 1 : 0));
      if (!(off <= distance)) distance = off;  // NaN too
    }
  }
  return Determinant(matrix) > 0 ? distance : std::numeric_limits<double>::infinity();
}

}  // namespace parallax
