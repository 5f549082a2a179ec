// The folders of shards that `parallax merge` joins: finding them, and seeing to it that they are all of one
// run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/output/journal.h"
#include "app/team/shard.h"

namespace parallax::app {

// What a shard's folder holds: results of `run` or scores of `eval`.
struct ShardFolder {
  std::filesystem::path folder;
  Shard shard;
  std::vector<JournalRecord> records;     // of its journal
  const JournalRecord* common = nullptr;  // the first one, which says what all frames have in common

  // The last record of a kind; null where there is none.
  const JournalRecord* Last(std::string_view kind) const;
};

// The folders that are meant: those named that have a journal of this name, and the shard-*-of-* below the
// others that have one.
std::vector<std::filesystem::path> ShardPlaces(const std::vector<std::string>& named,
                                               const std::string& journal);

// Reads the journals, whose first record is of that kind; in the order of the shards. Throws Error, naming
// the remedy, where one is no shard, has not ended, is there twice or of another run (difference: how two
// runs differ, empty where they do not), or where shards are missing.
std::vector<ShardFolder> ReadShards(
    const std::vector<std::filesystem::path>& folders, const std::string& journal,
    std::string_view first_kind,
    const std::function<std::string(const ShardFolder& a, const ShardFolder& b)>& difference);

}  // namespace parallax::app
