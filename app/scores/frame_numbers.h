// The measurements of one frame as plain numbers in a fixed order. Several processes can measure and one can
// add up: the sums equal those of a single process.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "app/output/whole_number.h"
#include "pipeline/metrics/eth3d.h"
#include "pipeline/metrics/kitti2012.h"
#include "pipeline/metrics/kitti2015.h"
#include "pipeline/metrics/middlebury.h"
#include "pipeline/metrics/sigma_scores.h"
#include "pipeline/metrics/sparsification.h"

namespace parallax::app {

// Counts are whole numbers below 2^53, which a double holds exactly.
using FrameNumbers = std::vector<double>;

class NumberWriter {
 public:
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  void operator()(Number value) { numbers_.push_back(static_cast<double>(value)); }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    for (const T& value : values) (*this)(value);
  }
  const FrameNumbers& numbers() const { return numbers_; }

 private:
  FrameNumbers numbers_;
};

// Returns, in the same order, what a NumberWriter took.
class NumberReader {
 public:
  explicit NumberReader(const FrameNumbers& numbers) : numbers_(numbers) {}

  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number>
  void operator()(Number& value) {
    if constexpr (std::integral<Number>) {
      value = ToInteger<Number>(Next());
    } else {
      value = static_cast<Number>(Next());
    }
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    values.resize(NextCount());
    for (T& value : values) (*this)(value);
  }
  bool Flag() { return Next() != 0; }
  template <typename Values>
  Values Read();

  // Throws Error if numbers are left: they belong to other metrics.
  void End() const;

 private:
  double Next();  // throws Error if there are no more
  std::size_t NextCount();

  const FrameNumbers& numbers_;
  std::size_t next_ = 0;
};

// Every number of a benchmark's scores, for a NumberWriter or a NumberReader.
template <typename Scores, typename Plain>
concept Of = std::same_as<std::remove_const_t<Scores>, Plain>;

template <typename Numbers, typename Visit>
void VisitEach(Numbers& values, Visit& visit) {
  for (auto& value : values) visit(value);
}

template <Of<Kitti2012Scores> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  VisitEach(s.outliers, visit);
  VisitEach(s.outliers_estimated, visit);
  VisitEach(s.outliers_or_holes, visit);
  visit(s.mean_error_px);
  visit(s.mean_error_estimated_px);
  visit(s.density);
  visit(s.num_truth);
  visit(s.num_estimated);
  visit(s.num_frames);
}

template <Of<Kitti2015Counts> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  for (auto* count : {&s.background, &s.background_estimated, &s.foreground, &s.foreground_estimated, &s.all,
                      &s.all_estimated}) {
    visit(count->num_errors);
    visit(count->num_pixels);
  }
}

template <typename S, typename Visit>
void VisitQuantiles(S& quantiles, Visit& visit) {
  visit(quantiles.a50);
  visit(quantiles.a90);
  visit(quantiles.a95);
  visit(quantiles.a99);
}

template <Of<MiddleburyScores> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  visit(s.bad);
  visit(s.totbad);
  visit(s.bad_estimated);
  visit(s.invalid);
  visit(s.evaluated);
  visit(s.mean_error_px);
  visit(s.rms_error_px);
  VisitQuantiles(s.quantiles_px, visit);
  visit(s.num_evaluated);
  visit(s.num_invalid);
}

template <Of<Eth3dScores> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  visit(s.coverage);
  VisitEach(s.bad, visit);
  VisitEach(s.bad_or_holes, visit);
  visit(s.mean_error_px);
  visit(s.rms_error_px);
  VisitQuantiles(s.quantiles_px, visit);
  visit(s.num_truth);
  visit(s.num_estimated);
}

template <Of<SparsificationScores> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  visit(s.area);
  visit(s.best_area);
  visit(s.errors_below_median);
}

template <Of<UncertaintyScores> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  visit(s.within_one);
  visit(s.within_two);
  visit(s.mean_sigma_px);
}

template <typename Values>
Values NumberReader::Read() {
  Values values;
  VisitNumbers(values, *this);
  return values;
}

}  // namespace parallax::app
