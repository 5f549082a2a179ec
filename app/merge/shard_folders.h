// The folders of shards that `parallax merge` joins: finds them and checks that they belong to one run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/journal.h"
#include "app/team/shard.h"

namespace parallax::app {

// What a shard's folder contains: results of `run` or scores of `eval`.
struct ShardFolder {
  std::filesystem::path folder;
  Shard shard;
  std::vector<JournalRecord> records;     // of its journal
  const JournalRecord* common = nullptr;  // the first record: what all frames have in common

  // The last record of a kind; null if there is none.
  const JournalRecord* Last(std::string_view kind) const;
};

// The shard folders: the named folders that contain a journal of this name, and the shard-*-of-* below the
// others that contain one.
std::vector<std::filesystem::path> ShardPlaces(const std::vector<std::string>& named,
                                               const std::string& journal);

// Reads the journals, whose first record has that kind, in the order of the shards. Throws Error with a
// remedy where a folder is not a shard, has not finished, occurs twice or belongs to another run, or where
// shards are missing. difference: how two runs differ; empty if they do not.
std::vector<ShardFolder> ReadShards(
    const std::vector<std::filesystem::path>& folders, const std::string& journal,
    std::string_view first_kind,
    const std::function<std::string(const ShardFolder& a, const ShardFolder& b)>& difference);

struct FrameOfShard {
  const JournalRecord* record = nullptr;
  const ShardFolder* shard = nullptr;
};

// Returns the frames of all shards by their index in the source. If a shard was resumed it has several records of a
// frame: the last one counts, but "skipped" does not replace "done". Throws Error if two shards have the same frame,
// or if a frame is missing.
std::map<std::size_t, FrameOfShard> FramesOf(const std::vector<ShardFolder>& shards, std::string_view kind);

}  // namespace parallax::app
