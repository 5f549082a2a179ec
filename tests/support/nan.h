// Not a number, for maps and clouds in tests.
#pragma once

#include <limits>

namespace parallax {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace parallax
