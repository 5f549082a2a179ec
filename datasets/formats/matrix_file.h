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

// These functions throw Error with the place in the file and the remedy for anything else, and for numbers
// out of float's range. More precise numbers are rounded to float; NaN and infinities stay.

// Reads a two-dimensional array of float32 or float64, little endian, in C or Fortran order. The file must
// hold exactly as many numbers as the header says.
Matrix ReadNpy(const std::filesystem::path& path);
// Reads one row from each line: numbers with a decimal point, separated by commas, semicolons or white space,
// equally many on every line. Empty lines, text after a # and a byte order mark are ignored.
Matrix ReadTextMatrix(const std::filesystem::path& path);
// Calls one of the two, by the extension of the name.
Matrix ReadMatrix(const std::filesystem::path& path);

}  // namespace parallax
