// Vectors and rotations of camera geometry, in double precision.
#pragma once

#include <array>
#include <cmath>

namespace parallax {

struct Vector2 {
  double x = 0, y = 0;
  friend bool operator==(const Vector2&, const Vector2&) = default;
};

struct Vector3 {
  double x = 0, y = 0, z = 0;
  friend bool operator==(const Vector3&, const Vector3&) = default;
};
inline Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector3 operator-(const Vector3& a) { return {-a.x, -a.y, -a.z}; }
inline Vector3 operator*(double s, const Vector3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double Dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector3 Cross(const Vector3& a, const Vector3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double Length(const Vector3& a) { return std::sqrt(Dot(a, a)); }
inline Vector3 Normalized(const Vector3& a) { return (1 / Length(a)) * a; }

// 3x3, row by row.
struct Matrix3 {
  std::array<double, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};
  double operator()(int row, int column) const { return m[static_cast<std::size_t>(3 * row + column)]; }
  double& operator()(int row, int column) { return m[static_cast<std::size_t>(3 * row + column)]; }
  friend bool operator==(const Matrix3&, const Matrix3&) = default;
};
inline Matrix3 Rows(const Vector3& a, const Vector3& b, const Vector3& c) {
  return {{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}};
}
inline Vector3 Row(const Matrix3& a, int row) { return {a(row, 0), a(row, 1), a(row, 2)}; }
inline Vector3 operator*(const Matrix3& a, const Vector3& v) {
  return {Dot(Row(a, 0), v), Dot(Row(a, 1), v), Dot(Row(a, 2), v)};
}
inline Matrix3 Transposed(const Matrix3& a) {
  return {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
inline Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
  const Matrix3 columns = Transposed(b);
  Matrix3 product;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) product(row, column) = Dot(Row(a, row), Row(columns, column));
  }
  return product;
}
inline double Determinant(const Matrix3& a) { return Dot(Row(a, 0), Cross(Row(a, 1), Row(a, 2))); }

// Rotation by |v| radians about v (Rodrigues), and back; the angle is in [0, pi].
Matrix3 RotationOf(const Vector3& v);
Vector3 RotationVectorOf(const Matrix3& rotation);

// The rotation nearest to a matrix that is nearly one, such as one with a file's rounded digits.
Matrix3 NearestRotation(Matrix3 matrix);
// How far a matrix is from a rotation: the largest element of |A A^T - 1|; infinite for a reflection.
double DistanceFromRotation(const Matrix3& matrix);

inline constexpr double kDegreesPerRadian = 57.295779513082320877;

}  // namespace parallax
