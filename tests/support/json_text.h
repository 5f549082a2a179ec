// Numbers out of the JSON that the program writes.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace parallax::test {

// The number under a key, from the first place where `"part"` stands on (empty: from the beginning); NaN
// where it is missing or null.
inline double NumberIn(const std::string& json, const std::string& part, const std::string& key) {
  const std::size_t from = part.empty() ? 0 : json.find("\"" + part + "\"");
  const std::size_t at = from == std::string::npos ? from : json.find("\"" + key + "\": ", from);
  if (at == std::string::npos || json.compare(at + key.size() + 4, 4, "null") == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::stod(json.substr(at + key.size() + 4));
}

}  // namespace parallax::test
