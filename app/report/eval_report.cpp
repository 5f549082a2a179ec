#include "app/report/eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "app/build_info.h"
#include "app/output/command_line.h"
#include "app/output/output_files.h"
#include "app/pictures/error_picture.h"
#include "app/report/frame_pictures.h"
#include "app/report/html.h"
#include "app/scores/figures.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

std::string LegendHtml() {
  std::string html = "<p>Errors, as multiples of max(3 px, 5 % of the truth): ";
  for (const ErrorColor& bin : kErrorColors) {
    const bool is_last = &bin == &kErrorColors.back();
    const bool is_dark = bin.color.r + bin.color.g + bin.color.b < 300;
    html += fmt::format("<span class=\"bin{}\" style=\"background:rgb({},{},{})\">{}</span>",
                        is_dark ? " dark" : "", bin.color.r, bin.color.g, bin.color.b,
                        is_last ? std::string("more") : fmt::format("&lt; {:g}", bin.end));
  }
  return html +
         fmt::format(
             " <span class=\"bin\" style=\"background:rgb({},{},{})\">no estimate</span>; occluded "
             "pixels are "
             "half as bright; black: no truth. Disparities: dark is far, light is near, pale was filled, "
             "not measured, black has no value.</p>\n",
             kMissingColor.r, kMissingColor.g, kMissingColor.b);
}

Chart ErrorCurve(const ErrorAnalysis& analysis) {
  Chart chart{"Wrong by more than the threshold", "threshold, px", "% of the truth", {{"", {}}}, true};
  for (int i = 1; i <= 16 * ErrorAnalysis::kBinsPerPixel; ++i) {
    const double threshold = static_cast<double>(i) / ErrorAnalysis::kBinsPerPixel;
    chart.series[0].points.emplace_back(threshold, analysis.PercentAbove(threshold));
  }
  return chart;
}

Chart ErrorHistogram(const ErrorAnalysis& analysis) {
  Chart chart{"Errors up to 5 px", "error, px", "% of the truth in each 1/4 px", {{"", {}}}, false, true};
  constexpr int kBins = ErrorAnalysis::kBinsPerPixel / 4;
  const auto num_pixels = static_cast<double>(analysis.NumPixels());
  for (int i = 0; i <= 20; ++i) {
    const auto first = analysis.errors.begin() + i * kBins;
    const auto num = static_cast<double>(std::accumulate(first, first + kBins, std::int64_t{0}));
    chart.series[0].points.emplace_back(i / 4.0, 100 * num / num_pixels);
  }
  return chart;
}

// Bins of less than a thousandth of all pixels say nothing.
template <std::size_t kSize, typename Value>
std::vector<std::pair<double, double>> PointsOf(const std::array<DistanceBin, kSize>& bins,
                                                const Value& value) {
  std::int64_t all = 0;
  for (const DistanceBin& bin : bins) all += bin.num_pixels;
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < kSize; ++i) {
    if (bins[i].num_pixels == 0 || bins[i].num_pixels * 1000 < all) continue;
    const double end = i + 1 < kSize ? bins[i + 1].low : 1.3 * bins[i].low;
    const double mean = value(bins[i]);
    if (!std::isnan(mean)) points.emplace_back((bins[i].low + end) / 2, mean);
  }
  return points;
}
constexpr auto kMeanError = [](const DistanceBin& bin) {
  return bin.sum_error_px / static_cast<double>(bin.num_pixels);
};
constexpr auto kPercentWrong = [](const DistanceBin& bin) {
  return WrongOfAll{bin.num_wrong, bin.num_pixels}.Percent();
};
// A wrong disparity near 0 is a depth of kilometres, which would hide all others in a mean. NaN if none is correct.
constexpr auto kDepthError = [](const DistanceBin& bin) {
  return 100 * bin.sum_relative_depth_error / static_cast<double>(bin.num_pixels - bin.num_wrong);
};

template <std::size_t kSize>
std::vector<Chart> DistanceCharts(const std::array<DistanceBin, kSize>& bins, const char* what,
                                  const char* axis) {
  return {{fmt::format("Wrong pixels by {}", what),
           axis,
           "% of those with an estimate",
           {{"", PointsOf(bins, kPercentWrong)}},
           true},
          {fmt::format("Mean error by {}", what), axis, "px", {{"", PointsOf(bins, kMeanError)}}, true}};
}

Chart SparsificationChart(const ConfidenceCounts& counts) {
  Chart chart{"Wrong among the most confident",
              "% of the pixels kept",
              "%",
              {{"by confidence", {}}, {"best possible order", {}, true}}};
  const std::vector<double> curve = SparsificationCurve(counts), best = BestSparsificationCurve(counts);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    chart.series[0].points.emplace_back(static_cast<double>(i + 1), curve[i]);
    chart.series[1].points.emplace_back(static_cast<double>(i + 1), best[i]);
  }
  return chart;
}

// The figures of the sparsification curve; empty if confidence was not scored.
std::string SparsificationText(const Scores& total) {
  const std::optional<double> area = total.Find("sparsification_area"),
                              best = total.Find("sparsification_best"), ause = total.Find("ause"),
                              below = total.Find("errors_below_median");
  if (!area || !best || !ause || !below) return {};
  return fmt::format(
      "Sparsification (mean of the frames): the area under the curve is {:.2f} %, under that of the best "
      "order {:.2f} %; they differ by {:.2f} %. The less confident half holds {:.0f} % of the wrong pixels.",
      *area, *best, *ause, *below);
}

PageTable RegionTable(const ErrorAnalysis& analysis) {
  PageTable table;
  table.headers = {"region", "% of the truth", "% of it wrong", "% of all wrong pixels"};
  std::int64_t all = 0, wrong = 0;
  for (const WrongOfAll& region : analysis.regions) all += region.all, wrong += region.wrong;
  for (std::size_t i = 0; i < kNumRegions; ++i) {
    const WrongOfAll& region = analysis.regions[i];
    if (region.all == 0) continue;
    const double share = WrongOfAll{region.wrong, wrong}.Percent();
    table.rows.push_back({{{std::string(kRegionNames[i])},
                           {fmt::format("{:.1f}", WrongOfAll{region.all, all}.Percent())},
                           {fmt::format("{:.2f}", region.Percent())},
                           {wrong == 0 ? "-" : fmt::format("{:.1f}", share), "",
                            wrong == 0 ? std::optional<double>() : share}}});
  }
  return table;
}

// Rounds to two or three decimals; the table at the end of the page has all digits.
TableColumn AsRead(TableColumn column) {
  for (const auto& [official, read] :
       {std::pair(kPercent4, "%.2f"), {kPixels6, "%.3f"}, {kSixDigits, "%.4g"}}) {
    if (std::string_view(column.format) == official) {
      column.format = read;
      return column;
    }
  }
  return column;
}

// Leaves out the figures over estimated pixels ("_est") that equal those over all pixels in every frame;
// `same` names them. They are equal if every pixel has an estimate.
TableSection AsRead(const TableSection& section, std::span<const FrameScores> frames, std::string& same) {
  TableSection read{section.title, {}};
  for (const TableColumn& column : section.columns) {
    const std::size_t at = column.key.find("_est");
    const auto over_all =
        std::find_if(section.columns.begin(), section.columns.end(), [&](const TableColumn& other) {
          if (at == std::string::npos) return false;
          const std::string before = column.key.substr(0, at), after = column.key.substr(at + 4);
          return other.key == before + "_all" + after || other.key == before + after;
        });
    const bool is_same = over_all != section.columns.end() &&
                         std::all_of(frames.begin(), frames.end(), [&](const FrameScores& frame) {
                           return CellText(frame.scores, column) == CellText(frame.scores, *over_all);
                         });
    if (is_same) {
      same += (same.empty() ? "" : ", ") + column.header;
    } else {
      read.columns.push_back(AsRead(column));
    }
  }
  return read;
}

PageTable TotalTable(const TableSection& section, const Scores& total) {
  PageTable table;
  PageRow row;
  for (const TableColumn& column : section.columns) {
    table.headers.push_back(column.header);
    row.cells.push_back({CellText(total, column)});
  }
  table.rows.push_back(std::move(row));
  return table;
}

}  // namespace

ErrorAnalysis AnalyseAsScored(Metric metric, const StereoFrame& frame, const EvaluatedFrame& evaluated) {
  HostImage<float> estimate = AtTruthSize(evaluated.estimate, frame.truth->disparity.ConstView());
  if (IsKitti(metric)) estimate = InterpolateBackground(estimate.ConstView());
  return AnalyseErrors(frame, estimate.ConstView(), evaluated.confidence, IsWrongOf(metric));
}

std::vector<Chart> ChartsOf(const ErrorAnalysis& analysis) {
  std::vector<Chart> charts{ErrorCurve(analysis), ErrorHistogram(analysis)};
  const bool has_depth = std::any_of(analysis.depths.begin(), analysis.depths.end(),
                                     [](const DistanceBin& bin) { return bin.num_pixels > 0; });
  std::vector<Chart> distance = has_depth
                                    ? DistanceCharts(analysis.depths, "depth", "true depth, m")
                                    : DistanceCharts(analysis.disparities, "disparity", "true disparity, px");
  if (has_depth) {
    distance.push_back({"Mean depth error of correct pixels",
                        "true depth, m",
                        "% of the depth",
                        {{"", PointsOf(analysis.depths, kDepthError)}},
                        true});
  }
  charts.insert(charts.end(), distance.begin(), distance.end());
  const bool has_confidence = !SparsificationCurve(analysis.confidence).empty();
  if (has_confidence) charts.push_back(SparsificationChart(analysis.confidence));
  return charts;
}

EvalReport::EvalReport(fs::path place, Metric metric)
    : place_(std::move(place)), metric_(metric), store_(place_) {}

PageFrame EvalReport::Draw(const StereoFrame& frame, const EvaluatedFrame& evaluated) const {
  const HostImage<float> estimate = AtTruthSize(evaluated.estimate, frame.truth->disparity.ConstView());
  const FramePictures pictures =
      PicturesOf(frame, estimate.ConstView(), IsKitti(metric_), evaluated.validity);
  PageFrame shown;
  shown.name = frame.name;
  const auto add = [&](const char* label, const char* suffix, HostImageView<const Rgb8> picture) {
    return store_.Add(label, frame.name + suffix, picture);
  };
  const HostImage<Rgb8> thumbnail =
      ThumbnailOf(pictures.left.ConstView(), pictures.errors.ConstView(), kThumbnailWidth_px);
  shown.thumbnail = add("errors", "_small", thumbnail.ConstView());
  shown.pictures = {add("image", "_image", pictures.left.ConstView()),
                    add("errors", "_errors", pictures.errors.ConstView()),
                    add("disparity", "_disparity", pictures.estimate.ConstView()),
                    add("truth", "_truth", pictures.truth.ConstView())};
  return shown;
}

void EvalReport::AddFrame(PageFrame frame, const ErrorAnalysis& errors) {
  frame.id = fmt::format("frame-{}", frames_.size());
  frames_.push_back(std::move(frame));
  analysis_ += errors;
}

void EvalReport::Finish(const ReportText& text, std::span<const TableSection> sections,
                        std::span<const FrameScores> frames, const Scores& total) {
  const MainFigure figure = MainFigureOf(metric_);
  const std::string main_key(total.Find(figure.nonoccluded) ? figure.nonoccluded : figure.all);
  const auto main_of = [&](std::size_t i) {
    const auto value = frames[i].scores.Find(main_key);
    return value && !std::isnan(*value) ? *value : -1;
  };
  std::vector<std::size_t> order(frames.size());  // worst first
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return main_of(a) > main_of(b); });

  ReportPage page(text.heading);
  page.AddSection("Totals", "totals");
  std::vector<TableSection> as_read;
  for (const TableSection& section : sections) {
    std::string same;
    as_read.push_back(AsRead(section, frames, same));
    page.AddParagraph(section.title);
    page.AddTable(TotalTable(as_read.back(), total));
    if (!same.empty()) page.AddParagraph("Equal to those over all pixels, and not shown: " + same + ".");
  }
  for (const std::string& note : text.notes) page.AddParagraph(note);
  page.AddSection("Where the errors are", "errors");
  page.AddCharts(ChartsOf(analysis_));
  const std::string sparsification = SparsificationText(total);
  if (!sparsification.empty()) page.AddParagraph(sparsification);
  page.AddTable(RegionTable(analysis_));

  page.AddSection("Frames, worst first", "frames");
  std::vector<PageFrame> ordered;
  for (const std::size_t i : order) {
    if (main_of(i) >= 0) frames_[i].note = fmt::format("{:.2f} %", main_of(i));
    ordered.push_back(frames_[i]);
  }
  for (const TableSection& section : as_read) {
    const bool is_first = &section == &as_read.front();
    PageTable table;
    table.sortable = true;
    table.headers = {"frame"};
    table.total = {{"total"}};
    for (const TableColumn& column : section.columns) {
      if (column.key == main_key) table.main_column = table.headers.size();
      table.headers.push_back(column.header);
      table.total.push_back({CellText(total, column)});
    }
    for (const std::size_t i : order) {
      PageRow row{{{frames_[i].name, "#" + frames_[i].id}}, frames_[i].id};
      for (const TableColumn& column : section.columns)
        row.cells.push_back({CellText(frames[i].scores, column)});
      table.rows.push_back(std::move(row));
    }
    table.of_frames = is_first;
    if (!is_first) page.AddHtml("<details><summary>" + Escaped(section.title) + "</summary>\n");
    page.AddTable(table);
    if (!is_first) page.AddHtml("</details>\n");
  }
  page.AddHtml(LegendHtml());
  page.AddFrames(ordered);

  page.AddSection("How it was made", "made");
  page.AddHtml("<p><code>" + Escaped(CommandLine()) + "</code></p>\n");
  page.AddParagraph(
      fmt::format("parallax {}, {} {}", ThisBuild().version, ThisBuild().compiler, ThisBuild().build_type));
  if (!text.parameters.empty()) page.AddCode("parameters", text.parameters);
  std::string figures = text.figures;  // a name in it may hold "</script>"
  for (std::size_t at = 0; (at = figures.find("</", at)) != std::string::npos;) figures.insert(at + 1, "\\");
  page.AddHtml(std::string(kFiguresBegin) + figures + std::string(kFiguresEnd) + "\n");
  WriteTextFile(PageFile(place_), page.Html());
}

}  // namespace parallax::app
