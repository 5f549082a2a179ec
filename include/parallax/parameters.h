// Every parameter of the matcher with its default, which is the value of the preset "default".
//
//   parallax::Parameters parameters = parallax::Preset("kitti");      // or a YAML file, or Parameters{}
//   parameters.matching_cost.num_disparities = 192;                   // px
//   parallax::SetByKey(parameters, "aggregation.p1", "12");           // as a YAML file does
//
// docs/parameters.md and ParametersYaml() state the unit, range and meaning of each. A matcher checks all of
// them when it is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parallax {

// How costs become a disparity map: semi-global matching (Hirschmueller 2008) or AD-Census (Mei 2011).
enum class Method { kSgm, kAdCensus };
// The windows compare 24, 48 or 62 neighbours, 31 pairs, 64 neighbours on two scales, or 31 pairs on two
// scales.
enum class CensusWindow { k5x5, k7x7, k9x7, kCenterSymmetric9x7, kTwoScale, kCenterSymmetricTwoScale };
enum class Subpixel { kNone, kParabola, kEquiangular };
enum class AdCensusCost { kBoth, kAd, kCensus };
enum class ColorDifference { kMean, kMaximum };  // over the channels
enum class SupportRegion { kBoth, kLeft };       // whose crosses
// Whether learned trees judge the pixels, and which (docs/matching.md).
enum class TreeSet { kNone, kDriving, kGeneral };
// How many of the last frames must have a value for a pixel to take its last value again.
enum class Persistence { kOff, k8Of8, k2Of3, k2Of4, k2Of8, k1Of2, k1Of5, k1Of8, kAlways };
// How holes are filled after the filters over time (docs/parameters.md, live.holes).
enum class LiveHoles { kAsFilter, kLeft, kFarthest, kNearest };
enum class RightWinner { kDiagonal, kOwn };  // from the left image's sums, or from the right image's own

struct CensusParameters {
  CensusWindow window = CensusWindow::kCenterSymmetricTwoScale;
  friend bool operator==(const CensusParameters&, const CensusParameters&) = default;
};
struct MatchingCostParameters {
  int min_disparity = 0;
  int num_disparities = 128;
  int gradient_weight = 2;
  int gradient_cap = 8;
  int even_percent = 33;
  float even_below = 0.9F;
  friend bool operator==(const MatchingCostParameters&, const MatchingCostParameters&) = default;
};
struct AggregationParameters {
  int num_paths = 8;
  // With 31 census bits, a gradient term of at most 16 and the p2 of columns (79), the sum of two path costs
  // fits in a byte.
  int p1 = 16;
  int p2 = 72;
  int p2_min = 24;
  float p2_slope = 1.0F;
  int p1_ground_percent = 40;
  int p2_vertical_percent = 110;
  friend bool operator==(const AggregationParameters&, const AggregationParameters&) = default;
};
// Parameters of AD-Census alone (Mei et al. 2011); its other stages share the parameters of SGM.
struct AdCensusParameters {
  AdCensusCost cost = AdCensusCost::kBoth;
  ColorDifference color_difference = ColorDifference::kMean;
  float lambda_ad = 10.0F;
  float lambda_census = 30.0F;
  int arm_length = 34;
  int arm_length_strict = 17;
  int arm_threshold = 20;
  int arm_threshold_strict = 6;
  SupportRegion support = SupportRegion::kBoth;
  int iterations = 4;
  bool scanlines = true;
  float p1 = 1.0F;
  float p2 = 3.0F;
  int step_threshold = 15;
  RightWinner right_winner = RightWinner::kDiagonal;
  int voting_iterations = 5;
  int voting_min_votes = 20;
  int voting_min_percent = 40;
  bool discontinuities = true;
  friend bool operator==(const AdCensusParameters&, const AdCensusParameters&) = default;
};
struct SelectionParameters {
  int uniqueness_percent = 0;
  Subpixel subpixel = Subpixel::kEquiangular;
  friend bool operator==(const SelectionParameters&, const SelectionParameters&) = default;
};
struct ConsistencyParameters {
  int max_difference = 1;
  friend bool operator==(const ConsistencyParameters&, const ConsistencyParameters&) = default;
};
struct FilterParameters {
  int speckle_size = 120;
  float speckle_range = 1.5F;
  bool fill = true;
  int median = 3;
  friend bool operator==(const FilterParameters&, const FilterParameters&) = default;
};
struct RefinementParameters {
  TreeSet trees = TreeSet::kNone;
  bool planes = true;
  int plane_tile = 16;
  int plane_step = 4;
  float plane_tolerance = 1.0F;
  int smoothing_passes = 1;
  float smoothing_range = 2.0F;
  friend bool operator==(const RefinementParameters&, const RefinementParameters&) = default;
};
struct ReprojectionParameters {
  float min_depth_m = 0.1F;
  float max_depth_m = 100.0F;
  friend bool operator==(const ReprojectionParameters&, const ReprojectionParameters&) = default;
};

// Filters of sequences (docs/sequences.md): run before the matcher, and after it in the order of the frames.
struct LiveParameters {
  int decimation = 1;
  bool spatial = false;
  float spatial_alpha = 0.5F;
  int spatial_delta = 20;
  int spatial_iterations = 2;
  bool temporal = false;
  float temporal_alpha = 0.4F;
  int temporal_delta = 20;
  Persistence persistence = Persistence::k2Of4;
  LiveHoles holes = LiveHoles::kAsFilter;
  float near_m = 0;
  float far_m = 0;
  int min_confidence = 0;
  float min_texture = 0;
  int darkest = 0;
  int brightest = 255;
  friend bool operator==(const LiveParameters&, const LiveParameters&) = default;
};

// A default-constructed object is the preset "default".
struct Parameters {
  Method method = Method::kSgm;
  CensusParameters census_transform;
  MatchingCostParameters matching_cost;
  AggregationParameters aggregation;
  AdCensusParameters ad_census;
  SelectionParameters selection;
  ConsistencyParameters consistency;
  FilterParameters filter;
  RefinementParameters refinement;
  LiveParameters live;
  ReprojectionParameters reprojection;
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// The parameters of a preset ("kitti"), or of a YAML file ("mine.yaml"; it contains what differs from its
// base). Throws InvalidArgument for an unknown name, with the known names, and for a faulty file, with every
// fault as FILE:LINE; Error if the file cannot be read.
Parameters Preset(const std::string& name_or_file);
// "accurate, ad_census, default, ...": the names for Preset and Matcher.
std::string_view PresetNames();

// Sets one parameter from text: "aggregation.p1", "12". Throws InvalidArgument for an unknown key, with the
// nearest one, and for an invalid value. Matcher checks that the parameters fit one another.
void SetByKey(Parameters& parameters, const std::string& key, const std::string& text);
// Every parameter as the text of a YAML file, with unit, range and meaning as comments. Preset reads it back.
std::string ParametersYaml(const Parameters& parameters);

}  // namespace parallax
