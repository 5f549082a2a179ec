// Scores for people and programs: an aligned table, CSV, JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/output/ordered_json.h"
#include "app/scores/evaluator.h"
#include "app/scores/scores.h"

namespace parallax::app {

// How a figure is printed: with as many digits as the benchmark's own tool prints.
struct TableColumn {
  std::string key;           // of Scores
  std::string header;        // the benchmark's name for it
  const char* format;        // of printf
  std::string per_key = "";  // not empty: the cell is "key/per_key", two counts
};

// One table: a region of the truth and its figures.
struct TableSection {
  std::string title;
  std::vector<TableColumn> columns;
};

// The tables of a metric for which `total` has figures. only_nonoccluded: the truth has no occluded pixels,
// so KITTI's figures over "all truth" would repeat the others.
std::vector<TableSection> SectionsOf(Metric metric, const Scores& total, bool only_nonoccluded);
// The table of uncertainty; empty if `total` has no such figures.
std::vector<TableSection> UncertaintySections(const Scores& total);

// A figure as a table shows it; "-" when it is missing or undefined.
std::string CellText(const Scores& scores, const TableColumn& column);

// Aligned text of one table; the total is the last row, below a line.
std::string TableText(const TableSection& section, std::span<const FrameScores> frames, const Scores& total);

// One row per frame and a last row "total"; undefined figures are empty cells.
std::string CsvText(std::span<const FrameScores> frames, const Scores& total);

// An object with the figures as its members.
OrderedJson JsonOf(const Scores& scores);

}  // namespace parallax::app
