// What the program wrote before, and reads again: records of runs and scores, files of eval, what the window remembers;
// and the poses that it is given.
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
#include "app/view/cloud/poses.h"
#include "app/view/controls/window_memory.h"
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
  description.metrics = {app::Metric::kKitti2015, app::Metric::kKitti2012};
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

void FeedPoses(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const std::filesystem::path& path) {
    const auto poses = app::ReadPoses(path);
    Require(!poses.empty(), "there is a pose");
    for (const app::CameraPose& pose : poses) {
      const Point3f p = app::FromWorld(pose, app::ToWorld(pose, {1, 2, 3}));
      Require(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z),
              "a pose takes points to points");
    }
  });
}

// The window's memory is never refused.
void FeedWindowMemory(std::span<const std::uint8_t> bytes) {
  ReadAsFile(bytes, [](const std::filesystem::path& path) {
    const app::WindowMemory memory = app::WindowMemory::Read(path);
    const auto width = memory.Number("width", 100, 10000);
    Require(!width || (*width >= 100 && *width <= 10000), "a number is in its range");
    if (const auto flag = memory.Flag("clouds"))
      Require(*flag == (memory.Get("clouds") == "yes"), "a flag is what its text says");
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

const Target kPoses{"poses", FeedPoses, [] {
                      return std::vector<Bytes>{
                          BytesOf("1 0 0 0 0 1 0 0 0 0 1 0\n\n9.999e-01 0 1e-2 1.5 0 1 0 -2 -1e-2 0 1 3e1\n"),
                          BytesOf("0 -1 0 1e7 1 0 0 0 0 0 1 -0.5\r\n")};
                    }};

const Target kWindowMemory{"window_memory", FeedWindowMemory, [] {
                             return std::vector<Bytes>{
                                 BytesOf("width 1280\nheight 720\nclouds yes\ntheme dark\nfile /a b/c.ply\n"),
                                 BytesOf("width 1e2\n x\nclouds no\nclouds perhaps\n")};
                           }};

}  // namespace parallax::fuzz
