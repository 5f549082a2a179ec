#include "app/scores/evaluator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "app/output/error_text.h"
#include "app/scores/named_scores.h"
#include "parallax/error.h"
#include "pipeline/metrics/eth3d.h"
#include "pipeline/metrics/evaluated_pixels.h"
#include "pipeline/metrics/interpolate_background.h"
#include "pipeline/metrics/kitti2012.h"
#include "pipeline/metrics/kitti2015.h"
#include "pipeline/metrics/kitti_quantization.h"
#include "pipeline/metrics/middlebury.h"
#include "pipeline/metrics/sigma_scores.h"
#include "pipeline/metrics/sparsification.h"

namespace parallax::app {
namespace {

HostImageView<const std::uint8_t> NonoccludedOf(const EvaluatedFrame& frame) {
  return frame.truth->nonoccluded.ConstView();
}

// Whether non-occluded truth is known. If the data set has no other truth, all of it counts as non-occluded
// (and the mask may be empty).
bool HasNonoccluded(const EvaluatedFrame& frame) {
  return frame.truth->only_nonoccluded || !frame.truth->nonoccluded.Empty();
}

template <typename BenchmarkScores>
void Write(const BenchmarkScores& scores, NumberWriter& numbers) {
  VisitNumbers(scores, numbers);
}

class Kitti2012Evaluator : public Evaluator {
 public:
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    const HostImage<float> estimate = QuantizeAsKittiPng(frame.estimate);
    const auto truth = frame.truth->disparity.ConstView();
    Write(EvaluateKitti2012(estimate.ConstView(), truth), numbers);
    numbers(HasNonoccluded(frame));
    if (!HasNonoccluded(frame)) return;
    Write(EvaluateKitti2012(estimate.ConstView(), truth, NonoccludedOf(frame)), numbers);
  }
  Scores Add(NumberReader& numbers) override {
    all_.push_back(numbers.Read<Kitti2012Scores>());
    Scores named = ScoresOf(all_.back(), "");
    if (numbers.Flag()) {
      noc_.push_back(numbers.Read<Kitti2012Scores>());
      named.Add(ScoresOf(noc_.back(), "_noc"));
    }
    return named;
  }
  Scores Total() const override {
    Scores total = ScoresOf(MeanOf(all_), "");
    if (!noc_.empty()) total.Add(ScoresOf(MeanOf(noc_), "_noc"));
    return total;
  }

 private:
  std::vector<Kitti2012Scores> all_, noc_;
};

class Kitti2015Evaluator : public Evaluator {
 public:
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    const HostImage<float> estimate = QuantizeAsKittiPng(frame.estimate);
    const auto truth = frame.truth->disparity.ConstView();
    const auto objects = frame.truth->objects.ConstView();
    Write(EvaluateKitti2015(estimate.ConstView(), truth, objects), numbers);
    numbers(HasNonoccluded(frame));
    if (!HasNonoccluded(frame)) return;
    Write(EvaluateKitti2015(estimate.ConstView(), truth, objects, NonoccludedOf(frame)), numbers);
  }
  Scores Add(NumberReader& numbers) override {
    const auto all = numbers.Read<Kitti2015Counts>();
    Scores named = ScoresOf(all, "");
    if (numbers.Flag()) {
      const auto noc = numbers.Read<Kitti2015Counts>();
      named.Add(ScoresOf(noc, "_noc"));
      noc_ += noc;
      has_noc_ = true;
    }
    all_ += all;
    return named;
  }
  Scores Total() const override {
    Scores total = ScoresOf(all_, "");
    if (has_noc_) total.Add(ScoresOf(noc_, "_noc"));
    return total;
  }

 private:
  Kitti2015Counts all_, noc_;
  bool has_noc_ = false;
};

// Scores of one region of the truth, without and with filling.
template <typename BenchmarkScores>
struct Region {
  const char* suffix;
  std::vector<BenchmarkScores> plain, filled;

  Scores Add(NumberReader& numbers) {
    plain.push_back(numbers.Read<BenchmarkScores>());
    filled.push_back(numbers.Read<BenchmarkScores>());
    return ScoresOf(plain.back(), filled.back(), suffix);
  }
  Scores Total() const { return plain.empty() ? Scores() : ScoresOf(MeanOf(plain), MeanOf(filled), suffix); }
};

template <typename BenchmarkScores>
class RegionEvaluator : public Evaluator {
 public:
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    const HostImage<float> filled = InterpolateBackground(frame.estimate);
    const auto measure = [&](HostImageView<const std::uint8_t> mask) {
      Write(Evaluate(frame, frame.estimate, mask), numbers);
      Write(Evaluate(frame, filled.ConstView(), mask), numbers);
    };
    measure({});
    const bool has_nonoccluded = !NonoccludedOf(frame).Empty();
    numbers(has_nonoccluded);
    if (has_nonoccluded) measure(NonoccludedOf(frame));
  }
  Scores Add(NumberReader& numbers) override {
    const Scores all = all_.Add(numbers);
    Scores named;
    if (numbers.Flag()) named.Add(nonocc_.Add(numbers));
    named.Add(all);
    AddDensity(named);
    return named;
  }
  Scores Total() const override {
    Scores total = nonocc_.Total();
    total.Add(all_.Total());
    AddDensity(total);
    return total;
  }

 protected:
  virtual BenchmarkScores Evaluate(const EvaluatedFrame& frame, HostImageView<const float> estimate,
                                   HostImageView<const std::uint8_t> mask) const = 0;

 private:
  // The name that every kind of source has for this figure.
  static void AddDensity(Scores& scores) {
    for (const char* key : {"density_all", "coverage_all"}) {
      if (const auto value = scores.Find(key)) scores.Add("density", *value);
    }
  }
  Region<BenchmarkScores> nonocc_{"_nonocc", {}, {}}, all_{"_all", {}, {}};
};

class MiddleburyEvaluator : public RegionEvaluator<MiddleburyScores> {
  MiddleburyScores Evaluate(const EvaluatedFrame& frame, HostImageView<const float> estimate,
                            HostImageView<const std::uint8_t> mask) const override {
    MiddleburyOptions options;
    options.max_disparity_px = frame.max_disparity_px;
    options.round = frame.round;
    return EvaluateMiddlebury(estimate, frame.truth->disparity.ConstView(), mask, options);
  }
};

class Eth3dEvaluator : public RegionEvaluator<Eth3dScores> {
  Eth3dScores Evaluate(const EvaluatedFrame& frame, HostImageView<const float> estimate,
                       HostImageView<const std::uint8_t> mask) const override {
    return EvaluateEth3d(estimate, frame.truth->disparity.ConstView(), mask);
  }
};

// The mean of a figure over the frames in which it is defined.
template <typename S>
double MeanOfDefined(const std::vector<S>& frames, double S::*figure) {
  double sum = 0;
  int num = 0;
  for (const S& frame : frames) {
    if (std::isnan(frame.*figure)) continue;
    sum += frame.*figure;
    ++num;
  }
  return sum / num;
}

// Measures whether confidence separates right from wrong pixels, over pixels with an estimate and
// non-occluded truth (over all truth if visibility is unknown). Truth that is larger than the estimate is
// left out.
class SparsificationEvaluator : public Evaluator {
 public:
  explicit SparsificationEvaluator(IsWrongFunction is_wrong) : is_wrong_(is_wrong) {}
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    const auto truth = frame.truth->disparity.ConstView();
    const bool has_confidence =
        !frame.confidence.Empty() && SameSize(frame.confidence, truth) && SameSize(frame.estimate, truth);
    numbers(has_confidence);
    if (!has_confidence) return;
    ConfidenceCounts counts;
    ForEachEvaluatedPixel(truth, NonoccludedOf(frame), [&](int x, int y, float true_d) {
      if (std::isnan(frame.estimate(x, y))) return;
      counts.Count(frame.confidence(x, y), is_wrong_(std::fabs(frame.estimate(x, y) - true_d), true_d));
    });
    Write(EvaluateSparsification(counts), numbers);
  }
  Scores Add(NumberReader& numbers) override {
    if (!numbers.Flag()) return {};
    frames_.push_back(numbers.Read<SparsificationScores>());
    return ScoresOf(frames_.back());
  }
  Scores Total() const override {
    if (frames_.empty()) return {};
    using S = SparsificationScores;
    return ScoresOf(S{MeanOfDefined(frames_, &S::area), MeanOfDefined(frames_, &S::best_area),
                      MeanOfDefined(frames_, &S::errors_below_median)});
  }

 private:
  IsWrongFunction is_wrong_;
  std::vector<SparsificationScores> frames_;
};

// Whether the stated sigma holds, and how well it would order the pixels in place of their confidence.
class UncertaintyEvaluator : public Evaluator {
 public:
  explicit UncertaintyEvaluator(IsWrongFunction is_wrong) : is_wrong_(is_wrong) {}
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    const auto truth = frame.truth->disparity.ConstView();
    const bool has_sigma = !frame.sigma.Empty() && SameSize(frame.sigma, truth);
    numbers(has_sigma);
    if (!has_sigma) return;
    Write(EvaluateUncertainty(frame.estimate, frame.sigma, truth), numbers);
    // Levels of 1/64 px, which are fine enough for an order.
    ConfidenceCounts counts;
    ForEachEvaluatedPixel(truth, NonoccludedOf(frame), [&](int x, int y, float true_d) {
      if (std::isnan(frame.estimate(x, y))) return;
      const int level = static_cast<int>(std::min(64 * frame.sigma(x, y), 255.0F));
      counts.Count(static_cast<std::uint8_t>(255 - level),
                   is_wrong_(std::fabs(frame.estimate(x, y) - true_d), true_d));
    });
    Write(EvaluateSparsification(counts), numbers);
  }
  Scores Add(NumberReader& numbers) override {
    if (!numbers.Flag()) return {};
    frames_.push_back(numbers.Read<UncertaintyScores>());
    const auto order = numbers.Read<SparsificationScores>();
    orders_.push_back(order);
    Scores scores = ScoresOf(frames_.back());
    scores.Add(kAuseKey, 100 * (order.area - order.best_area));
    return scores;
  }
  Scores Total() const override {
    if (frames_.empty()) return {};
    using U = UncertaintyScores;
    using S = SparsificationScores;
    Scores scores = ScoresOf(U{MeanOfDefined(frames_, &U::within_one), MeanOfDefined(frames_, &U::within_two),
                               MeanOfDefined(frames_, &U::mean_sigma_px)});
    scores.Add(kAuseKey, 100 * (MeanOfDefined(orders_, &S::area) - MeanOfDefined(orders_, &S::best_area)));
    return scores;
  }

 private:
  static constexpr const char* kAuseKey = "sigma_ause";

  IsWrongFunction is_wrong_;
  std::vector<UncertaintyScores> frames_;
  std::vector<SparsificationScores> orders_;
};

class EvaluatorOfSeveral : public Evaluator {
 public:
  explicit EvaluatorOfSeveral(std::vector<std::unique_ptr<Evaluator>> parts) : parts_(std::move(parts)) {}
  void Measure(const EvaluatedFrame& frame, NumberWriter& numbers) const override {
    for (const auto& part : parts_) part->Measure(frame, numbers);
  }
  Scores Add(NumberReader& numbers) override {
    Scores scores;
    for (const auto& part : parts_) scores.Add(part->Add(numbers));
    return scores;
  }
  Scores Total() const override {
    Scores total;
    for (const auto& part : parts_) total.Add(part->Total());
    return total;
  }

 private:
  std::vector<std::unique_ptr<Evaluator>> parts_;
};

// One row for each metric, in the order of the enumerators.
struct MetricRow {
  std::unique_ptr<Evaluator> (*make)();
  IsWrongFunction is_wrong;  // what its benchmark's main figure counts
};
template <typename E>
std::unique_ptr<Evaluator> Make() {
  return std::make_unique<E>();
}
constexpr bool IsOffByMoreThanOne(float error_px, float /*true_d*/) { return error_px > 1; }
constexpr MetricRow kMetrics[] = {
    {&Make<Kitti2012Evaluator>, [](float error_px, float) { return error_px > 3; }},
    {&Make<Kitti2015Evaluator>,
     [](float error_px, float true_d) { return error_px > 3 && error_px > 0.05F * std::fabs(true_d); }},
    {&Make<MiddleburyEvaluator>, &IsOffByMoreThanOne},
    {&Make<Eth3dEvaluator>, &IsOffByMoreThanOne},
};
static_assert(std::size(kMetrics) == std::size(kMetricNames));
static_assert(std::size(kMainFigures) == std::size(kMetricNames));
const MetricRow& RowOf(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

}  // namespace

Metric MetricNamed(std::string_view name) {
  const auto found = std::find(std::begin(kMetricNames), std::end(kMetricNames), name);
  if (found == std::end(kMetricNames)) {
    throw InvalidArgument("metric '" + Printable(name) +
                          "' is unknown: use kitti2012, kitti2015, middlebury or eth3d");
  }
  return static_cast<Metric>(found - std::begin(kMetricNames));
}

IsWrongFunction IsWrongOf(Metric metric) { return RowOf(metric).is_wrong; }

std::vector<Metric> MetricsFor(SourceKind kind) {
  std::vector<Metric> metrics;
  for (const std::optional<Metric>& metric : TraitsOf(kind).metrics) {
    if (metric) metrics.push_back(*metric);
  }
  return metrics;
}

float MaxDisparityOf(SourceKind kind, const StereoFrame& frame, HostImageView<const float> estimate) {
  if (kind != SourceKind::kMiddleburyV3 || !frame.num_disparities_hint) {
    return EvaluatedFrame{}.max_disparity_px;
  }
  return static_cast<float>(*frame.num_disparities_hint) * static_cast<float>(estimate.width) /
         static_cast<float>(frame.truth->disparity.width());
}

std::unique_ptr<Evaluator> MakeEvaluator(std::span<const Metric> metrics) {
  std::vector<std::unique_ptr<Evaluator>> parts;
  for (const Metric metric : metrics) parts.push_back(RowOf(metric).make());
  if (!metrics.empty()) {
    parts.push_back(std::make_unique<SparsificationEvaluator>(RowOf(metrics.front()).is_wrong));
    parts.push_back(std::make_unique<UncertaintyEvaluator>(RowOf(metrics.front()).is_wrong));
  }
  return std::make_unique<EvaluatorOfSeveral>(std::move(parts));
}

}  // namespace parallax::app
