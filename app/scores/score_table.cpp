#include "app/scores/score_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "app/scores/figures.h"
#include "datasets/formats/file_bytes.h"

namespace parallax::app {
namespace {

template <typename S, std::size_t kSize>
std::vector<TableColumn> ColumnsOf(const Figure<S> (&figures)[kSize], const std::string& suffix) {
  std::vector<TableColumn> columns;
  for (const Figure<S>& figure : figures) {
    if (figure.header != nullptr) columns.push_back({figure.key + suffix, figure.header, figure.format});
  }
  return columns;
}
std::vector<TableColumn> ColumnsOf(const figures::CountFigure (&figures)[6], const std::string& suffix) {
  std::vector<TableColumn> columns;
  for (const figures::CountFigure& figure : figures) {
    columns.push_back(
        {figure.key + suffix + "_errors", figure.header, "%.0f", figure.key + suffix + "_pixels"});
  }
  return columns;
}

// One row for each table. The first table of a metric is that of its non-occluded truth.
struct SectionRow {
  Metric metric;
  const char* title;
  std::vector<TableColumn> (*columns)(const std::string& suffix);
  const char* suffix;  // of the region's keys
};
constexpr auto kOfKitti2012 = [](const std::string& suffix) {
  return ColumnsOf(figures::kKitti2012, suffix);
};
constexpr auto kOfKitti2015 = [](const std::string& suffix) {
  return ColumnsOf(figures::kKitti2015, suffix);
};
constexpr auto kOfCounts = [](const std::string& suffix) {
  return ColumnsOf(figures::kKitti2015Counts, suffix);
};
constexpr auto kOfMiddlebury = [](const std::string& suffix) {
  return ColumnsOf(figures::kMiddlebury, suffix);
};
constexpr auto kOfEth3d = [](const std::string& suffix) { return ColumnsOf(figures::kEth3d, suffix); };
constexpr SectionRow kSections[] = {
    {Metric::kKitti2012, "KITTI 2012, non-occluded truth (%, px; mean of the frames)", kOfKitti2012, "_noc"},
    {Metric::kKitti2012, "KITTI 2012, all truth (%, px; mean of the frames)", kOfKitti2012, ""},
    {Metric::kKitti2015, "KITTI 2015, non-occluded truth (%; pixels of all frames pooled)", kOfKitti2015,
     "_noc"},
    {Metric::kKitti2015, "KITTI 2015, all truth (%; pixels of all frames pooled)", kOfKitti2015, ""},
    {Metric::kKitti2015, "KITTI 2015, all truth (wrong pixels / pixels)", kOfCounts, ""},
    {Metric::kMiddlebury, "Middlebury, nonocc (%, px; plain mean of the frames)", kOfMiddlebury, "_nonocc"},
    {Metric::kMiddlebury, "Middlebury, all (%, px; plain mean of the frames)", kOfMiddlebury, "_all"},
    {Metric::kEth3d, "ETH3D, non-occluded (%, px; plain mean of the frames)", kOfEth3d, "_nonocc"},
    {Metric::kEth3d, "ETH3D, all (%, px; plain mean of the frames)", kOfEth3d, "_all"},
};

// Every key, in the order of first appearance.
std::vector<std::string> KeysOf(std::span<const FrameScores> frames, const Scores& total) {
  std::vector<std::string> keys;
  const auto add = [&](const Scores& scores) {
    for (const NamedScore& score : scores) {
      if (std::find(keys.begin(), keys.end(), score.key) == keys.end()) keys.push_back(score.key);
    }
  };
  for (const FrameScores& frame : frames) add(frame.scores);
  add(total);
  return keys;
}

// A spreadsheet takes what begins with one of kOfFormulas for a formula, quoted or not, but not behind an apostrophe.
std::string CsvCell(const std::string& cell) {
  constexpr std::string_view kOfFormulas = "=+-@\t\r";
  const bool is_formula =
      !cell.empty() && kOfFormulas.find(cell.front()) != std::string_view::npos && !ParseNumber(cell);
  if (!is_formula && cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = is_formula ? "\"'" : "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void AppendCsvRow(std::string& csv, const std::string& name, const Scores& scores,
                  std::span<const std::string> keys) {
  csv += CsvCell(name);
  for (const std::string& key : keys) {
    csv += ',';
    const auto value = scores.Find(key);
    if (value && std::isfinite(*value)) csv += fmt::format("{}", *value);
  }
  csv += '\n';
}

}  // namespace

std::vector<TableSection> SectionsOf(Metric metric, const Scores& total, bool only_nonoccluded) {
  std::vector<TableSection> sections;
  for (const SectionRow& row : kSections) {
    if (row.metric == metric) sections.push_back({row.title, row.columns(row.suffix)});
  }
  std::erase_if(sections, [&](const TableSection& section) {
    return std::none_of(section.columns.begin(), section.columns.end(),
                        [&](const TableColumn& column) { return total.Find(column.key).has_value(); });
  });
  const bool is_kitti = metric == Metric::kKitti2012 || metric == Metric::kKitti2015;
  if (only_nonoccluded && is_kitti) sections.erase(sections.begin() + 1, sections.end());
  // Time is not a metric, but it belongs to the first table if the matcher ran.
  if (!sections.empty() && total.Find(kTimeKey)) {
    sections.front().columns.push_back({kTimeKey, "ms", "%.1f"});
  }
  return sections;
}

std::vector<TableSection> UncertaintySections(const Scores& total) {
  std::vector<TableColumn> columns = ColumnsOf(figures::kUncertainty, "");
  if (!total.Find(columns.front().key)) return {};
  columns.push_back({"sigma_ause", "ause", kTwoDecimals});
  return {{"Uncertainty (% of the errors below 3 px, px; mean of the frames)", std::move(columns)}};
}

std::string CellText(const Scores& scores, const TableColumn& column) {
  const auto value = scores.Find(column.key);
  if (!value || std::isnan(*value)) return "-";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), column.format, *value);
  std::string cell = text.data();
  if (!column.per_key.empty()) cell.append("/").append(CellText(scores, {column.per_key, "", column.format}));
  return cell;
}

std::string TableText(const TableSection& section, std::span<const FrameScores> frames, const Scores& total) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back("frame");
  for (const TableColumn& column : section.columns) rows[0].push_back(column.header);
  const auto add = [&](const std::string& name, const Scores& scores) {
    rows.emplace_back(1, name);
    for (const TableColumn& column : section.columns) rows.back().push_back(CellText(scores, column));
  };
  for (const FrameScores& frame : frames) add(frame.name, frame.scores);
  add("total", total);

  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::size_t line_width = widths[0];
  for (std::size_t i = 1; i < widths.size(); ++i) line_width += 2 + widths[i];

  std::string text = section.title + '\n';
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r + 1 == rows.size()) text.append(line_width, '-').append(1, '\n');
    text += rows[r][0];
    text.append(widths[0] - rows[r][0].size(), ' ');
    for (std::size_t i = 1; i < widths.size(); ++i) {
      text.append(2 + widths[i] - rows[r][i].size(), ' ').append(rows[r][i]);
    }
    text += '\n';
  }
  return text;
}

std::string CsvText(std::span<const FrameScores> frames, const Scores& total) {
  const std::vector<std::string> keys = KeysOf(frames, total);
  std::string csv = "name";
  for (const std::string& key : keys) csv += ',' + key;
  csv += '\n';
  for (const FrameScores& frame : frames) AppendCsvRow(csv, frame.name, frame.scores, keys);
  AppendCsvRow(csv, "total", total, keys);
  return csv;
}

OrderedJson JsonOf(const Scores& scores) {
  OrderedJson json = OrderedJson::object();
  for (const NamedScore& score : scores) json[score.key] = score.value;
  return json;
}

}  // namespace parallax::app
