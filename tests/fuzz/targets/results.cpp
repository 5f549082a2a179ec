// What the program wrote before, and reads again: records of runs and scores, files of eval.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/eval/score_folder.h"
#include "app/eval/scored_frame.h"
#include "app/frames/report_record.h"
#include "app/frames/run_clouds.h"
#include "app/output/result_folder.h"
#include "app/report/scored_run.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"

namespace parallax::fuzz {
namespace {

// The kind of a record, a line break, and a line KEY=VALUE for every field: a journal without its checksums, which
// stop most damage before it gets to those who read the fields.
app::JournalRecord RecordIn(std::span<const std::uint8_t> bytes) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto next_line = [&] {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    return line;
  };
  app::JournalRecord record{std::string(next_line())};
  while (!rest.empty() && record.fields.size() < 200) {
    const std::string_view line = next_line();
    const std::size_t sign = line.find('=');
    if (sign != std::string_view::npos) record.Add(line.substr(0, sign), line.substr(sign + 1));
  }
  return record;
}

Bytes TextOf(const app::JournalRecord& record) {
  std::string text = record.kind + '\n';
  for (const auto& [key, value] : record.fields) text.append(key).append("=").append(value).append("\n");
  return BytesOf(text);
}

// Written down, what was read reads back the same.
void FeedRecord(std::span<const std::uint8_t> bytes) {
  const app::JournalRecord record = RecordIn(bytes);
  const auto read = [](const std::function<app::JournalRecord()>& again) {
    try {
      again();
    } catch (const Error& error) {
      Require(*error.what() != '\0', "the error says something");
    }
  };
  read([&] {
    const app::JournalRecord first = app::RecordOf(app::FrameReportOf(record));
    Require(app::RecordOf(app::FrameReportOf(first)).fields == first.fields, "a report reads back");
    return first;
  });
  read([&] {
    const app::JournalRecord first = app::RecordOf(app::ScoredFrameOf(record));
    Require(app::RecordOf(app::ScoredFrameOf(first)).fields == first.fields, "scores read back");
    return first;
  });
  read([&] {
    const auto result = app::FinishedResultOf(record);
    if (!result) return record;
    const app::JournalRecord first = app::RecordOf(result->name, result->result);
    const auto second = app::FinishedResultOf(first);
    Require(second && second->result.files.size() == result->result.files.size(), "a result reads back");
    return first;
  });
  read([&] {
    Require(!app::EvalDescriptionOf(record).metrics.empty(), "scores are those of a metric");
    return record;
  });
}

std::vector<Bytes> RecordSeeds() {
  FrameReport report{.name = "000000_10", .index = 3, .notes = {"a note"}, .width = 6, .height = 4};
  report.details = app::CloudFigures{1.5, 2.5, 20, 3};
  FrameReport failed{.name = "b", .outcome = FrameOutcome::kFailed, .error = "b.png: cannot be read"};
  app::ScoredFrame scored{.name = "Teddy", .numbers = {1, 2.5, NAN}, .time_ms = 12.25};
  scored.cloud.Add("chamfer_m", 0.125);
  scored.errors.emplace();
  scored.page.emplace();
  scored.page->name = "Teddy";
  scored.page->thumbnail = {"left", "pictures/a.png", 60, 40};
  scored.page->pictures.push_back({"error", "data:image/png;base64,iVBORw0KGgo=", 600, 400});
  app::EvalDescription description;
  description.metrics = {Metric::kKitti2015, Metric::kKitti2012};
  description.clouds.enabled = true;
  app::FinishedResult result{
      "3 0badf00d left.png", {{"aggregation.p1", "10"}}, {{"disparity/a.png", {}}}, {"cloud/a.ply"}};
  return {TextOf(app::RecordOf(report)), TextOf(app::RecordOf(failed)), TextOf(app::RecordOf(scored)),
          TextOf(app::RecordOf(description, app::EvalOptions{})), TextOf(app::RecordOf("a", result))};
}

// A file of `eval --json`, or summary.json of a run.
void FeedScoredRun(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const std::filesystem::path& path) {
    const app::ScoredRun run = app::ReadRun(path);
    Require(run.metric && !run.frames.empty(), "figures are those of frames");
    app::FigureOf(run, run.frames.back().name, "bad_3_px");
  });
}

}  // namespace

const Target kRecord{"record", FeedRecord, RecordSeeds};

const Target kScoredRun{
    "scored_run", FeedScoredRun, [] {
      return std::vector<Bytes>{
          BytesOf(
              R"({"metric": "kitti2015", "backend": "cpu", "config": "kitti", "frames": [)"
              R"({"name": "000000_10", "bad_3_px": 2.5, "epe": null}], "total": {"bad_3_px": 2.5, "epe": null}})"),
          BytesOf(
              R"({"metric": "eth3d", "estimates": "a\nb", "frames": [{"name": "x"}, {"name": "y"}], "total": {}})"),
          BytesOf(R"({"source": ["crop"], "backend": "cpu", "set": ["aggregation.p1=3"], "frames": []})")};
    }};

}  // namespace parallax::fuzz
