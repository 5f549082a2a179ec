#include "app/merge/shard_folders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "app/build_info.h"
#include "app/frames/summary.h"
#include "app/output/number_list.h"
#include "app/output/whole_number.h"
#include "app/team/frame_deal.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShardOption = "--shard", kEnd = "end", kInterrupted = "interrupted";
constexpr std::string_view kName = "name", kIndex = "index", kOutcome = "outcome";  // of a frame

ShardFolder ReadShard(const fs::path& folder, const std::string& journal, std::string_view first_kind) {
  ShardFolder read{folder, {}, ReadJournal(folder / journal)};
  const auto common = std::find_if(read.records.begin(), read.records.end(),
                                   [&](const JournalRecord& record) { return record.kind == first_kind; });
  if (common == read.records.end() || common->Get(kShardOption).empty()) {
    throw Error(folder.string() + ": contains no shard: name folders made with --shard");
  }
  read.common = &*common;
  if (common->Get("parallax") != ThisBuild().version) {
    throw Error(
        fmt::format("{}: was made by parallax {}, but this is {}: merge it with that version, or run "
                    "the shards again",
                    folder.string(), common->Get("parallax"), ThisBuild().version));
  }
  read.shard = ParseShard(std::string(common->Get(kShardOption)));
  return read;
}

// A shard that is still running has no end record after its last begin record. Such a shard and an
// interrupted one lack frames.
void RequireEnd(const ShardFolder& shard) {
  const JournalRecord* const end = shard.Last(kEnd);
  const JournalRecord* const begin = std::max(shard.Last("shard"), shard.Last("goes_on"));  // of run, of eval
  const bool has_ended = end != nullptr && (begin == nullptr || begin < end);
  if (has_ended && end->Get(kInterrupted) != "1") return;
  throw Error(fmt::format("{}: shard {} {}: start it again with --resume", shard.folder.string(),
                          shard.shard.Text(), has_ended ? "was interrupted" : "did not finish"));
}

}  // namespace

const JournalRecord* ShardFolder::Last(std::string_view kind) const {
  const auto found = std::find_if(records.rbegin(), records.rend(),
                                  [&](const JournalRecord& record) { return record.kind == kind; });
  return found == records.rend() ? nullptr : &*found;
}

std::vector<fs::path> ShardPlaces(const std::vector<std::string>& named, const std::string& journal) {
  std::vector<fs::path> places;
  for (const std::string& name : named) {
    std::error_code error;
    if (!fs::is_directory(name, error)) throw Error(name + ": no such folder");
    std::vector<fs::path> below;
    for (const FolderEntry& entry : ReadFolder(name)) {
      const bool is_shard = entry.path.filename().string().starts_with("shard-");
      if (is_shard && fs::exists(entry.path / journal, error)) below.push_back(entry.path);
    }
    // A folder that holds shards may hold what they were merged into, too.
    if (below.empty() && fs::exists(fs::path(name) / journal, error)) below.emplace_back(name);
    places.insert(places.end(), below.begin(), below.end());
  }
  return places;
}

std::vector<ShardFolder> ReadShards(
    const std::vector<fs::path>& folders, const std::string& journal, std::string_view first_kind,
    const std::function<std::string(const ShardFolder& a, const ShardFolder& b)>& difference) {
  std::vector<ShardFolder> shards;
  for (const fs::path& folder : folders) shards.push_back(ReadShard(folder, journal, first_kind));
  std::stable_sort(shards.begin(), shards.end(),
                   [](const ShardFolder& a, const ShardFolder& b) { return a.shard.index < b.shard.index; });
  const ShardFolder& first = shards.front();
  std::vector<std::string> missing;
  for (const ShardFolder& shard : shards) {
    std::string other = difference(first, shard);
    if (shard.shard.count != first.shard.count)
      other = fmt::format("shard {}, not one of {}", shard.shard.Text(), first.shard.count);
    if (!other.empty()) {
      throw Error(fmt::format("{}: belongs to another run than {} ({}): merge shards of one run",
                              shard.folder.string(), first.folder.string(), other));
    }
  }
  for (std::size_t i = 1; i < shards.size(); ++i) {
    if (shards[i].shard.index != shards[i - 1].shard.index) continue;
    throw Error(fmt::format("shard {} is there twice, {} and {}: leave one out", shards[i].shard.Text(),
                            shards[i - 1].folder.string(), shards[i].folder.string()));
  }
  for (std::size_t i = 0, at = 0; i < first.shard.count; ++i) {
    if (at < shards.size() && shards[at].shard.index == i) {
      ++at;
    } else {
      missing.push_back(Shard{i, first.shard.count}.Text());
    }
  }
  if (!missing.empty()) {
    constexpr std::size_t kNamed = 5;
    const std::size_t num_more = missing.size() > kNamed ? missing.size() - kNamed : 0;
    missing.resize(missing.size() - num_more);
    throw Error(fmt::format("shard{} {}{} missing: run {} with --shard, or name {}",
                            missing.size() > 1 ? "s" : "", fmt::join(missing, ", "),
                            num_more > 0         ? fmt::format(" and {} more are", num_more)
                            : missing.size() > 1 ? " are"
                                                 : " is",
                            missing.size() > 1 ? "them" : "it",
                            missing.size() > 1 ? "their folders" : "its folder"));
  }
  for (const ShardFolder& shard : shards) {
    RequireEnd(shard);
    const auto all_names = [](const ShardFolder& of) { return of.Last(kEnd)->Get(kAllNamesKey); };
    if (all_names(shard) == all_names(first)) continue;
    const auto count = [&](const ShardFolder& of) {
      return all_names(of).substr(0, all_names(of).find(' '));
    };
    throw Error(
        fmt::format("{}: shard {} saw {} frames, and shard {} saw {}{}: the source changed between "
                    "them; run them again with --overwrite",
                    shard.folder.string(), shard.shard.Text(), count(shard), first.shard.Text(), count(first),
                    count(shard) == count(first) ? " with other names" : ""));
  }
  return shards;
}

std::map<std::size_t, FrameOfShard> FramesOf(const std::vector<ShardFolder>& shards, std::string_view kind) {
  std::map<std::size_t, FrameOfShard> frames;
  for (const ShardFolder& shard : shards) {
    for (const JournalRecord& record : shard.records) {
      if (record.kind != kind) continue;
      const std::string_view name = record.Get(kName);
      FrameOfShard& frame = frames[ToInteger<std::size_t>(NumberFromText(record.Get(kIndex)))];
      if (frame.record != nullptr && frame.shard != &shard) {
        throw Error(fmt::format("frame {} is in {} and in {}: the shards have different sources", name,
                                frame.shard->folder.string(), shard.folder.string()));
      }
      const bool is_done = frame.record != nullptr && frame.record->Get(kName) == name &&
                           frame.record->Get(kOutcome) == NameOf(FrameOutcome::kDone);
      if (is_done && record.Get(kOutcome) == NameOf(FrameOutcome::kSkipped)) continue;
      frame = {&record, &shard};
    }
  }
  if (!frames.empty() && frames.rbegin()->first + 1 != frames.size()) {
    std::size_t first_missing = 0;
    while (frames.contains(first_missing)) ++first_missing;
    const FrameOfShard& last = frames.rbegin()->second;
    throw Error(fmt::format(
        "no shard has frame number {}, but {} has the later frame {}: the source changed between the "
        "shards; start them again with --resume",
        first_missing, last.shard->folder.string(), last.record->Get(kName)));
  }
  return frames;
}

}  // namespace parallax::app
