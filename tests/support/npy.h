// NumPy files as numpy.save writes them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parallax::test {

// dictionary: of the header, see NpyDictionary.
template <typename T>
std::string Npy(const std::string& dictionary, const std::vector<T>& numbers, char version = 1) {
  const std::size_t prefix_bytes = version == 1 ? 10 : 12;
  std::string header = dictionary;
  while ((prefix_bytes + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < prefix_bytes - 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file + header +
         std::string(reinterpret_cast<const char*>(numbers.data()), sizeof(T) * numbers.size());
}
inline std::string NpyDictionary(const std::string& type, const std::string& shape,
                                 const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

}  // namespace parallax::test
