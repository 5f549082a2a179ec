// Where the intermediate results of two matchers differ first.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/types/cost_volume.h"
#include "pipeline/types/stage_results.h"

namespace parallax {

// The same bits; NaNs are one value.
inline bool SameBits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
template <typename T>
bool SameBits(T a, T b) {
  return a == b;
}

// Empty, or "stage: first differing pixel, both values, how many differ".
template <typename T>
std::string DifferenceOf(const std::string& stage, const HostImage<T>& expected, const HostImage<T>& actual) {
  std::ostringstream text;
  if (expected.width() != actual.width() || expected.height() != actual.height()) {
    text << stage << ": size " << actual.width() << 'x' << actual.height() << " instead of "
         << expected.width() << 'x' << expected.height() << '\n';
    return text.str();
  }
  std::int64_t count = 0;
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      if (SameBits(expected(x, y), actual(x, y))) continue;
      if (count++ == 0) {
        text << stage << ": pixel (" << x << ", " << y << ") is " << +actual(x, y) << " instead of "
             << +expected(x, y);
      }
    }
  }
  if (count > 0) text << "; " << count << " pixels differ\n";
  return text.str();
}

template <typename T>
std::string DifferenceOf(const std::string& stage, const HostCostVolume<T>& expected_volume,
                         const HostCostVolume<T>& actual_volume) {
  const auto expected = expected_volume.ConstView(), actual = actual_volume.ConstView();
  std::ostringstream text;
  if (expected.width != actual.width || expected.height != actual.height ||
      expected.num_disparities != actual.num_disparities) {
    text << stage << ": size " << actual.width << 'x' << actual.height << 'x' << actual.num_disparities
         << " instead of " << expected.width << 'x' << expected.height << 'x' << expected.num_disparities
         << '\n';
    return text.str();
  }
  std::int64_t count = 0;
  for (int y = 0; y < expected.height; ++y) {
    for (int x = 0; x < expected.width; ++x) {
      for (int d = 0; d < expected.num_disparities; ++d) {
        if (expected(x, y, d) == actual(x, y, d)) continue;
        if (count++ == 0) {
          text << stage << ": pixel (" << x << ", " << y << "), d index " << d << " is " << +actual(x, y, d)
               << " instead of " << +expected(x, y, d);
        }
      }
    }
  }
  if (count > 0) text << "; " << count << " cells differ\n";
  return text.str();
}

inline std::string DifferenceOf(const std::string& stage, const DisparityMap& expected,
                                const DisparityMap& actual) {
  return DifferenceOf(stage + " disparity", expected.disparity, actual.disparity) +
         DifferenceOf(stage + " validity", expected.validity, actual.validity) +
         DifferenceOf(stage + " confidence", expected.confidence, actual.confidence);
}

// Every difference, in the order of the stages: the first line is the first stage that went wrong. Whatever
// the expected side hands out is compared, and the actual side must hand out the same names.
inline std::string DifferenceOf(const StageResults& expected, const StageResults& actual) {
  std::string text;
  for (const auto& [name, value] : expected.results()) {
    const StageResults::Value* other = actual.Find(name);
    if (other == nullptr) {
      text += name + ": not handed out\n";
    } else if (other->index() != value.index()) {
      text += name + ": is " + std::string(StageResults::TypeName(*other)) + " instead of " +
              std::string(StageResults::TypeName(value)) + '\n';
    } else {
      text += std::visit(
          [&name = name, other](const auto& from) {
            return DifferenceOf(name, from, std::get<std::remove_cvref_t<decltype(from)>>(*other));
          },
          value);
    }
  }
  for (const std::string_view name : actual.names()) {
    if (expected.Find(name) == nullptr)
      text += std::string(name) + ": handed out, but not by the reference\n";
  }
  return text;
}

}  // namespace parallax
