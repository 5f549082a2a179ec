#include "app/bench/bench_contender.h"

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

namespace parallax::app {

double Contender::SteadyMilliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Contender::Contender(std::function<void(const StereoFrame&)> match, BenchRow row,
                     std::function<double()> now_ms)
    : match_(std::move(match)), now_ms_(std::move(now_ms)) {
  row.stage = "frame";
  rows.push_back(std::move(row));
}

Contender::Contender(std::unique_ptr<OpencvMatcher> matcher, BenchRow row)
    : Contender([matcher = std::shared_ptr<OpencvMatcher>(std::move(matcher))](
                    const StereoFrame& frame) { matcher->Compute(frame); },
                std::move(row)) {}

Contender::Contender(std::unique_ptr<StereoMatcher> matcher, BenchRow row) {
  row.memory_mb = static_cast<double>(matcher->memory_bytes()) / 1e6;
  for (const std::string_view stage : kStageNames) {
    row.stage = stage;
    rows.push_back(row);
  }
  row.stage = "frame";
  rows.push_back(std::move(row));
  match_ = [this, matcher = std::shared_ptr<StereoMatcher>(std::move(matcher)),
            map = std::make_shared<DisparityMap>()](const StereoFrame& frame) {
    matcher->Compute(ViewOf(frame.left), ViewOf(frame.right), *map, &times_);
  };
}

void Contender::Run(const StereoFrame& frame) {
  times_ = {};
  const double start_ms = now_ms_();
  match_(frame);
  last_ms_ = now_ms_() - start_ms;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) rows[i].samples_ms.push_back(times_.ms[i]);
  rows.back().samples_ms.push_back(last_ms_);
}

void Contender::RunAfterAnother(const StereoFrame& before, const StereoFrame& frame) {
  constexpr double kQuick_ms = 100;
  if (last_ms_ < kQuick_ms) {
    Run(before);
    for (BenchRow& row : rows) row.samples_ms.pop_back();
  }
  Run(frame);
}

}  // namespace parallax::app
