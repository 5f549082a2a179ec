// Matrices of numbers in files: NumPy's .npy (format versions 1 to 3) and text, .csv or .txt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace parallax {

// rows x dims numbers, row-major; at least one.
struct Matrix {
  std::int64_t rows = 0;
  int dims = 0;
  std::vector<float> values;
};

// Whether the name ends in .npy, .csv or .txt.
bool IsMatrixName(const std::filesystem::path& path);

// All throw Error, naming the place in the file and the remedy, on anything but what stands here and on
// numbers that no float holds. What is more precise is rounded to float; NaN and infinities stay.

// Two dimensions of float32 or float64, little endian, in C or Fortran order, exactly as many as the header
// says.
Matrix ReadNpy(const std::filesystem::path& path);
// A row a line, numbers with a decimal point between commas, semicolons or white space, as many on every
// line; empty lines and what stands behind a # are passed over, and so is a byte order mark.
Matrix ReadTextMatrix(const std::filesystem::path& path);
// One of the two, by the ending of the name.
Matrix ReadMatrix(const std::filesystem::path& path);

}  // namespace parallax
