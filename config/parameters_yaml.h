// Parameters <-> YAML. A file contains only what differs from the defaults, nested by stage:
//
//   base: kitti            # optional: a preset, or another file relative to this one
//   method: sgm
//   aggregation:
//     p1: 8
//
// Reading is strict. It rejects unknown and repeated keys, values of the wrong type or out of range, and
// combinations that cannot work. All faults of a file are reported at once, one in each line, as FILE:LINE:
// value and remedy.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/types/parameter_info.h"
#include "pipeline/uncertainty/uncertainty.h"

namespace parallax {

// The key that a data set may set for each frame. Its value "auto" leaves the range to the first frames.
inline constexpr const char* kNumDisparitiesKey = "matching_cost.num_disparities";

// Parameters, and which of them were chosen and not left at their defaults.
struct ChosenParameters {
  Parameters parameters;
  UncertaintyParameters uncertainty;  // section `uncertainty`, whose keys hold lists (uncertainty_text.h)
  // Keys named by a file, its bases, a preset or an assignment, whatever their values.
  std::set<std::string, std::less<>> chosen_keys;
  bool is_range_auto = false;  // kNumDisparitiesKey is "auto": not chosen, its value is a fallback

  bool IsChosen(std::string_view key) const { return chosen_keys.contains(key); }
};

// Whether "auto" is a valid value: only if the caller has first frames from which it can choose.
enum class AutoRange { kRefused, kTaken };

// Sets one parameter from text and marks it as chosen. Returns what is wrong with the text; then nothing is set.
std::optional<std::string> SetChosen(ChosenParameters& chosen, const std::string& key, std::string_view text,
                                     AutoRange auto_range = AutoRange::kRefused);

// Reads a preset ("kitti") or a YAML file, then applies assignments ("aggregation.p1=12", from --set) in
// order. Throws InvalidArgument with all faults; Error when the file cannot be read.
ChosenParameters LoadChosenParameters(const std::string& path_or_preset,
                                      const std::vector<std::string>& assignments = {},
                                      AutoRange auto_range = AutoRange::kRefused);

// The same without assignments; returns the parameters alone.
Parameters LoadParameters(const std::string& path_or_preset);

// Parses YAML text; name stands for the file in messages. A relative base is searched in name's folder.
ChosenParameters ParseParameters(std::string_view yaml, const std::string& name,
                                 const std::vector<std::string>& assignments = {});

// The complete set as YAML, every key with its unit, range and meaning as a comment. Reads back to the same
// parameters. Keys in left_open are written as comments, so they count as left open when the file is read
// back. UncertaintyYaml writes the table of uncertainty.
std::string ToYaml(const Parameters& parameters, const std::set<std::string, std::less<>>& left_open = {});

}  // namespace parallax
