// The intermediate results of one frame under the names of their stages, so that a test can find the first
// stage that differs, for any method.
//
// Images are W x H; winners are indices d into 0..D-1, i.e. disparity - min_disparity. The names of
// semi-global matching, in order:
//   census_left, census_right   HostImage<std::uint64_t>        census codes
//   sums                        HostCostVolume<std::uint16_t>   aggregated cost S(x, y, d)
//   winner_left, winner_right   HostImage<std::uint16_t>        index of the cheapest disparity, no filters
//   selected, consistent, without_speckles, filled              DisparityMap after that stage
//   judged                      DisparityMap, between the last two, where trees judge pixels
//   planes, median              DisparityMap after that stage, where there are planes, and where smoothing
//   follows
//   chosen                      DisparityMap, between these, where trees choose among values
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "parallax/disparity_map.h"
#include "parallax/error.h"
#include "parallax/image.h"
#include "pipeline/types/cost_volume.h"

namespace parallax {

class StageResults {
 public:
  using Value = std::variant<HostImage<std::uint8_t>, HostImage<std::uint16_t>, HostImage<std::uint64_t>,
                             HostImage<float>, HostCostVolume<std::uint8_t>, HostCostVolume<std::uint16_t>,
                             DisparityMap>;
  struct Result {
    std::string name;
    Value value;
  };

  // Appends a result under a unique name. Returns it; it stays in place until Clear(). Throws InvalidArgument
  // if the name is taken.
  template <typename T>
  T& Add(std::string_view name, T value) {
    if (Find(name) != nullptr) {
      throw InvalidArgument("stage result '" + std::string(name) +
                            "' is already there: clear the results first");
    }
    results_.push_back({std::string(name), Value(std::move(value))});
    return std::get<T>(results_.back().value);
  }

  // The result of that name, nullptr if there is none.
  const Value* Find(std::string_view name) const {
    const auto found = std::find_if(results_.begin(), results_.end(),
                                    [&](const Result& result) { return result.name == name; });
    return found == results_.end() ? nullptr : &found->value;
  }

  // The result of that name and type. Throws InvalidArgument with the existing names, or if it has another
  // type.
  template <typename T>
  const T& Get(std::string_view name) const {
    const Value* value = Find(name);
    if (value == nullptr) {
      throw InvalidArgument("no stage result '" + std::string(name) + "': there are " + NamesText());
    }
    const T* typed = std::get_if<T>(value);
    if (typed == nullptr) {
      throw InvalidArgument("stage result '" + std::string(name) + "' is " + std::string(TypeName(*value)) +
                            ": ask for that type");
    }
    return *typed;
  }
  template <typename T>
  T& Get(std::string_view name) {
    return const_cast<T&>(std::as_const(*this).Get<T>(name));
  }

  // The names in the order in which the stages ran.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const Result& result : results_) names.emplace_back(result.name);
    return names;
  }
  const std::deque<Result>& results() const { return results_; }

  // Called by a matcher when a frame begins.
  void Clear() { results_.clear(); }

  // "an image of 8 bits" and so on, for messages.
  static std::string_view TypeName(const Value& value) {
    static constexpr std::string_view kNames[] = {
        "an image of 8 bits", "an image of 16 bits", "an image of 64 bits", "an image of floats",
        "a volume of 8 bits", "a volume of 16 bits", "a disparity map"};
    static_assert(std::size(kNames) == std::variant_size_v<Value>);
    return kNames[value.index()];
  }

 private:
  std::string NamesText() const {
    std::string text;
    for (const Result& result : results_) text += (text.empty() ? "" : ", ") + result.name;
    return text.empty() ? "none" : text;
  }

  std::deque<Result> results_;  // whose elements do not move when one is added
};

}  // namespace parallax
