// Curves and bars as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace parallax::app {

struct ChartSeries {
  std::string name;                               // in the legend; empty: none
  std::vector<std::pair<double, double>> points;  // x, y; those that are not finite are left out
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<ChartSeries> series;
  bool logarithmic_x = false;
  bool bars = false;  // from each x to the next one's; the last point only ends the last bar
};

// The chart, 480 x 300 px: the y axis begins at 0. Text takes the colour of its surroundings. A chart without
// a point says so.
std::string SvgOf(const Chart& chart);

}  // namespace parallax::app
