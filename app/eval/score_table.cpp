#include "app/eval/score_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace parallax::app {
namespace {

constexpr const char* kPercent4 = "%.4f";
constexpr const char* kPixels6 = "%.6f";
constexpr const char* kTwoDecimals = "%.2f";
constexpr const char* kSixDigits = "%.6g";

TableSection Kitti2012Section(const std::string& title, const std::string& suffix) {
  TableSection section{title, {}};
  for (const char* convention : {"all", "est"}) {
    for (int t = 1; t <= 5; ++t) {
      const std::string threshold = std::to_string(t);
      section.columns.push_back(
          {"out" + threshold + "_" + convention + suffix, ">" + threshold + " " + convention, kPercent4});
    }
  }
  section.columns.push_back({"density" + suffix, "density", kPercent4});
  section.columns.push_back({"mean_all" + suffix, "avg all", kPixels6});
  section.columns.push_back({"mean_est" + suffix, "avg est", kPixels6});
  return section;
}

TableSection Kitti2015Section(const std::string& title, const std::string& suffix) {
  TableSection section{title, {}};
  for (const char* convention : {"", "_est"}) {
    for (const char* part : {"bg", "fg", "all"}) {
      section.columns.push_back({std::string("d1_") + part + convention + suffix,
                                 std::string("D1-") + part + (*convention == '\0' ? "" : " est"), kPercent4});
    }
  }
  section.columns.push_back({"density" + suffix, "density", kPercent4});
  return section;
}

// The devkit's counters, from which its percentages are made.
TableSection Kitti2015CountSection(const std::string& title, const std::string& suffix) {
  TableSection section{title, {}};
  for (const char* convention : {"", "_est"}) {
    for (const char* part : {"bg", "fg", "all"}) {
      const std::string key = std::string("d1_") + part + convention + suffix;
      section.columns.push_back({key + "_errors", std::string(part) + (*convention == '\0' ? "" : " est"),
                                 "%.0f", key + "_pixels"});
    }
  }
  return section;
}

TableSection MiddleburySection(const std::string& title, const std::string& suffix) {
  TableSection section{title, {}};
  const auto add = [&](const std::string& key, const std::string& header, const char* format) {
    section.columns.push_back({key + suffix, header, format});
  };
  add("evaluated", "pixels%", "%.1f");
  const std::array<std::array<const char*, 2>, 4> thresholds = {
      {{"05", "0.5"}, {"1", "1.0"}, {"2", "2.0"}, {"4", "4.0"}}};
  for (const auto& [key, name] : thresholds)
    add(std::string("bad") + key, std::string("bad") + name, kTwoDecimals);
  add("invalid", "invalid", kTwoDecimals);
  for (const auto& [key, name] : thresholds) {
    add(std::string("totbad") + key, std::string("tot") + name, kTwoDecimals);
  }
  add("avgerr", "avgErr", kTwoDecimals);
  add("rms", "rms", kTwoDecimals);
  for (const char* q : {"50", "90", "95", "99"})
    add(std::string("a") + q, std::string("A") + q, kTwoDecimals);
  return section;
}

TableSection Eth3dSection(const std::string& title, const std::string& suffix) {
  TableSection section{title, {}};
  const std::array<std::array<const char*, 2>, 11> columns = {{{"coverage", "coverage"},
                                                               {"bad05", "bad_0_5"},
                                                               {"bad1", "bad_1_0"},
                                                               {"bad2", "bad_2_0"},
                                                               {"bad4", "bad_4_0"},
                                                               {"avgerr", "avgerr"},
                                                               {"rms", "rms"},
                                                               {"a50", "a50"},
                                                               {"a90", "a90"},
                                                               {"a95", "a95"},
                                                               {"a99", "a99"}}};
  for (const auto& [key, name] : columns) section.columns.push_back({key + suffix, name, kSixDigits});
  return section;
}

std::vector<TableSection> AllSectionsOf(Metric metric) {
  switch (metric) {
    case Metric::kKitti2012:
      return {Kitti2012Section("KITTI 2012, non-occluded truth (%, px; mean of the frames)", "_noc"),
              Kitti2012Section("KITTI 2012, all truth (%, px; mean of the frames)", "")};
    case Metric::kKitti2015:
      return {Kitti2015Section("KITTI 2015, non-occluded truth (%; pixels of all frames pooled)", "_noc"),
              Kitti2015Section("KITTI 2015, all truth (%; pixels of all frames pooled)", ""),
              Kitti2015CountSection("KITTI 2015, all truth (wrong pixels / pixels)", "")};
    case Metric::kMiddlebury:
      return {MiddleburySection("Middlebury, nonocc (%, px; plain mean of the frames)", "_nonocc"),
              MiddleburySection("Middlebury, all (%, px; plain mean of the frames)", "_all")};
    case Metric::kEth3d:
      return {Eth3dSection("ETH3D, non-occluded (%, px; plain mean of the frames)", "_nonocc"),
              Eth3dSection("ETH3D, all (%, px; plain mean of the frames)", "_all")};
  }
  return {};
}

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

std::string Quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void AppendCsvRow(std::string& csv, const std::string& name, const Scores& scores,
                  std::span<const std::string> keys) {
  csv += Quoted(name);
  for (const std::string& key : keys) {
    csv += ',';
    const auto value = scores.Find(key);
    if (value && std::isfinite(*value)) csv += NumberText(*value);
  }
  csv += '\n';
}

}  // namespace

std::vector<TableSection> SectionsOf(Metric metric, const Scores& total, bool only_nonoccluded) {
  std::vector<TableSection> sections = AllSectionsOf(metric);
  std::erase_if(sections, [&](const TableSection& section) {
    return std::none_of(section.columns.begin(), section.columns.end(),
                        [&](const TableColumn& column) { return total.Find(column.key).has_value(); });
  });
  const bool is_kitti = metric == Metric::kKitti2012 || metric == Metric::kKitti2015;
  if (only_nonoccluded && is_kitti) sections.erase(sections.begin() + 1, sections.end());
  // Time is no metric, but belongs to the first table where the matcher ran.
  if (!sections.empty() && total.Find("time_ms")) {
    sections.front().columns.push_back({"time_ms", "ms", "%.1f"});
  }
  return sections;
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

void WriteScores(JsonWriter& json, const Scores& scores) {
  for (const NamedScore& score : scores) json.Key(score.key).Value(score.value);
}

}  // namespace parallax::app
