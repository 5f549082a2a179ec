#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/frames/frame_writer.h"
#include "app/frames/report_record.h"
#include "app/frames/run_folder.h"
#include "app/frames/summary.h"
#include "app/merge/merge_shards.h"
#include "app/merge/shard_folders.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/run/failures.h"
#include "app/run/shard_records.h"
#include "config/frame_parameters.h"
#include "datasets/system/atomic_file.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// Compares the first records of two journals, except for the shard.
std::string DifferenceInRun(const JournalRecord& a, const JournalRecord& b) {
  for (const auto& [key, value] : a.fields) {
    if (key != kShardOption && b.Get(key) != value)
      return fmt::format("{} {}, not {}", key, b.Get(key), value);
  }
  return "";
}

// Compares what two shards recorded about themselves. Back ends may differ, because they give the same bits.
std::string DifferenceOfShards(const ShardFolder& a, const ShardFolder& b) {
  if (std::string other = DifferenceInRun(*a.common, *b.common); !other.empty()) return other;
  const JournalRecord *const one = a.Last(kShardRecord), *const two = b.Last(kShardRecord);
  if (one == nullptr || two == nullptr) return one == two ? "" : "one has not started";
  const auto values = [](const JournalRecord& record, std::string_view key) {
    std::string all;
    for (const auto& [k, value] : record.fields) {
      if (k == key) all += ' ' + value;
    }
    return all;
  };
  for (const auto& [key, value] : one->fields) {
    if (key != "backend" && values(*one, key) != values(*two, key))
      return fmt::format("{}{}, not{}", key, values(*two, key), values(*one, key));
  }
  return "";
}

struct MergedFrame {
  FrameReport report;
  const ShardFolder* shard = nullptr;
};

// The outcome of every frame, in the order of the source.
std::vector<MergedFrame> MergedFrames(const std::vector<ShardFolder>& shards) {
  std::vector<MergedFrame> frames;
  std::set<std::string_view> names;
  for (const auto& [index, frame] : FramesOf(shards, kReportRecord)) {
    frames.push_back({FrameReportOf(*frame.record), frame.shard});
    if (names.insert(frame.record->Get("name")).second) continue;
    throw Error(
        fmt::format("{}: frame {} is there twice: the source changed while the shards ran; run them "
                    "again with --overwrite",
                    frame.shard->folder.string(), frames.back().report.name));
  }
  return frames;
}

std::map<std::string, FinishedResult> FinishedIn(const ShardFolder& shard) {
  std::map<std::string, FinishedResult> finished;
  for (const JournalRecord& record : shard.records) {
    if (std::optional<NamedResult> result = FinishedResultOf(record))
      finished[result->name] = std::move(result->result);
  }
  return finished;
}

void RequireContent(const fs::path& file, const FileContent& content, const Shard& shard) {
  if (ContentOf(file) == content) return;
  throw Error(fmt::format("{}: was changed after shard {} wrote it: start that shard again with --resume",
                          file.string(), shard.Text()));
}

std::string ParametersIn(const fs::path& folder) {
  const fs::path file = folder / "parameters.yaml";
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.good() && text.empty())
    throw Error(file.string() + ": cannot be read: start that shard again with --resume");
  return text;
}

fs::path OutputOf(const MergeOptions& options, const std::vector<fs::path>& places) {
  fs::path output = options.output;
  if (output.empty()) {
    if (options.folders.size() != 1 || places.front() == fs::path(options.folders.front()))
      throw InvalidArgument("name the folder for the results with --output DIR");
    output = options.folders.front();
  }
  for (const fs::path& place : places) {
    if (IsSameFile(output, place)) {
      throw InvalidArgument(output.string() + ": is one of the shards: name another --output");
    }
  }
  return output;
}

}  // namespace

void LinkOrCopy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::create_hard_link(from, to, error);
  if (!error) return;
  std::ifstream source(from, std::ios::binary);
  AtomicFile copy(to);
  if (fs::file_size(from, error) > 0 && !error) copy.stream() << source.rdbuf();
  if (error || !source)
    throw Error(fmt::format("{}: cannot be read to copy it to {}", from.string(), to.string()));
  copy.Commit();
}

void MergeRuns(const MergeOptions& options, const std::vector<fs::path>& places) {
  const std::vector<ShardFolder> shards =
      ReadShards(places, std::string(kJournalName), kRunRecord, DifferenceOfShards);
  const fs::path output = OutputOf(options, places);
  const std::vector<MergedFrame> frames = MergedFrames(shards);

  std::map<const ShardFolder*, std::map<std::string, FinishedResult>> finished;
  for (const ShardFolder& shard : shards) {
    finished[&shard] = FinishedIn(shard);
    for (const auto& [name, result] : finished[&shard]) {
      for (const ResultFile& file : result.files) {
        if (!IsInPlaces(FrameWriter::Places(), file.path)) {
          throw Error(
              fmt::format("{}: names {}, which is not a result file: run that shard again with --overwrite",
                          (shard.folder / kJournalName).string(), file.path));
        }
        RequireContent(shard.folder / file.path, file.content, shard.shard);
      }
    }
  }

  JournalRecord common{std::string(kRunRecord)};
  for (const auto& [key, value] : shards.front().common->fields)
    common.Add(key, key == kShardOption ? "" : value);
  const std::string_view num_disparities = common.Get(kNumDisparitiesKey);
  ResultFolder folder(output, FrameWriter::Places(), options.used_folder);
  folder.Begin(common);
  if (const JournalRecord* command = shards.front().Last(kCommandRecord)) folder.Note(*command);

  const ShardFolder* as_a_whole = &shards.front();  // whose parameters.yaml leaves open what frames differ in
  RunSummary summary(RunDescriptionOf(*shards.front().Last(kShardRecord)), output);
  for (const MergedFrame& frame : frames) {
    summary.Add(frame.report);
    const auto result = finished[frame.shard].find(frame.report.name);
    if (result == finished[frame.shard].end()) continue;  // it failed
    std::vector<std::string> files;
    for (const ResultFile& file : result->second.files) files.push_back(file.path);
    folder.Take(StartRecord(frame.report.name, files));
    for (const ResultFile& file : result->second.files)
      LinkOrCopy(frame.shard->folder / file.path, output / file.path);
    folder.Take(RecordOf(frame.report.name, result->second));
    if (HasOtherDisparities(result->second, num_disparities)) as_a_whole = frame.shard;
  }
  double elapsed_s = 0;  // they may have run side by side
  for (const ShardFolder& shard : shards)
    elapsed_s = std::max(elapsed_s, ShardEndOf(*shard.Last(kEndRecord)).elapsed_s);
  summary.Finish(elapsed_s, false);
  WriteTextFile(output / "parameters.yaml", WithoutShard(ParametersIn(as_a_whole->folder)));
  summary.WriteJson(output / "summary.json");
  std::printf("%sresults of %zu shards in %s\n", Printable(summary.Text(), true).c_str(), shards.size(),
              Printable(output.string()).c_str());
  ThrowOnFailures(summary, output / "summary.json");
}

}  // namespace parallax::app
