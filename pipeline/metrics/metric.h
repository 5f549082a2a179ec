// The benchmarks with rules for scoring an estimate.
#pragma once

namespace parallax {

enum class Metric { kKitti2012, kKitti2015, kMiddlebury, kEth3d };

}  // namespace parallax
