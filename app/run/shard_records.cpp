#include "app/run/shard_records.h"

#include <string_view>

#include "app/output/number_list.h"
#include "app/team/frame_deal.h"

namespace parallax::app {
namespace {

constexpr std::string_view kSourceKey = "source", kKindKey = "kind", kBackendKey = "backend",
                           kConfigKey = "config", kSetKey = "set", kOutputKey = "output", kRigKey = "rig",
                           kCloudCleanKey = "cloud_clean", kElapsedKey = "elapsed_s",
                           kInterruptedKey = "interrupted";

}  // namespace

JournalRecord ShardRecord(const RunDescription& description) {
  JournalRecord record{kShardRecord};
  for (const std::string& source : description.source) record.Add(kSourceKey, source);
  record.Add(kKindKey, description.kind)
      .Add(kBackendKey, description.backend)
      .Add(kConfigKey, description.config);
  for (const std::string& assignment : description.assignments) record.Add(kSetKey, assignment);
  for (const std::string& output : description.outputs) record.Add(kOutputKey, output);
  record.Add(kRigKey, description.rig).Add(kCloudCleanKey, description.cloud_clean);
  return record;
}

RunDescription RunDescriptionOf(const JournalRecord& record) {
  RunDescription description;
  for (const auto& [key, value] : record.fields) {
    if (key == kSourceKey) description.source.push_back(value);
    if (key == kSetKey) description.assignments.push_back(value);
    if (key == kOutputKey) description.outputs.push_back(value);
  }
  description.kind = record.Get(kKindKey);
  description.backend = record.Get(kBackendKey);
  description.config = record.Get(kConfigKey);
  description.rig = record.Get(kRigKey);
  description.cloud_clean = record.Get(kCloudCleanKey);
  return description;
}

JournalRecord EndRecord(double elapsed_s, bool interrupted, const std::string& all_names) {
  return JournalRecord{kEndRecord}
      .Add(kElapsedKey, NumbersText({elapsed_s}))
      .Add(kInterruptedKey, interrupted ? "1" : "0")
      .Add(kAllNamesKey, all_names);
}

ShardEnd ShardEndOf(const JournalRecord& record) {
  return {NumberFromText(record.Get(kElapsedKey)), record.Get(kInterruptedKey) == "1"};
}

}  // namespace parallax::app
