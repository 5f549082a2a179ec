#include "app/eval/scored_frame.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/output/number_list.h"
#include "app/output/whole_number.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// Keys of the record; a figure of clouds has "cloud." before its own.
constexpr std::string_view kName = "name", kIndex = "index", kOutcome = "outcome", kReason = "reason",
                           kNumbers = "numbers", kTime = "time", kOnlyNonoccluded = "only_nonoccluded",
                           kNoCloud = "no_cloud", kErrors = "errors", kThumbnail = "thumbnail",
                           kPicture = "picture", kCloud = "cloud.";
constexpr std::string_view kOutcomes[] = {"scored", "skipped", "failed"};  // in the order of the enumerators

template <Of<ErrorAnalysis> S, typename Visit>
void VisitNumbers(S& s, Visit& visit) {
  VisitEach(s.errors, visit);
  visit(s.num_missing);
  for (auto& region : s.regions) {
    visit(region.wrong);
    visit(region.all);
  }
  const auto visit_bins = [&](auto& bins) {
    for (auto& bin : bins) {
      visit(bin.num_pixels);
      visit(bin.num_wrong);
      visit(bin.sum_error_px);
      visit(bin.sum_relative_depth_error);
    }
  };
  visit_bins(s.depths);
  visit_bins(s.disparities);
  VisitEach(s.confidence.right, visit);
  VisitEach(s.confidence.wrong, visit);
}

// "WIDTH HEIGHT LABEL ADDRESS"; a label has no space.
std::string PictureText(const PagePicture& picture) {
  return std::to_string(picture.width_px) + ' ' + std::to_string(picture.height_px) + ' ' + picture.label +
         ' ' + picture.address;
}
PagePicture PictureOf(std::string_view text) {
  std::array<std::string_view, 3> cells;
  for (std::string_view& cell : cells) {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) throw Error("a picture of a frame cannot be read");
    cell = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  return {std::string(cells[2]), std::string(text), ToInteger<int>(NumberFromText(cells[0])),
          ToInteger<int>(NumberFromText(cells[1]))};
}

}  // namespace

JournalRecord RecordOf(const ScoredFrame& frame) {
  JournalRecord record{kScoreRecord};
  record.Add(kName, frame.name).Add(kIndex, std::to_string(frame.index));
  record.Add(kOutcome, kOutcomes[static_cast<std::size_t>(frame.outcome)]);
  if (frame.outcome != ScoredFrame::Outcome::kScored) return record.Add(kReason, frame.reason);
  record.Add(kNumbers, NumbersText(frame.numbers));
  if (frame.time_ms) record.Add(kTime, NumbersText({*frame.time_ms}));
  if (frame.only_nonoccluded) record.Add(kOnlyNonoccluded, "1");
  for (const NamedScore& score : frame.cloud)
    record.Add(std::string(kCloud) + score.key, NumbersText({score.value}));
  if (!frame.why_no_cloud.empty()) record.Add(kNoCloud, frame.why_no_cloud);
  if (frame.errors) {
    NumberWriter numbers;
    VisitNumbers(*frame.errors, numbers);
    record.Add(kErrors, NumbersText(numbers.numbers()));
  }
  if (frame.page) {
    record.Add(kThumbnail, PictureText(frame.page->thumbnail));
    for (const PagePicture& picture : frame.page->pictures) record.Add(kPicture, PictureText(picture));
  }
  return record;
}

ScoredFrame ScoredFrameOf(const JournalRecord& record) {
  ScoredFrame frame;
  frame.name = record.Get(kName);
  frame.index = ToInteger<std::size_t>(NumberFromText(record.Get(kIndex)));
  const auto* const outcome = std::find(std::begin(kOutcomes), std::end(kOutcomes), record.Get(kOutcome));
  if (outcome == std::end(kOutcomes))
    throw Error("frame " + frame.name + ": the stored scores have no outcome");
  frame.outcome = static_cast<ScoredFrame::Outcome>(outcome - std::begin(kOutcomes));
  frame.reason = record.Get(kReason);
  frame.numbers = ParseNumbers(record.Get(kNumbers));
  frame.only_nonoccluded = !record.Get(kOnlyNonoccluded).empty();
  frame.why_no_cloud = record.Get(kNoCloud);
  for (const auto& [key, value] : record.fields) {
    if (key == kTime) frame.time_ms = NumberFromText(value);
    if (key.starts_with(kCloud)) frame.cloud.Add(key.substr(kCloud.size()), NumberFromText(value));
    if (key == kErrors) {
      const FrameNumbers numbers = ParseNumbers(value);
      NumberReader reader(numbers);
      VisitNumbers(frame.errors.emplace(), reader);
      reader.End();
    }
    if (key != kThumbnail && key != kPicture) continue;
    if (!frame.page) frame.page.emplace().name = frame.name;
    if (key == kThumbnail) {
      frame.page->thumbnail = PictureOf(value);
    } else {
      frame.page->pictures.push_back(PictureOf(value));
    }
  }
  return frame;
}

}  // namespace parallax::app
