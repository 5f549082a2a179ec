// Turns the metrics of pipeline/metrics into named figures, per frame and in total.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/scores/frame_numbers.h"
#include "app/scores/scores.h"
#include "datasets/source.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

inline bool IsKitti(Metric metric) { return metric == Metric::kKitti2012 || metric == Metric::kKitti2015; }
inline constexpr std::string_view kMetricNames[] = {"kitti2012", "kitti2015", "middlebury", "eth3d"};

inline std::string_view NameOf(Metric metric) { return kMetricNames[static_cast<std::size_t>(metric)]; }

// Keys of the figures that rank a metric's frames: of the non-occluded truth, and of all truth.
struct MainFigure {
  std::string_view nonoccluded, all;
};
inline constexpr MainFigure kMainFigures[] = {{"out3_all_noc", "out3_all"},
                                              {"d1_all_noc", "d1_all"},
                                              {"totbad1_nonocc", "totbad1_all"},
                                              {"bad1_nonocc", "bad1_all"}};
inline MainFigure MainFigureOf(Metric metric) { return kMainFigures[static_cast<std::size_t>(metric)]; }
// Throws InvalidArgument for an unknown name.
Metric MetricNamed(std::string_view name);

// The metrics for a kind of source; the first is its benchmark's own.
std::vector<Metric> MetricsFor(SourceKind kind);

// Whether an estimate at this distance from the truth counts as wrong in the benchmark's main figure.
using IsWrongFunction = bool (*)(float error_px, float true_disparity_px);
IsWrongFunction IsWrongOf(Metric metric);

struct EvaluatedFrame {
  HostImageView<const float> estimate;  // px, NaN = no value
  const GroundTruth* truth = nullptr;
  // Used by Middlebury only: the bound to which larger values are clipped (px of the estimate's resolution),
  // and whether values are rounded.
  float max_disparity_px = std::numeric_limits<float>::infinity();
  bool round = false;
  HostImageView<const std::uint8_t> confidence = {};  // of the matcher, where it ran
  HostImageView<const float> sigma = {};              // px, NaN = no value; only if requested
  // ValidityBits of the matcher, for pictures only: filled pixels are paler. Empty: none are.
  HostImageView<const std::uint8_t> validity = {};
};

// The largest disparity that a Middlebury scene states (px of the estimate), to which estimates are clipped
// so that values beyond it cost no method more; infinity where there is none.
float MaxDisparityOf(SourceKind kind, const StereoFrame& frame, HostImageView<const float> estimate);

// Scores frames one by one and keeps what the total needs.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Throws InvalidArgument when the sizes do not fit; the frame is then not part of the total.
  Scores AddFrame(const EvaluatedFrame& frame) {
    NumberWriter numbers;
    Measure(frame, numbers);
    NumberReader measured(numbers.numbers());
    return Add(measured);
  }
  // These are the two parts of AddFrame. Several threads or processes may measure frames in any order; the
  // one that adds them, in their order, has the total. Measure throws what AddFrame throws. Add throws Error
  // for numbers of other metrics.
  virtual void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const = 0;
  virtual Scores Add(NumberReader& numbers) = 0;
  // The scores of all added frames together, as the benchmark computes them.
  virtual Scores Total() const = 0;
};

// KITTI metrics round every estimate as a 16-bit PNG does, so scores are the same whether the matcher runs
// here or its files are read. With several metrics the figures of all are given; of a key that two share, the
// first metric's. Frames with a confidence also get the figures of their sparsification, where the first
// metric decides what is wrong. Frames with a sigma get the figures of their uncertainty and of a
// sparsification by it.
std::unique_ptr<Evaluator> MakeEvaluator(std::span<const Metric> metrics);

}  // namespace parallax::app
