// Published results of other matchers on the benchmarks, which a report shows next to its own totals.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "app/scores/evaluator.h"

namespace parallax::app {

struct Peer {
  Metric metric;
  std::string_view figure;  // key of docs/metrics.md
  std::string_view method;
  double value;
  std::size_t num_frames;   // on which it was measured
  std::string_view frames;  // which ones
  std::string_view source;  // who measured it, and how
};

// Rows of the metric, the best first: those of so many frames, or all where there are none.
std::vector<Peer> PeersOf(Metric metric, std::size_t num_frames);

// The figure by which a metric's frames are ranked: of non-occluded truth, and of all truth where the former
// is not told.
struct MainFigure {
  std::string_view nonoccluded, all;
};
MainFigure MainFigureOf(Metric metric);

}  // namespace parallax::app
