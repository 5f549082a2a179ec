#include <string>

#include "datasets/formats/matrix_file.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/npy.h"

namespace parallax::fuzz {
namespace {

std::vector<Bytes> NpySeeds() {
  std::vector<Bytes> seeds;
  for (const char* type : {"<f4", "<f8"}) {
    for (const char* order : {"False", "True"}) {
      const std::string header = test::NpyDictionary(type, "(2, 3)", order);
      seeds.push_back(BytesOf(type[2] == '4' ? test::Npy(header, std::vector<float>(6, 0.5F))
                                             : test::Npy(header, std::vector<double>(6, 0.5))));
    }
  }
  return seeds;
}

void RequireSound(const Matrix& matrix, std::size_t file_size_bytes) {
  Require(matrix.rows > 0 && matrix.dims > 0, "there is a number");
  Require(
      matrix.values.size() == static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.dims),
      "as many as rows times numbers");
  Require(matrix.values.size() <= file_size_bytes, "all numbers come from the file");
}

}  // namespace

const Target kNpy{"npy",
                  [](std::span<const std::uint8_t> bytes) {
                    ReadAsFile(bytes, [&](const auto& path) { RequireSound(ReadNpy(path), bytes.size()); });
                  },
                  NpySeeds};
const Target kTextMatrix{
    "text_matrix",
    [](std::span<const std::uint8_t> bytes) {
      ReadAsFile(bytes, [&](const auto& path) { RequireSound(ReadTextMatrix(path), bytes.size()); });
    },
    [] {
      return std::vector<Bytes>{BytesOf("# x y\n1 2\n\n-3.5e1\t4\n"), BytesOf("1,2;3\r\n nan ,inf,-0\r\n"),
                                BytesOf("7\n")};
    }};

}  // namespace parallax::fuzz
