// The interface between the program and a back end: a pair in, a disparity map out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parallax/disparity_map.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"
#include "pipeline/types/stage_results.h"

namespace parallax {

// The stages of the taxonomy (Scharstein & Szeliski 2002), in order of execution.
enum class Stage {
  kCensusTransform,
  kMatchingCost,
  kAggregation,
  kSelection,
  kConsistency,
  kFilter,
  kReprojection,
  kCount
};
inline constexpr std::string_view kStageNames[] = {
    "census_transform", "matching_cost", "aggregation", "selection", "consistency", "filter", "reprojection"};

// Milliseconds per stage of one frame. A back end that fuses stages books their time on the last of them.
struct StageTimes {
  std::array<double, static_cast<std::size_t>(Stage::kCount)> ms{};
  double& operator[](Stage stage) { return ms[static_cast<std::size_t>(stage)]; }
  double operator[](Stage stage) const { return ms[static_cast<std::size_t>(stage)]; }
};

// Matches pairs of up to one size with one set of parameters. It keeps its buffers between frames, whose
// sizes may differ: the bits of a frame do not depend on the matcher's size.
class StereoMatcher {
 public:
  virtual ~StereoMatcher() = default;

  // Matches one pair. left, right: rectified, of one size, at most the one stated at construction, and of one
  // pixel type. result: resized if its size differs. times, stages: if not null, replaced by those of this
  // frame. Throws InvalidArgument when the images do not fit.
  virtual void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
                       StageTimes* times = nullptr, StageResults* stages = nullptr) = 0;

  virtual std::string_view backend() const = 0;  // "reference", "cpu", "cuda"

  // Working memory in use, bytes; 0 = unknown.
  virtual std::size_t memory_bytes() const { return 0; }
};

// One matcher takes images up to this size; larger ones need another one. Memory is that of the largest.
struct MatcherOptions {
  int width = 0, height = 0;  // px, of both images: the largest
  int num_threads = 0;        // of the CPU back ends; 0 = all cores
  int device = 0;             // of the CUDA back end, as `parallax info` numbers them
  // Working memory of the cpu back end, bytes; 0 = 2.5 bytes * W * H * D + 64 MB. With less, frames are
  // matched in bands: slower, with the same bits.
  std::size_t memory_limit_bytes = 0;
};

// Checks that every back end makes. They throw InvalidArgument for sizes below 1, and for images that are
// larger than the matcher's, of two sizes or pixel types, or with overlapping rows.
void CheckMatcherSize(const MatcherOptions& options);
void CheckMatcherInput(const CameraImageView& left, const CameraImageView& right, int width, int height);

// The reference back end, one matcher for each method: plain code from the papers, whose bits the others
// reproduce.
std::unique_ptr<StereoMatcher> MakeReferenceMatcher(const Parameters& parameters,
                                                    const MatcherOptions& options);
std::unique_ptr<StereoMatcher> MakeReferenceAdCensusMatcher(const Parameters& parameters,
                                                            const MatcherOptions& options);

}  // namespace parallax
