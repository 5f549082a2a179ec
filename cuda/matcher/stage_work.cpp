#include "cuda/matcher/stage_work.h"

#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/sgm/cuda_census_transform.h"
#include "cuda/sgm/volume_layout.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax {
namespace {

// Lanes a clock of one multiprocessor of compute capability 9.0, measured on an H200.
constexpr double kPackedRate = 63, kPopulationCountRate = 16, kShuffleRate = 32, kReductionRate = 16;
constexpr double kLanes = 32;

constexpr double kMapBytes = sizeof(float) + 1 + 1;  // disparity, validity, confidence

// The work of stages that only AD-Census has.
StageWork WorkOfAdCensus(std::string_view stage, const Parameters& parameters, double pixels,
                         int bytes_per_pixel) {
  const AdCensusParameters& p = parameters.ad_census;
  const double code_bytes = cuda::HasCode32(parameters.census_transform.window) ? 4 : 8, color_bytes = 4;
  constexpr double kArmBytes = 4, kIndexBytes = sizeof(std::int16_t);  // four arms
  const double volume_bytes = pixels *
                              cuda::ad_census::PaddedDisparities(parameters.matching_cost.num_disparities) *
                              sizeof(std::uint16_t);
  const double sums_bytes = volume_bytes * (p.scanlines ? 2 : 1);
  StageWork work;
  if (stage == "census_transform") {
    work.bytes = 2 * pixels * (bytes_per_pixel + code_bytes + color_bytes + kArmBytes);
  } else if (stage == "matching_cost") {
    work.bytes = 2 * pixels * (code_bytes + color_bytes) + volume_bytes;
    work.population_counts = volume_bytes / sizeof(std::uint16_t) * (code_bytes / 4);
  } else if (stage == "aggregation") {
    work.bytes = volume_bytes + 2 * pixels * kArmBytes + sums_bytes;
  } else if (stage == "selection") {
    work.bytes = sums_bytes + pixels * (kMapBytes + 2 * kIndexBytes);
  } else if (stage == "voting") {
    work.bytes = pixels * (kArmBytes + 2 * kIndexBytes);
  } else if (stage == "fill") {
    work.bytes = pixels * (color_bytes + 2 * kIndexBytes);
  } else if (stage == "discontinuities") {
    work.bytes = pixels * 2 * kIndexBytes;
  } else if (stage == "subpixel") {
    work.bytes = pixels * (kIndexBytes + sizeof(float));
  } else if (stage == "consistency") {
    work.bytes = pixels * (2 * kIndexBytes + 2 * (sizeof(float) + 1));
  }
  return work;
}

}  // namespace

StageWork WorkOfStage(std::string_view stage, const Parameters& parameters, int width, int height,
                      int bytes_per_pixel) {
  const MatchingTables tables = MakeMatchingTables(parameters);
  const cuda::VolumeLayout layout = cuda::MakeVolumeLayout(parameters, tables, width, height);
  const bool has_code32 = cuda::HasCode32(parameters.census_transform.window);
  const double pixels = static_cast<double>(layout.num_pixels()), cells = pixels * layout.padded(),
               code_bytes = has_code32 ? 4 : 8,
               sums_bytes = cells * layout.num_volumes * layout.bytes_per_sum;
  StageWork work;
  if (parameters.method == Method::kAdCensus) {
    work = WorkOfAdCensus(stage, parameters, pixels, bytes_per_pixel);
    if (work.bytes > 0) return work;
  }
  if (stage == "census_transform") {
    work.bytes = 2 * pixels * (bytes_per_pixel + code_bytes);
  } else if (stage == "matching_cost") {
    work.bytes = 2 * pixels * code_bytes + cells;
    work.population_counts = cells * (has_code32 ? 1 : 2);
  } else if (stage == "aggregation") {
    work.bytes = cells + pixels + sums_bytes;
    // Two cells of one direction take the minimum of three, that with the fourth, and an addition. Two pixels
    // of one direction in one warp take a shuffle from either side, and a minimum for each pixel.
    work.packed_operations = cells * tables.num_paths * 3 / 2;
    work.shuffles = work.reductions = pixels * tables.num_paths * kLanes;
  } else if (stage == "selection" || stage == "consistency") {
    work.bytes = sums_bytes + pixels * kMapBytes + (layout.leaves_costs_out ? cells : 0);
    // Two cells take the sum of the volumes, and the minima for the winner, the rival and the right image.
    work.packed_operations = cells * (layout.num_volumes - 1 + 3) / 2;
  } else if (stage == "speckle" || stage == "fill") {
    work.bytes = 2 * pixels * (sizeof(float) + 1);
  } else if (stage == "judgement") {  // what was selected, twice, the guide, the map both ways
    work.bytes = pixels * (2 * sizeof(float) + 1 + 2 * (sizeof(float) + 1));
  } else if (stage == "planes") {
    work.bytes = pixels * (2 * sizeof(float) + 2);
  } else if (stage ==
             "choice") {  // the maps before and after planes, the latter both ways, validity, the guide
    work.bytes = pixels * (3 * sizeof(float) + 2);
  } else if (stage == "median") {
    work.bytes = 2 * pixels * sizeof(float);
  } else if (stage == "smoothing") {  // along rows and along columns
    work.bytes = parameters.refinement.smoothing_passes * 2 * 2 * pixels * sizeof(float);
  }
  return work;
}

StageFloor FloorOf(const StageWork& work, const DeviceRates& rates) {
  StageFloor floor{1000 * work.bytes / rates.bytes_per_s, "bytes"};
  const double clocks_per_ms = rates.clock_hz / 1000 * rates.num_multiprocessors;
  if (clocks_per_ms <= 0) return floor;
  const auto consider = [&](double operations, double rate, std::string_view bound) {
    const double ms = operations / (rate * clocks_per_ms);
    if (ms > floor.ms) floor = {ms, bound};
  };
  consider(work.packed_operations, kPackedRate, "packed");
  consider(work.population_counts, kPopulationCountRate, "popc");
  consider(work.shuffles, kShuffleRate, "shuffle");
  consider(work.reductions, kReductionRate, "redux");
  return floor;
}

}  // namespace parallax
