#include "app/frames/report_spool.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "app/frames/report_record.h"
#include "app/output/journal.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

static_assert(std::is_trivially_copyable_v<FrameFigures>);

FrameFigures FiguresIn(std::string_view record) {
  FrameFigures figures;
  std::memcpy(&figures, record.data(), sizeof figures);
  return figures;
}

}  // namespace

void ReportSpool::Add(const FrameReport& report) {
  const FrameFigures figures{.index = report.index,
                             .outcome = report.outcome,
                             .is_incomplete = !report.missing.empty(),
                             .has_notes = !report.notes.empty(),
                             .times = report.times,
                             .read_ms = report.read_ms,
                             .match_ms = report.match_ms,
                             .write_ms = report.write_ms,
                             .clouds = CloudFiguresOf(report)};
  std::string record(sizeof figures, '\0');
  std::memcpy(record.data(), &figures, sizeof figures);
  records_.Add(record + JournalLine(RecordOf(report)));
}

void ReportSpool::Sort() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // index, position
  places.reserve(records_.size());
  records_.ForEach([&](std::uint64_t position, std::string_view record) {
    places.emplace_back(FiguresIn(record).index, position);
    return true;
  });
  order_.clear();
  if (std::is_sorted(places.begin(), places.end())) return;
  std::sort(places.begin(), places.end());
  for (const auto& [index, position] : places) order_.push_back(position);
}

void ReportSpool::ForEach(const Visit& visit) const {
  const auto tell = [&](std::string_view record) {
    return visit(FiguresIn(record), record.substr(sizeof(FrameFigures)));
  };
  if (order_.empty())
    return records_.ForEach([&](std::uint64_t, std::string_view record) { return tell(record); });
  for (const std::uint64_t position : order_) {
    if (!tell(records_.At(position))) return;
  }
}

FrameReport ReportSpool::Read(std::string_view line) {
  JournalRecord record;
  if (!ParseJournalLine(line, record))
    throw Error("the stored report of a frame cannot be read back: check the disk");
  return FrameReportOf(record);
}

}  // namespace parallax::app
