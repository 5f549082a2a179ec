#include "config/parameter_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <system_error>
#include <type_traits>

namespace parallax {
namespace {

// Number of single-character edits from a to b (Levenshtein).
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

template <typename T>
std::string NumberText(T value) {
  char buffer[64];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
  return {std::begin(buffer), end};
}

// A limit of a range: whole ones in full, not as 1e+09.
std::string LimitText(double limit) {
  return limit == std::floor(limit) ? NumberText(static_cast<long long>(limit)) : NumberText(limit);
}

template <typename T>
std::string RangeOf(const ParameterInfo& info, T /*value*/) {
  if constexpr (std::is_same_v<T, bool>) {
    return "true, false";
  } else if constexpr (std::is_enum_v<T>) {
    std::string names;
    for (const std::string_view name : EnumNames(T{})) {
      if (!names.empty()) names += ", ";
      names += name;
    }
    return names;
  } else {
    return LimitText(info.min) + " .. " + LimitText(info.max);
  }
}

// Parses the whole text as a value of type T. Returns false if it is not one.
template <typename T>
bool Parse(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = text == "true";
    return text == "true" || text == "false";
  } else if constexpr (std::is_enum_v<T>) {
    const auto& names = EnumNames(T{});
    const auto found = std::find(std::begin(names), std::end(names), text);
    if (found == std::end(names)) return false;
    value = static_cast<T>(found - std::begin(names));
    return true;
  } else {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
    return true;
  }
}

template <typename T>
constexpr std::string_view KindOf() {
  if constexpr (std::is_same_v<T, int>) return "a whole number, ";
  if constexpr (std::is_floating_point_v<T>) return "a number, ";
  return "one of ";
}

// Calls visit(info, field) for the one parameter of this key.
template <typename P, typename Visitor>
void VisitParameter(P& parameters, std::string_view key, Visitor&& visit) {
  VisitParameters(parameters, [&](const ParameterInfo& info, auto& field) {
    if (info.key == key) visit(info, field);
  });
}

}  // namespace

const std::vector<std::string>& ParameterKeys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list;
    const Parameters defaults;
    VisitParameters(defaults, [&](const ParameterInfo& info, const auto&) { list.emplace_back(info.key); });
    return list;
  }();
  return keys;
}

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance > std::max<std::size_t>(2, candidate.size() / 3)) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string NearestParameterKey(std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string_view name = dot == std::string_view::npos ? key : key.substr(dot + 1);
  std::vector<std::string> stages;
  std::string same_name;
  for (const std::string& valid : ParameterKeys()) {
    const std::size_t valid_dot = valid.find('.');
    // substr(npos + 1) is all of a key without a stage
    if (valid == key) return valid;  // not nested
    if (std::string_view(valid).substr(valid_dot + 1) == name && same_name.empty()) same_name = valid;
    if (stages.empty() || stages.back() != valid.substr(0, valid_dot))
      stages.push_back(valid.substr(0, valid_dot));
  }
  if (!same_name.empty()) return same_name;  // the right name under a wrong stage, or under none
  if (dot == std::string_view::npos) return NearestName(key, stages);
  return NearestName(key, ParameterKeys());
}

std::optional<std::string> SetParameter(Parameters& parameters, std::string_view key, std::string_view text) {
  std::optional<std::string> fault;
  VisitParameter(parameters, key, [&](const ParameterInfo& info, auto& field) {
    using T = std::remove_cvref_t<decltype(field)>;
    T value{};
    if (Parse(text, value)) {
      field = value;
      return;
    }
    fault = "is '" + std::string(text) + "': use " + std::string(KindOf<T>()) + RangeOf(info, field);
    if (!info.unit.empty()) *fault += ' ' + std::string(info.unit);
  });
  return fault;
}

std::string ParameterText(const Parameters& parameters, std::string_view key) {
  std::string text;
  VisitParameter(parameters, key, [&](const ParameterInfo&, const auto& field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, bool>) {
      text = field ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
      text = EnumNames(T{})[static_cast<std::size_t>(field)];
    } else {
      text = NumberText(field);
    }
  });
  return text;
}

std::string ParameterRange(std::string_view key) {
  std::string range;
  const Parameters defaults;
  VisitParameter(defaults, key,
                 [&](const ParameterInfo& info, const auto& field) { range = RangeOf(info, field); });
  return range;
}

}  // namespace parallax
