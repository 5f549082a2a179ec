#include "app/frames/report_spool.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "parallax/error.h"

namespace parallax::app {
namespace {

static_assert(std::is_trivially_copyable_v<FrameFigures>);

template <typename T>
void Put(const T& value, std::string& record) {
  record.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void PutText(const std::string& text, std::string& record) {
  Put(text.size(), record);
  record.append(text);
}

void Require(std::size_t num_bytes, std::string_view record) {
  if (record.size() < num_bytes)
    throw Error("the stored report of a frame cannot be read back: check the disk");
}
template <typename T>
T Get(std::string_view& record) {
  T value;
  Require(sizeof value, record);
  std::memcpy(&value, record.data(), sizeof value);
  record.remove_prefix(sizeof value);
  return value;
}
std::string GetText(std::string_view& record) {
  const auto size = Get<std::size_t>(record);
  Require(size, record);
  std::string text(record.substr(0, size));
  record.remove_prefix(size);
  return text;
}

}  // namespace

void ReportSpool::Add(const FrameReport& report) {
  record_.clear();
  Put(FrameFigures{.index = report.index,
                   .outcome = report.outcome,
                   .num_missing = static_cast<std::uint32_t>(report.missing.size()),
                   .num_notes = static_cast<std::uint32_t>(report.notes.size()),
                   .width = report.width,
                   .height = report.height,
                   .num_disparities = report.num_disparities,
                   .density_percent = report.density_percent,
                   .times = report.times,
                   .read_ms = report.read_ms,
                   .match_ms = report.match_ms,
                   .write_ms = report.write_ms,
                   .clouds = CloudFiguresOf(report)},
      record_);
  PutText(report.name, record_);
  PutText(report.error, record_);
  for (const auto* texts : {&report.missing, &report.notes}) {
    for (const std::string& text : *texts) PutText(text, record_);
  }
  records_.Add(record_);
}

void ReportSpool::Sort() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // index, position
  places.reserve(records_.size());
  records_.ForEach([&](std::uint64_t position, std::string_view record) {
    places.emplace_back(Get<FrameFigures>(record).index, position);
    return true;
  });
  order_.clear();
  if (std::is_sorted(places.begin(), places.end())) return;
  std::sort(places.begin(), places.end());
  for (const auto& [index, position] : places) order_.push_back(position);
}

void ReportSpool::ForEach(const Visit& visit) const {
  const auto tell = [&](std::string_view record) {
    const auto figures = Get<FrameFigures>(record);
    return visit(figures, record);
  };
  if (order_.empty())
    return records_.ForEach([&](std::uint64_t, std::string_view record) { return tell(record); });
  for (const std::uint64_t position : order_) {
    if (!tell(records_.At(position))) return;
  }
}

FrameReport ReportSpool::Read(const FrameFigures& figures, std::string_view texts) {
  FrameReport report{.name = GetText(texts),
                     .index = figures.index,
                     .outcome = figures.outcome,
                     .error = GetText(texts),
                     .width = figures.width,
                     .height = figures.height,
                     .num_disparities = figures.num_disparities,
                     .density_percent = figures.density_percent,
                     .times = figures.times,
                     .read_ms = figures.read_ms,
                     .match_ms = figures.match_ms,
                     .write_ms = figures.write_ms,
                     .details = figures.clouds};
  for (std::uint32_t i = 0; i < figures.num_missing; ++i) report.missing.push_back(GetText(texts));
  for (std::uint32_t i = 0; i < figures.num_notes; ++i) report.notes.push_back(GetText(texts));
  return report;
}

}  // namespace parallax::app
