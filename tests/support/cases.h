// How much the tests of minutes try.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace parallax::test {

// PARALLAX_ALL_CASES=1 asks for every case.
inline bool AllCases() { return std::getenv("PARALLAX_ALL_CASES") != nullptr; }

// The cases that a test tries: all, or the hardest one, which stands first.
template <typename T>
std::vector<T> Cases(std::initializer_list<T> hardest_first) {
  std::vector<T> cases(hardest_first);
  if (!AllCases()) cases.resize(1);
  return cases;
}

}  // namespace parallax::test
