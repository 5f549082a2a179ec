#include "app/report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/build_info.h"
#include "app/output/command_line.h"
#include "app/output/output_files.h"
#include "app/report/eval_report.h"
#include "app/report/frame_pictures.h"
#include "app/report/html.h"
#include "parallax/error.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax::app {
namespace {

std::string FigureText(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); }
std::string Signed(double value) { return std::isnan(value) ? "-" : fmt::format("{:+.3f}", value); }

// The figure of non-occluded truth where every run has it for some frame, else that of all truth.
std::string KeyFor(const std::vector<ScoredRun>& runs, Metric metric) {
  const MainFigure figure = MainFigureOf(metric);
  const bool all_have = std::all_of(runs.begin(), runs.end(), [&](const ScoredRun& run) {
    return run.total.Find(figure.nonoccluded).has_value();
  });
  return std::string(all_have ? figure.nonoccluded : figure.all);
}

// How much of each region is wrong in each run that has pictures.
PageTable RegionTable(const std::vector<ErrorAnalysis>& analyses) {
  PageTable table;
  table.headers = {"region"};
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    if (analyses[i].NumPixels() > 0) table.headers.push_back("% of it wrong, " + LetterOf(i));
  }
  for (std::size_t region = 0; region < kNumRegions; ++region) {
    PageRow row{{{std::string(kRegionNames[region])}}};
    bool is_there = false;
    for (const ErrorAnalysis& analysis : analyses) {
      if (analysis.NumPixels() == 0) continue;
      const WrongOfAll& of_run = analysis.regions[region];
      row.cells.push_back({of_run.all == 0 ? "-" : fmt::format("{:.2f}", of_run.Percent())});
      is_there = is_there || of_run.all > 0;
    }
    if (is_there) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string LetterOf(std::size_t run) {
  return run < 26 ? std::string(1, static_cast<char>('A' + run)) : std::to_string(run + 1);
}

Comparison Compare(std::vector<ScoredRun> runs, Metric metric) {
  Comparison comparison{metric, KeyFor(runs, metric), std::move(runs), {}, {}};
  std::vector<std::vector<double>> figures(comparison.runs.size());
  for (const FrameScores& frame : comparison.runs.front().frames) {
    std::vector<double> of_frame;
    for (const ScoredRun& run : comparison.runs)
      of_frame.push_back(FigureOf(run, frame.name, comparison.key));
    if (std::any_of(of_frame.begin(), of_frame.end(), [](double v) { return std::isnan(v); })) continue;
    comparison.frames.push_back(frame.name);
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].push_back(of_frame[i]);
  }
  if (comparison.frames.empty()) {
    throw Error("no frame has the figure " + comparison.key +
                " in every run: compare runs over the same data set");
  }
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  for (std::size_t i = 1; i < figures.size(); ++i) {
    comparison.others.push_back({TestSigns(figures[0], figures[i]), mean(figures[0]), mean(figures[i])});
  }
  return comparison;
}

CompareReport::CompareReport(std::filesystem::path place, Metric metric, std::size_t num_runs)
    : place_(std::move(place)), metric_(metric), store_(place_), analyses_(num_runs) {}

void CompareReport::AddFrame(const StereoFrame& frame, std::span<const HostImage<float>> estimates) {
  const bool fill = IsKitti(metric_);
  const auto truth = frame.truth->disparity.ConstView();
  PageFrame shown;
  shown.name = frame.name;
  const auto add = [&](const std::string& label, const std::string& suffix, const HostImage<Rgb8>& picture) {
    return store_.Add(label, frame.name + suffix, picture.ConstView());
  };
  std::vector<HostImage<float>> scored(estimates.size());
  HostImage<Rgb8> photo;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    if (estimates[i].Empty()) continue;
    const FramePictures pictures = PicturesOf(frame, estimates[i].ConstView(), fill);
    if (shown.pictures.empty()) {
      shown.pictures = {add("image", "_image", pictures.left), add("truth", "_truth", pictures.truth)};
      photo = pictures.left.Clone();
    }
    const std::string letter = LetterOf(i);
    shown.pictures.push_back(add("disparity " + letter, "_disparity_" + letter, pictures.estimate));
    shown.pictures.push_back(add("errors " + letter, "_errors_" + letter, pictures.errors));
    scored[i] = fill ? InterpolateBackground(estimates[i].ConstView()) : estimates[i].Clone();
    analyses_[i] += AnalyseErrors(frame, scored[i].ConstView(), {}, IsWrongOf(metric_));
    if (i == 0 || scored[0].Empty()) continue;
    const HostImage<Rgb8> gain = GainPicture(scored[0].ConstView(), scored[i].ConstView(), truth);
    shown.pictures.push_back(add("gain of " + letter + " over A", "_gain_" + letter, gain));
    if (!shown.thumbnail.address.empty()) continue;
    shown.thumbnail =
        add("gain", "_small", ThumbnailOf(photo.ConstView(), gain.ConstView(), kThumbnailWidth_px));
  }
  if (!shown.thumbnail.address.empty()) frames_.push_back(std::move(shown));
}

void CompareReport::Finish(const Comparison& comparison) {
  ReportPage page(fmt::format("{} runs over {} frames", comparison.runs.size(), comparison.frames.size()));
  page.AddSection("Runs", "runs");
  PageTable runs;
  runs.headers = {"run", "of", "", comparison.key, "against A", "better / worse / equal frames", "p"};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ScoredRun& run = comparison.runs[i];
    PageRow row;
    row.cells = {{LetterOf(i)}, {.text = run.name, .is_text = true}, {.text = run.what, .is_text = true}};
    if (i == 0) {
      row.cells.insert(row.cells.end(),
                       {{FigureText(comparison.others.front().mean_of_first)}, {""}, {""}, {""}});
    } else {
      const RunComparison& other = comparison.others[i - 1];
      row.cells.insert(row.cells.end(), {{FigureText(other.mean)},
                                         {Signed(other.signs.mean_difference)},
                                         {fmt::format("{} / {} / {}", other.signs.num_better,
                                                      other.signs.num_worse, other.signs.num_equal)},
                                         {TextOfP(other.signs.p)}});
    }
    runs.rows.push_back(std::move(row));
  }
  page.AddTable(runs);
  page.AddParagraph(
      "Means over the frames that every run has. Lower is better. p: the probability of a result at "
      "least as uneven if both runs were equally likely to win a frame (two-sided sign test).");

  std::vector<Chart> charts;
  for (std::size_t i = 0; i < analyses_.size(); ++i) {
    if (analyses_[i].NumPixels() == 0) continue;
    const std::vector<Chart> own = ChartsOf(analyses_[i]);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (own[k].bars) continue;
      const auto same = std::find_if(charts.begin(), charts.end(),
                                     [&](const Chart& chart) { return chart.title == own[k].title; });
      const bool is_new = same == charts.end();
      Chart& chart = is_new ? charts.emplace_back(own[k]) : *same;
      if (is_new) chart.series.clear();
      chart.series.push_back({LetterOf(i), own[k].series.front().points});
    }
  }
  if (!charts.empty()) {
    page.AddSection("Where the errors are", "errors");
    page.AddCharts(charts);
    page.AddTable(RegionTable(analyses_));
  }

  page.AddSection("Frames, those that lost most first", "frames");
  PageTable table;
  table.sortable = table.of_frames = true;
  table.headers = {"frame"};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) table.headers.push_back(LetterOf(i));
  table.main_column = table.headers.size();
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) table.headers.push_back(LetterOf(i) + " - A");
  const auto loss = [&](const std::string& name) {
    return FigureOf(comparison.runs[1], name, comparison.key) -
           FigureOf(comparison.runs[0], name, comparison.key);
  };
  std::vector<std::string> names = comparison.frames;
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return loss(a) > loss(b); });
  std::vector<PageFrame> ordered;
  for (const std::string& name : names) {
    const auto pictures = std::find_if(frames_.begin(), frames_.end(),
                                       [&](const PageFrame& frame) { return frame.name == name; });
    PageRow row;
    row.cells = {{name}};
    for (const ScoredRun& run : comparison.runs)
      row.cells.push_back({FigureText(FigureOf(run, name, comparison.key))});
    for (std::size_t i = 1; i < comparison.runs.size(); ++i) {
      row.cells.push_back({Signed(FigureOf(comparison.runs[i], name, comparison.key) -
                                  FigureOf(comparison.runs[0], name, comparison.key))});
    }
    if (pictures != frames_.end()) {
      pictures->id = row.frame = fmt::format("frame-{}", ordered.size());
      row.cells.front().link = "#" + row.frame;
      pictures->note = Signed(loss(name));
      ordered.push_back(*pictures);
    }
    table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
  if (!ordered.empty()) {
    page.AddParagraph(
        "Gain pictures: green where the run is nearer to the truth than A, red where it is farther, "
        "gray where both are equal, black without truth.");
    page.AddFrames(ordered);
  } else {
    page.AddParagraph("Pictures need two runs given as output folders of parallax run.");
  }
  page.AddSection("How it was made", "made");
  page.AddHtml("<p><code>" + Escaped(CommandLine()) + "</code></p>\n");
  page.AddParagraph("parallax " + std::string(ThisBuild().version));
  WriteTextFile(PageFile(place_), page.Html());
}

}  // namespace parallax::app
