// What a shard's journal says beside what every run's does, for `parallax merge`: which run it is of, what
// became of every frame (report_record.h), and how it ended.
#pragma once

#include "app/frames/summary.h"
#include "app/output/journal.h"

namespace parallax::app {

inline constexpr const char *kShardRecord = "shard", *kEndRecord = "end";  // kinds

// Of a run that begins, or is gone on with.
JournalRecord ShardRecord(const RunDescription& description);
RunDescription RunDescriptionOf(const JournalRecord& record);

// Of one that has ended. interrupted: not all its frames are there. all_names: DealtSource::AllNames().
JournalRecord EndRecord(double elapsed_s, bool interrupted, const std::string& all_names);
struct ShardEnd {
  double elapsed_s = 0;
  bool interrupted = false;
};
ShardEnd ShardEndOf(const JournalRecord& record);

}  // namespace parallax::app
