// Records that only a shard's journal has, for `parallax merge`: its run, the outcome of every frame
// (report_record.h), and how it ended.
#pragma once

#include "app/frames/summary.h"
#include "app/output/journal.h"

namespace parallax::app {

inline constexpr const char *kShardRecord = "shard", *kEndRecord = "end";  // kinds

// The record of a run that begins or continues.
JournalRecord ShardRecord(const RunDescription& description);
RunDescription RunDescriptionOf(const JournalRecord& record);

// The record of a run that has ended. interrupted: frames are missing. all_names: DealtSource::AllNames().
JournalRecord EndRecord(double elapsed_s, bool interrupted, const std::string& all_names);
struct ShardEnd {
  double elapsed_s = 0;
  bool interrupted = false;
};
ShardEnd ShardEndOf(const JournalRecord& record);

}  // namespace parallax::app
