#include <algorithm>
#include <string>
#include <vector>

#include "config/parameters_yaml.h"
#include "datasets/synthetic/spec.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {
namespace {

std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What is accepted is valid, and written out it reads back to the same.
void FeedParametersYaml(std::span<const std::uint8_t> bytes) {
  Parameters parameters;
  try {
    parameters = ParseParameters(AsText(bytes), "fuzz.yaml").parameters;
  } catch (const Error&) {
    return;
  }
  Require(Validate(parameters).empty(), "accepted parameters are valid");
  const std::string yaml = ToYaml(parameters);
  Require(ToYaml(ParseParameters(yaml, "again.yaml").parameters) == yaml, "the text reads back");
}

// KEY=VALUE of --set, a line each.
void FeedAssignment(std::span<const std::uint8_t> bytes) {
  std::vector<std::string> assignments;
  for (std::string_view rest = AsText(bytes); !rest.empty() && assignments.size() < 20;) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    assignments.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  try {
    Require(Validate(ParseParameters("", "fuzz.yaml", assignments).parameters).empty(),
            "accepted ones are valid");
  } catch (const Error&) {
  }
}

void FeedSyntheticSpec(std::span<const std::uint8_t> bytes) {
  try {
    const synthetic::SyntheticSpec spec = synthetic::ParseSpec(AsText(bytes));
    Require(spec.width >= 1 && spec.height >= 1 && spec.disparities >= 1 && spec.disparities <= 1024,
            "an accepted spec is in range");
  } catch (const Error&) {
  }
}

}  // namespace

const Target kParametersYaml{
    "parameters_yaml", FeedParametersYaml, [] {
      return std::vector<Bytes>{
          // One value of each type. A seed with every parameter costs the test of failing allocations 6 s.
          BytesOf("method: sgm\ncensus_transform:\n  window: 9x7\nmatching_cost:\n"
                  "  num_disparities: 128\nad_census:\n  lambda_ad: 12.5\nselection:\n  subpixel: parabola\n"
                  "filter:\n  fill: true\n"),
          BytesOf("base: kitti\naggregation:\n  p1: 8\n  p2: 100\nfilter: {median: 3, fill: false}\n"),
          BytesOf("matching_cost: {num_disparities: 64, min_disparity: -3}\n"),
          BytesOf("a: &a [1, *a]\n"),
          BytesOf(","),
          BytesOf("a: 1\n---\nb: 1\n"),
          BytesOf("aggregation:\n  p1: ten\n  p3: 1\n")};
    }};

const Target kAssignment{"assignment", FeedAssignment, [] {
                           return std::vector<Bytes>{
                               BytesOf("aggregation.p1=12"),
                               BytesOf("method=ad_census\nad_census.lambda_ad=1e1"),
                               BytesOf("filter.fill=false\nselection.subpixel=parabola\n=\na=b=c")};
                         }};

const Target kSyntheticSpec{"synthetic_spec", FeedSyntheticSpec, [] {
                              return std::vector<Bytes>{
                                  BytesOf("drive,width=1242,height=375,seed=7,frames=10,disparities=128"),
                                  BytesOf("shift,shift=-3,noise=1.5e0,gain=.9,bits=16,doffs=2.5")};
                            }};

}  // namespace parallax::fuzz
