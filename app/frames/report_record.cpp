#include "app/frames/report_record.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/frames/run_clouds.h"
#include "app/frames/summary.h"
#include "app/output/number_list.h"
#include "app/output/whole_number.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr std::string_view kNameKey = "name", kIndexKey = "index", kOutcomeKey = "outcome",
                           kErrorKey = "error", kMissingKey = "missing", kNoteKey = "note",
                           kNumbersKey = "numbers", kStagesKey = "stages_ms", kCloudsKey = "clouds";

constexpr FrameOutcome kOutcomes[] = {FrameOutcome::kDone, FrameOutcome::kSkipped, FrameOutcome::kFailed,
                                      FrameOutcome::kDropped};

}  // namespace

JournalRecord RecordOf(const FrameReport& report) {
  JournalRecord record{kReportRecord};
  record.Add(kNameKey, report.name).Add(kIndexKey, std::to_string(report.index));
  record.Add(kOutcomeKey, NameOf(report.outcome));
  if (!report.error.empty()) record.Add(kErrorKey, report.error);
  for (const std::string& missing : report.missing) record.Add(kMissingKey, missing);
  for (const std::string& note : report.notes) record.Add(kNoteKey, note);
  if (report.outcome != FrameOutcome::kDone) return record;
  record.Add(kNumbersKey, NumbersText({static_cast<double>(report.width), static_cast<double>(report.height),
                                       static_cast<double>(report.num_disparities), report.density_percent,
                                       report.read_ms, report.match_ms, report.write_ms}));
  record.Add(kStagesKey, NumbersText({report.times.ms.begin(), report.times.ms.end()}));
  if (report.details.has_value()) {
    const CloudFigures clouds = CloudFiguresOf(report);
    record.Add(kCloudsKey,
               NumbersText({clouds.clean_ms, clouds.density_ms, static_cast<double>(clouds.num_points),
                            static_cast<double>(clouds.num_points_removed)}));
  }
  return record;
}

FrameReport FrameReportOf(const JournalRecord& record) {
  FrameReport report;
  report.name = record.Get(kNameKey);
  report.index = ToInteger<std::size_t>(NumberFromText(record.Get(kIndexKey)));
  const auto* const outcome = std::find_if(std::begin(kOutcomes), std::end(kOutcomes), [&](FrameOutcome o) {
    return NameOf(o) == record.Get(kOutcomeKey);
  });
  if (outcome == std::end(kOutcomes)) throw Error("frame " + report.name + ": its report has no outcome");
  report.outcome = *outcome;
  report.error = record.Get(kErrorKey);
  for (const auto& [key, value] : record.fields) {
    if (key == kMissingKey) report.missing.push_back(value);
    if (key == kNoteKey) report.notes.push_back(value);
  }
  if (report.outcome != FrameOutcome::kDone) return report;
  const std::vector<double> numbers = ParseNumbers(record.Get(kNumbersKey)),
                            stages = ParseNumbers(record.Get(kStagesKey)),
                            clouds = ParseNumbers(record.Get(kCloudsKey));
  if (numbers.size() != 7 || stages.size() != report.times.ms.size() ||
      (!clouds.empty() && clouds.size() != 4))
    throw Error("frame " + report.name + ": another version wrote its report: match it again");
  report.width = ToInteger<int>(numbers[0]);
  report.height = ToInteger<int>(numbers[1]);
  report.num_disparities = ToInteger<int>(numbers[2]);
  report.density_percent = numbers[3];
  report.read_ms = numbers[4];
  report.match_ms = numbers[5];
  report.write_ms = numbers[6];
  std::copy(stages.begin(), stages.end(), report.times.ms.begin());
  if (!clouds.empty()) {
    report.details = CloudFigures{clouds[0], clouds[1], ToInteger<std::size_t>(clouds[2]),
                                  ToInteger<std::size_t>(clouds[3])};
  }
  return report;
}

}  // namespace parallax::app
