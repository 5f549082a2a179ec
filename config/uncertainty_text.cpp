#include "config/uncertainty_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <system_error>
#include <type_traits>

namespace parallax {
namespace {

// Float is float or const float.
template <typename Float>
struct Row {
  std::string_view name, unit, meaning;
  float min = 0, max = 0;
  std::span<Float> values;
};
using ConstRow = Row<const float>;

// P is UncertaintyParameters or const UncertaintyParameters; the rows refer to it.
template <typename P, typename Float = std::conditional_t<std::is_const_v<P>, const float, float>>
std::vector<Row<Float>> RowsOf(P& p) {
  constexpr float kMin = kSmallestSigmaFactor, kMax = kLargestSigmaFactor;
  return {{"confidence_px", "px",
           "sigma of a kept pixel on a flat surface, by confidence: below 20, below 40 and so on; the "
           "last from 200",
           kMin, kMax, p.confidence_px},
          {"bend", "",
           "factors by the second difference of the disparities 2 px away: below 1/32 px, 1/16, 1/8, 1/4, "
           "1/2, 1; the last from 1 px",
           kMin, kMax, p.bend},
          {"gaps", "",
           "factors by the number of rejected pixels within 7x7: none, below 3, 5, 10, 20, 40; "
           "the last from 40",
           kMin, kMax, p.gaps},
          {"rejected", "", "factor for a pixel that was rejected and filled", kMin, kMax, {&p.rejected, 1}},
          {"rig_px",
           "px",
           "error from the rig's calibration, as a standard deviation",
           0,
           kLargestRigSigma_px,
           {&p.rig_px, 1}}};
}

constexpr UncertaintyParameters kDefaults;

std::size_t IndexOf(std::string_view key) {
  const std::vector<std::string>& keys = UncertaintyKeys();
  return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

std::string Text(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string TextOf(const ConstRow& row) {
  if (row.values.size() == 1) return Text(row.values[0]);
  std::string text;
  for (const float value : row.values) text += (text.empty() ? "[" : ", ") + Text(value);
  return text + "]";
}

template <typename Float>
std::string RangeOf(const Row<Float>& row) {
  const std::string range = Text(row.min) + " .. " + Text(row.max);
  return row.values.size() == 1 ? range : std::to_string(row.values.size()) + " numbers, " + range;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

const std::vector<std::string>& UncertaintyKeys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names;
    for (const ConstRow& row : RowsOf(kDefaults))
      names.push_back(std::string(kUncertaintySection) + '.' + std::string(row.name));
    return names;
  }();
  return keys;
}

bool IsOfUncertainty(std::string_view key) { return key.substr(0, key.find('.')) == kUncertaintySection; }

std::optional<std::string> SetUncertainty(UncertaintyParameters& parameters, std::string_view key,
                                          const std::vector<std::string>& values) {
  const Row<float> row = RowsOf(parameters)[IndexOf(key)];
  const std::string use = ": use " + RangeOf(row);
  if (values.size() != row.values.size()) {
    return "has " + std::to_string(values.size()) + (values.size() == 1 ? " value" : " values") + use;
  }
  std::vector<float> numbers;
  for (const std::string& text : values) {
    float number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return "holds '" + text + "'" + use;
    if (!(number >= row.min && number <= row.max)) return "holds " + text + ", out of range" + use;
    numbers.push_back(number);
  }
  std::copy(numbers.begin(), numbers.end(), row.values.begin());
  return std::nullopt;
}

std::vector<std::string> ListItems(std::string_view text) {
  text = Trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.emplace_back(Trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

std::string UncertaintyRange(std::string_view key) { return RangeOf(RowsOf(kDefaults)[IndexOf(key)]); }

std::string UncertaintyLine(const UncertaintyParameters& parameters) {
  std::string line;
  for (const ConstRow& row : RowsOf(parameters)) {
    line += (line.empty() ? "{" : ", ") + std::string(row.name) + ": " + TextOf(row);
  }
  return line + "}";
}

std::string UncertaintyYaml(const UncertaintyParameters& parameters) {
  std::string yaml = std::string(kUncertaintySection) + ":\n";
  for (const ConstRow& row : RowsOf(parameters)) {
    std::string line = "  " + std::string(row.name) + ": " + TextOf(row);
    line.resize(std::max<std::size_t>(line.size() + 2, 28), ' ');
    yaml += line + "# " + (row.unit.empty() ? "" : std::string(row.unit) + ", ") + RangeOf(row) + ": " +
            std::string(row.meaning) + '\n';
  }
  return yaml;
}

std::string UncertaintyRows() {
  std::string rows;
  for (const ConstRow& row : RowsOf(kDefaults)) {
    rows += "| `" + std::string(kUncertaintySection) + '.' + std::string(row.name) + "` | " +
            std::string(row.unit) + " | " + RangeOf(row) + " | " + TextOf(row) + " | " +
            std::string(row.meaning) + " |\n";
  }
  return rows;
}

}  // namespace parallax
