#include "app/run/shard_records.h"

#include <string_view>

#include "app/output/number_list.h"
#include "app/team/frame_deal.h"

namespace parallax::app {
namespace {

constexpr std::string_view kSource = "source", kKind = "kind", kBackend = "backend", kConfig = "config",
                           kSet = "set", kOutput = "output", kRig = "rig", kCloudClean = "cloud_clean",
                           kElapsed = "elapsed_s", kInterrupted = "interrupted";

}  // namespace

JournalRecord ShardRecord(const RunDescription& description) {
  JournalRecord record{kShardRecord};
  for (const std::string& source : description.source) record.Add(kSource, source);
  record.Add(kKind, description.kind).Add(kBackend, description.backend).Add(kConfig, description.config);
  for (const std::string& assignment : description.assignments) record.Add(kSet, assignment);
  for (const std::string& output : description.outputs) record.Add(kOutput, output);
  record.Add(kRig, description.rig).Add(kCloudClean, description.cloud_clean);
  return record;
}

RunDescription RunDescriptionOf(const JournalRecord& record) {
  RunDescription description;
  for (const auto& [key, value] : record.fields) {
    if (key == kSource) description.source.push_back(value);
    if (key == kSet) description.assignments.push_back(value);
    if (key == kOutput) description.outputs.push_back(value);
  }
  description.kind = record.Get(kKind);
  description.backend = record.Get(kBackend);
  description.config = record.Get(kConfig);
  description.rig = record.Get(kRig);
  description.cloud_clean = record.Get(kCloudClean);
  return description;
}

JournalRecord EndRecord(double elapsed_s, bool interrupted, const std::string& all_names) {
  return JournalRecord{kEndRecord}
      .Add(kElapsed, NumbersText({elapsed_s}))
      .Add(kInterrupted, interrupted ? "1" : "0")
      .Add(kAllNamesKey, all_names);
}

ShardEnd ShardEndOf(const JournalRecord& record) {
  return {NumberFromText(record.Get(kElapsed)), record.Get(kInterrupted) == "1"};
}

}  // namespace parallax::app
