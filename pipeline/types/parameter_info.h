// The table of every parameter: its key, unit, range and meaning. The YAML files, the documentation and
// Validate() all use it. The types are those of parallax/parameters.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parallax/parameters.h"

namespace parallax {

// Largest gradient_weight * gradient_cap: together with the bits of a census code, costs then stay below 128.
inline constexpr int kLargestGradientCost = 63;
// Largest penalty: sums over 8 paths then fit in 16 bits.
inline constexpr int kLargestP2 = 8000;

// The table's row for one key.
struct ParameterInfo {
  std::string_view key;      // "stage.name", or "name" outside the stages
  std::string_view unit;     // "px", "cost", "%", "m", "" for none
  double min = 0, max = 0;   // inclusive; enums and booleans: unused
  std::string_view meaning;  // one line
};

// Names of the enum values in YAML, in the order of the enumerators.
inline constexpr std::string_view kMethodNames[] = {"sgm", "ad_census"};
inline constexpr std::string_view kCensusWindowNames[] = {"5x5",   "7x7",       "9x7",
                                                          "cs9x7", "two_scale", "cs_two_scale"};
inline constexpr std::string_view kSubpixelNames[] = {"none", "parabola", "equiangular"};
inline constexpr std::string_view kAdCensusCostNames[] = {"both", "ad", "census"};
inline constexpr std::string_view kColorDifferenceNames[] = {"mean", "maximum"};
inline constexpr std::string_view kSupportRegionNames[] = {"both", "left"};
inline constexpr std::string_view kRightWinnerNames[] = {"diagonal", "own"};
inline constexpr std::string_view kPersistenceNames[] = {"off", "8/8", "2/3", "2/4",   "2/8",
                                                         "1/2", "1/5", "1/8", "always"};
inline constexpr std::string_view kTreeSetNames[] = {"none", "driving", "general"};
inline constexpr std::string_view kLiveHolesNames[] = {"as_filter", "left", "farthest", "nearest"};
constexpr const std::string_view (&EnumNames(Persistence))[9] { return kPersistenceNames; }
constexpr const std::string_view (&EnumNames(LiveHoles))[4] { return kLiveHolesNames; }
constexpr const std::string_view (&EnumNames(TreeSet))[3] { return kTreeSetNames; }
constexpr const std::string_view (&EnumNames(Method))[2] { return kMethodNames; }
constexpr const std::string_view (&EnumNames(CensusWindow))[6] { return kCensusWindowNames; }
constexpr const std::string_view (&EnumNames(Subpixel))[3] { return kSubpixelNames; }
constexpr const std::string_view (&EnumNames(AdCensusCost))[3] { return kAdCensusCostNames; }
constexpr const std::string_view (&EnumNames(ColorDifference))[2] { return kColorDifferenceNames; }
constexpr const std::string_view (&EnumNames(SupportRegion))[2] { return kSupportRegionNames; }
constexpr const std::string_view (&EnumNames(RightWinner))[2] { return kRightWinnerNames; }

// Calls visit(ParameterInfo, field) for every parameter, in the order in which they are documented.
// P is Parameters or const Parameters; a field is int, float, bool or an enum with EnumNames.
template <typename P, typename Visitor>
void VisitParameters(P& p, Visitor&& visit) {
  using Info = ParameterInfo;
  visit(Info{"method", "", 0, 0, "matching method: sgm (semi-global matching) or ad_census"}, p.method);
  visit(Info{"census_transform.window", "", 0, 0,
             "pixels compared: 5x5, 7x7, 9x7 (24, 48, 62 with the centre), cs9x7 (31 opposite pairs), "
             "two_scale (30 near ones, 34 of the smoothed image around) or cs_two_scale (4 opposite pairs, "
             "27 of the "
             "smoothed image around)"},
        p.census_transform.window);
  visit(Info{"matching_cost.min_disparity", "px", -16384, 16384, "smallest disparity searched"},
        p.matching_cost.min_disparity);
  visit(Info{"matching_cost.num_disparities", "px", 1, 1024, "number of disparities searched (D)"},
        p.matching_cost.num_disparities);
  visit(Info{"matching_cost.gradient_weight", "cost", 0, kLargestGradientCost,
             "cost of each gray level by which the gradients along the row differ; 0 = census bits only"},
        p.matching_cost.gradient_weight);
  visit(Info{"matching_cost.gradient_cap", "gray levels", 1, 15,
             "larger differences of the gradients count as this; at most 63 / gradient_weight"},
        p.matching_cost.gradient_cap);
  visit(Info{"matching_cost.even_percent", "%", 1, 100,
             "weight of the costs where the image is nearly uniform (even), to hold back noise there; 100 = "
             "the same everywhere"},
        p.matching_cost.even_percent);
  visit(Info{"matching_cost.even_below", "gray levels", 0, 100,
             "the image is even where its smoothed pixels 4 px apart in a row differ by at most this, on "
             "average over 40x40 px; from twice this on, costs count in full"},
        p.matching_cost.even_below);
  visit(Info{"aggregation.num_paths", "", 4, 8, "directions of the path costs: 4 or 8"},
        p.aggregation.num_paths);
  visit(Info{"aggregation.p1", "cost", 0, kLargestP2, "penalty of a disparity step of 1"}, p.aggregation.p1);
  visit(Info{"aggregation.p2", "cost", 0, kLargestP2,
             "penalty of a larger step where the image is uniform; >= p1"},
        p.aggregation.p2);
  visit(Info{"aggregation.p2_min", "cost", 0, kLargestP2, "p2 never falls below this, nor below p1; <= p2"},
        p.aggregation.p2_min);
  visit(Info{"aggregation.p2_slope", "cost/gray level", 0, 1000,
             "decrease of p2 for each 8-bit gray level of difference along the path; 0 = constant p2"},
        p.aggregation.p2_slope);
  visit(Info{"aggregation.p1_ground_percent", "%", 0, 100,
             "p1 along columns for the steps of a ground plane, relative to p1: d - 1 to d going down, d + 1 "
             "to d going up"},
        p.aggregation.p1_ground_percent);
  visit(Info{"aggregation.p2_vertical_percent", "%", 25, 400, "p2 along columns, relative to other paths"},
        p.aggregation.p2_vertical_percent);
  visit(Info{"ad_census.cost", "", 0, 0,
             "terms of the matching cost: both, ad (absolute differences) or census"},
        p.ad_census.cost);
  visit(Info{"ad_census.color_difference", "", 0, 0,
             "absolute difference of two colours: mean or maximum over the channels"},
        p.ad_census.color_difference);
  visit(Info{"ad_census.lambda_ad", "gray level", 1, 1000, "absolute difference that costs 0.63"},
        p.ad_census.lambda_ad);
  visit(Info{"ad_census.lambda_census", "bits", 1, 1000, "number of differing census bits that costs 0.63"},
        p.ad_census.lambda_census);
  visit(Info{"ad_census.arm_length", "px", 1, 34, "arms of the crosses are shorter than this (L1)"},
        p.ad_census.arm_length);
  visit(Info{"ad_census.arm_length_strict", "px", 0, 34,
             "beyond this an arm's colours are compared with the strict threshold (L2)"},
        p.ad_census.arm_length_strict);
  visit(Info{"ad_census.arm_threshold", "gray level", 0, 256,
             "an arm ends where colours differ by this (tau1)"},
        p.ad_census.arm_threshold);
  visit(Info{"ad_census.arm_threshold_strict", "gray level", 0, 256,
             "strict threshold, for the difference from the centre's colour (tau2)"},
        p.ad_census.arm_threshold_strict);
  visit(Info{"ad_census.support", "", 0, 0,
             "average costs over the crosses of both images together, or of the left one alone"},
        p.ad_census.support);
  visit(Info{"ad_census.iterations", "", 0, 16, "number of averaging passes over the crosses; 0 = none"},
        p.ad_census.iterations);
  visit(Info{"ad_census.scanlines", "", 0, 0, "optimise along rows and columns"}, p.ad_census.scanlines);
  visit(Info{"ad_census.p1", "cost", 0, 16, "penalty of a disparity step of 1 (Pi1)"}, p.ad_census.p1);
  visit(Info{"ad_census.p2", "cost", 0, 16, "penalty of a larger step (Pi2); >= p1"}, p.ad_census.p2);
  visit(Info{"ad_census.step_threshold", "gray level", 0, 256,
             "p1 and p2 fall to 1/4 if neighbours in one image differ by this, to 1/10 in both (tau_SO)"},
        p.ad_census.step_threshold);
  visit(Info{"ad_census.right_winner", "", 0, 0,
             "right winners: diagonal (from the left image's sums) or own (from separate sums, twice "
             "the work)"},
        p.ad_census.right_winner);
  visit(Info{"ad_census.voting_iterations", "", 0, 16,
             "how often rejected pixels take the most frequent disparity of their cross; 0 = never"},
        p.ad_census.voting_iterations);
  visit(Info{"ad_census.voting_min_votes", "px", 0, 4488, "more votes than this are needed (tau_S)"},
        p.ad_census.voting_min_votes);
  visit(Info{"ad_census.voting_min_percent", "%", 0, 100, "share of votes that a value must exceed (tau_H)"},
        p.ad_census.voting_min_percent);
  visit(Info{"ad_census.discontinuities", "", 0, 0,
             "pixels at a depth edge take an adjacent pixel's disparity if it costs less"},
        p.ad_census.discontinuities);
  visit(Info{"selection.uniqueness_percent", "%", 0, 99,
             "reject a winner unless it is this much cheaper than any non-adjacent disparity; 0 = keep all"},
        p.selection.uniqueness_percent);
  visit(Info{"selection.subpixel", "", 0, 0, "interpolation of the minimum: none, parabola or equiangular"},
        p.selection.subpixel);
  visit(Info{"consistency.max_difference", "px", -1, 1024,
             "largest left-right difference of kept winners; -1 = no check"},
        p.consistency.max_difference);
  visit(Info{"filter.speckle_size", "px", 0, 1000000000, "islands of fewer pixels are removed; 0 = none"},
        p.filter.speckle_size);
  visit(Info{"filter.speckle_range", "px", 0, 1024, "largest difference of neighbours in one island"},
        p.filter.speckle_range);
  visit(Info{"filter.fill", "", 0, 0,
             "interpolate rejected pixels: occluded ones from the background, others from all sides"},
        p.filter.fill);
  visit(Info{"filter.median", "px", 0, 5, "side of the median window: 0 (off), 3 or 5"}, p.filter.median);
  visit(Info{"refinement.trees", "", 0, 0,
             "learned trees that reject pixels and restore others before holes are filled and, with "
             "planes, choose values for rejected ones: none, driving (trained on streets) or general "
             "(on streets and indoors); method sgm"},
        p.refinement.trees);
  visit(Info{"refinement.planes", "", 0, 0,
             "rejected pixels take the value of a plane fitted to their surroundings"},
        p.refinement.planes);
  visit(Info{"refinement.plane_tile", "px", 4, 64, "side of the tiles, each with a plane"},
        p.refinement.plane_tile);
  visit(Info{"refinement.plane_step", "px", 1, 16,
             "distance of the 15 x 15 samples of a plane; divides plane_tile"},
        p.refinement.plane_step);
  visit(Info{"refinement.plane_tolerance", "px", 0.0625, 64,
             "a sample at twice this distance has no weight in the last round of the fit"},
        p.refinement.plane_tolerance);
  visit(Info{"refinement.smoothing_passes", "", 0, 4,
             "number of passes of bilateral means over the "
             "finished map; 0 = none"},
        p.refinement.smoothing_passes);
  visit(Info{"refinement.smoothing_range", "px", 0.0625, 64,
             "differences up to twice this are averaged in the first pass; half as much in each later one"},
        p.refinement.smoothing_range);
  visit(Info{"live.decimation", "", 1, 8, "reduce images by this factor before they are matched; 1 = off"},
        p.live.decimation);
  visit(Info{"live.spatial", "", 0, 0, "smooth each map, but not across its edges"}, p.live.spatial);
  visit(Info{"live.spatial_alpha", "", 0.25, 1,
             "weight of a pixel against the mean before it; 1 = no smoothing"},
        p.live.spatial_alpha);
  visit(Info{"live.spatial_delta", "1/32 px", 1, 50, "a step of this is an edge"}, p.live.spatial_delta);
  visit(
      Info{"live.spatial_iterations", "", 1, 5, "number of passes along rows and columns, forward and back"},
      p.live.spatial_iterations);
  visit(Info{"live.temporal", "", 0, 0, "smooth each pixel over the frames"}, p.live.temporal);
  visit(Info{"live.temporal_alpha", "", 0, 1, "weight of a new value against the last one; 1 = no smoothing"},
        p.live.temporal_alpha);
  visit(
      Info{"live.temporal_delta", "1/32 px", 1, 100, "a value this far from the last one is taken unchanged"},
      p.live.temporal_delta);
  visit(Info{"live.persistence", "", 0, 0,
             "a pixel without a value takes its last value if it had one in this many of the last "
             "frames: off, 8/8, 2/3, 2/4, 2/8, 1/2, 1/5, 1/8 or always"},
        p.live.persistence);
  visit(Info{"live.holes", "", 0, 0,
             "how the remaining holes are filled: as_filter (by filter.fill and refinement.planes), "
             "left, farthest or nearest (of the surrounding pixels)"},
        p.live.holes);
  visit(Info{"live.near_m", "m", 0, 1e9, "nearer values are removed; 0 = none"}, p.live.near_m);
  visit(Info{"live.far_m", "m", 0, 1e9, "farther values are removed; 0 = none"}, p.live.far_m);
  visit(Info{"live.min_confidence", "", 0, 255, "less confident values are removed"}, p.live.min_confidence);
  visit(Info{"live.min_texture", "gray level", 0, 510,
             "values are removed where gray levels differ on average by less than this from those "
             "above and to the left"},
        p.live.min_texture);
  visit(Info{"live.darkest", "gray level", 0, 255, "values of darker pixels are removed"}, p.live.darkest);
  visit(Info{"live.brightest", "gray level", 0, 255, "values of brighter pixels are removed"},
        p.live.brightest);
  visit(Info{"reprojection.min_depth_m", "m", 0, 1e9, "nearer points are left out of depth map and cloud"},
        p.reprojection.min_depth_m);
  visit(Info{"reprojection.max_depth_m", "m", 0, 1e9, "farther points are left out of depth map and cloud"},
        p.reprojection.max_depth_m);
}

// One fault of a set of parameters: its key, and a line with value and remedy.
struct ParameterFault {
  std::string key;
  std::string message;
};

// All faults: values out of range and invalid combinations. Empty = valid.
std::vector<ParameterFault> Validate(const Parameters& parameters);

// Throws InvalidArgument with all faults, one in each line.
void ValidateOrThrow(const Parameters& parameters);

}  // namespace parallax
