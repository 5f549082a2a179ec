// The benchmarks whose rules an estimate can be scored by.
#pragma once

namespace parallax {

enum class Metric { kKitti2012, kKitti2015, kMiddlebury, kEth3d };

}  // namespace parallax
