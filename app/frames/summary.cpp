#include "app/frames/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string_view>
#include <utility>

#include "app/build_info.h"
#include "app/options/live_source_options.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "datasets/system/atomic_file.h"
#include "pipeline/calibration/vectors.h"

namespace parallax::app {
namespace {

struct Timing {
  std::string_view name;
  double mean_ms = 0, median_ms = 0;
};

Timing TimingOf(std::string_view name, std::vector<double> ms) {
  if (ms.empty()) return {name};
  std::sort(ms.begin(), ms.end());
  double sum = 0;
  for (const double value : ms) sum += value;
  const std::size_t half = ms.size() / 2;
  const double median = ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2;
  return {name, sum / static_cast<double>(ms.size()), median};
}

// The times of reading, each stage, matching as a whole and writing, over the frames that are done. One after
// the other, as each needs the times of all frames in memory.
std::vector<Timing> TimingsOf(const ReportSpool& frames) {
  std::vector<Timing> timings;
  const auto add = [&](std::string_view name, const std::function<double(const FrameFigures&)>& ms_of,
                       bool only_if_any) {
    std::vector<double> ms;
    bool any = !only_if_any;
    frames.ForEach([&](const FrameFigures& frame, std::string_view) {
      if (frame.outcome == FrameOutcome::kDone) ms.push_back(ms_of(frame));
      any = any || ms_of(frame) > 0;
      return true;
    });
    if (any) timings.push_back(TimingOf(name, std::move(ms)));
  };
  add(
      "read", [](const FrameFigures& frame) { return frame.read_ms; }, false);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Stage::kCount); ++i) {
    // With frames in flight single stages are not timed.
    add(
        kStageNames[i], [i](const FrameFigures& frame) { return frame.times.ms[i]; }, true);
  }
  add(
      "match", [](const FrameFigures& frame) { return frame.match_ms; }, false);
  add(
      "write", [](const FrameFigures& frame) { return frame.write_ms; }, false);
  // Parts of writing; listed only if they took time.
  add(
      "cloud_clean", [](const FrameFigures& frame) { return frame.clouds.clean_ms; }, true);
  add(
      "density", [](const FrameFigures& frame) { return frame.clouds.density_ms; }, true);
  return timings;
}

// Notes that differ only in their numbers.
struct NoteGroup {
  std::string kind;  // the note without digits
  std::string first_frame, note;
  std::size_t num_frames = 0;
};

std::vector<NoteGroup> GroupNotes(const ReportSpool& frames) {
  std::vector<NoteGroup> groups;
  frames.ForEach([&](const FrameFigures& figures, std::string_view texts) {
    if (figures.num_notes == 0) return true;
    const FrameReport frame = ReportSpool::Read(figures, texts);
    for (const std::string& note : frame.notes) {
      std::string kind = note;
      std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
      auto group =
          std::find_if(groups.begin(), groups.end(), [&](const NoteGroup& g) { return g.kind == kind; });
      if (group == groups.end()) group = groups.insert(groups.end(), {kind, frame.name, note});
      ++group->num_frames;
    }
    return true;
  });
  return groups;
}

// How much cleaning took away; empty if clouds were not cleaned.
std::string CleaningText(const ReportSpool& frames) {
  std::size_t num_points = 0, num_removed = 0;
  frames.ForEach([&](const FrameFigures& frame, std::string_view) {
    num_points += frame.clouds.num_points, num_removed += frame.clouds.num_points_removed;
    return true;
  });
  if (num_points == 0) return "";
  return fmt::format("  clouds cleaned: {} of {} points removed ({:.2f} %)\n", WithThousands(num_removed),
                     WithThousands(num_points),
                     100.0 * static_cast<double>(num_removed) / static_cast<double>(num_points));
}

std::string DriftText(const RigDrift& drift) {
  std::string text = fmt::format(
      "  rig: right camera turned by {:.3f}, {:.3f}, {:.3f} degrees (+- {:.3f}, {:.3f}, {:.3f}) about x, y, "
      "z since the calibration (y: since the run began); rows differ by {:.2f} px",
      kDegreesPerRadian * drift.turn[0], kDegreesPerRadian * drift.turn[1], kDegreesPerRadian * drift.turn[2],
      kDegreesPerRadian * drift.sigma[0], kDegreesPerRadian * drift.sigma[1],
      kDegreesPerRadian * drift.sigma[2], drift.rows_px);
  if (drift.corrected != RightTurn_urad{}) {
    const Vector3 corrected = RotationVectorOf(drift.corrected);
    text += fmt::format("; {:.3f} about x and {:.3f} about z are corrected in the images",
                        kDegreesPerRadian * corrected.x, kDegreesPerRadian * corrected.z);
  }
  return text + '\n';
}

OrderedJson DriftJson(const RigDrift& drift) {
  OrderedJson json = {{"num_frames", drift.num_frames}};
  if (drift.num_frames == 0) return json;
  const auto in_degrees = [](auto angles) {
    for (double& angle : angles) angle *= kDegreesPerRadian;
    return angles;
  };
  json["turn_deg"] = in_degrees(drift.turn);
  json["turn_sigma_deg"] = in_degrees(drift.sigma);
  const Vector3 corrected = RotationVectorOf(drift.corrected);
  json["corrected_deg"] = {kDegreesPerRadian * corrected.x, 0, kDegreesPerRadian * corrected.z};
  json.update({{"rows_px", drift.rows_px},
               {"corner_rows_px", drift.corner_px},
               {"shift_px", drift.shift_px},
               {"depth_error_at_5_m_percent", 100 * drift.depth_error},
               {"depth_error_sigma_percent", 100 * drift.depth_sigma}});
  return json;
}

OrderedJson FrameJson(const FrameReport& frame) {
  OrderedJson json = {{"name", frame.name}, {"outcome", NameOf(frame.outcome)}};
  if (frame.outcome == FrameOutcome::kSkipped) json["reason"] = "already there";
  if (frame.outcome == FrameOutcome::kFailed) json["reason"] = frame.error;
  if (frame.outcome != FrameOutcome::kDone) return json;
  json.update({{"width", frame.width},
               {"height", frame.height},
               {"num_disparities", frame.num_disparities},
               {"density_percent", frame.density_percent},
               {"read_ms", frame.read_ms},
               {"match_ms", frame.match_ms},
               {"write_ms", frame.write_ms}});
  const CloudFigures clouds = CloudFiguresOf(frame);
  if (clouds.num_points > 0) {
    json.update({{"num_points", clouds.num_points},
                 {"num_points_removed", clouds.num_points_removed},
                 {"cloud_clean_ms", clouds.clean_ms}});
  }
  if (clouds.density_ms > 0) json["density_ms"] = clouds.density_ms;
  if (!frame.missing.empty()) json["missing"] = frame.missing;
  if (!frame.notes.empty()) json["notes"] = frame.notes;
  return json;
}

}  // namespace

std::string LatencyText(const LatencyHistogram& latency) {
  return fmt::format("from capture to result: median {:.1f} ms, 99 % {:.1f} ms, longest {:.1f} ms",
                     latency.Quantile_ms(0.5), latency.Quantile_ms(0.99), latency.longest_ms());
}

std::string RigText(const RigDrift& drift) {
  if (drift.num_frames == 0) return "rig: not measured yet";
  return fmt::format(
      "rig turned by {:.3f}, {:.3f}, {:.3f} deg (+- {:.3f}), rows {:.2f} px",
      kDegreesPerRadian * drift.turn[0], kDegreesPerRadian * drift.turn[1], kDegreesPerRadian * drift.turn[2],
      kDegreesPerRadian * *std::max_element(drift.sigma.begin(), drift.sigma.end()), drift.rows_px);
}

std::string RigJson(const RigDrift& drift) { return DriftJson(drift).dump(); }

std::string_view NameOf(FrameOutcome outcome) {
  switch (outcome) {
    case FrameOutcome::kDone:
      return "done";
    case FrameOutcome::kSkipped:
      return "skipped";
    case FrameOutcome::kDropped:
      return "dropped";
    case FrameOutcome::kFailed:
      break;
  }
  return "failed";
}

void RunSummary::Add(const FrameReport& report) {
  ++num_of_[static_cast<std::size_t>(report.outcome)];
  if (!report.missing.empty()) ++num_incomplete_;
  frames_.Add(report);
}

void RunSummary::SetRange(const StereoRig& rig, const Parameters& parameters) {
  const int num_disparities = parameters.matching_cost.num_disparities;
  const double largest_px = parameters.matching_cost.min_disparity + num_disparities - 1 + rig.doffs_px;
  const double nearest_m = rig.fx_px * rig.baseline_m / largest_px;
  if (largest_px <= 0 || nearest_m <= nearest_m_) return;
  nearest_m_ = nearest_m;
  num_disparities_ = num_disparities;
}

void RunSummary::Finish(double elapsed_s, bool interrupted) {
  frames_.Sort();
  elapsed_s_ = elapsed_s;
  interrupted_ = interrupted;
}

std::optional<FrameReport> RunSummary::First(const std::function<bool(const FrameFigures&)>& test) const {
  std::optional<FrameReport> first;
  frames_.ForEach([&](const FrameFigures& figures, std::string_view texts) {
    if (test(figures)) first = ReportSpool::Read(figures, texts);
    return !first;
  });
  return first;
}

std::optional<FrameReport> RunSummary::FirstFailed() const {
  return First([](const FrameFigures& frame) { return frame.outcome == FrameOutcome::kFailed; });
}

std::optional<FrameReport> RunSummary::FirstIncomplete() const {
  return First([](const FrameFigures& frame) { return frame.num_missing > 0; });
}

double RunSummary::FramesPerSecond() const {
  return elapsed_s_ > 0 ? static_cast<double>(Count(FrameOutcome::kDone)) / elapsed_s_ : 0.0;
}

std::string RunSummary::Text() const {
  const std::size_t num_done = Count(FrameOutcome::kDone);
  std::string text = fmt::format("{} frame{}: {} done, {} skipped, {} failed", frames_.size(),
                                 frames_.size() == 1 ? "" : "s", num_done, Count(FrameOutcome::kSkipped),
                                 Count(FrameOutcome::kFailed));
  if (num_dropped() > 0) text += fmt::format(", {} more dropped, for newer ones", num_dropped());
  text += fmt::format("; {:.2f} s, {:.2f} frames/s, back end {}\n", elapsed_s_, FramesPerSecond(),
                      description_.backend);
  if (const std::string live = live_ ? LiveText(*live_) : ""; !live.empty()) text += "  " + live + '\n';
  if (num_done == 0) return text;
  text += fmt::format("  {:<18}{:>10}{:>10}\n", "ms per frame", "mean", "median");
  for (const Timing& timing : TimingsOf(frames_)) {
    // If frames are matched in parallel, this is longer than the share of one frame.
    const std::string_view name = timing.name == "match" ? "match (latency)" : timing.name;
    text += fmt::format("  {:<18}{:>10.2f}{:>10.2f}\n", name, timing.mean_ms, timing.median_ms);
  }
  text += fmt::format("  {:<18}{:>10.2f}\n", "one frame every", 1e3 / FramesPerSecond());
  if (latency_.size() > 0) text += "  " + LatencyText(latency_) + '\n';
  if (drift_ && drift_->num_frames > 0) text += DriftText(*drift_);
  if (nearest_m_ > 0) {
    text += fmt::format("  nearest distance {:.3g} m, with {} disparities: --nearest METRES changes it\n",
                        nearest_m_, num_disparities_);
  }
  text += CleaningText(frames_);
  for (const NoteGroup& group : GroupNotes(frames_)) {
    text += fmt::format("  {}: {}", group.first_frame, group.note);
    if (group.num_frames > 1) text += fmt::format(" (and {} more, see summary.json)", group.num_frames - 1);
    text += '\n';
  }
  return text;
}

void RunSummary::WriteJson(const std::filesystem::path& file) const {
  AtomicFile json(file);
  WriteJson(json.stream());
  json.Commit();
}

void RunSummary::WriteJson(std::ostream& stream) const {
  OrderedJson json = {{"program", "parallax " + std::string(ThisBuild().version)},
                      {"source", description_.source},
                      {"kind", description_.kind},
                      {"backend", description_.backend},
                      {"config", description_.config},
                      {"set", description_.assignments},
                      {"outputs", description_.outputs},
                      {"rig", description_.rig},
                      {"cloud_clean", description_.cloud_clean},
                      {"num_frames", frames_.size()},
                      {"num_done", Count(FrameOutcome::kDone)},
                      {"num_skipped", Count(FrameOutcome::kSkipped)},
                      {"num_failed", Count(FrameOutcome::kFailed)},
                      {"num_dropped", num_dropped()},
                      {"num_incomplete", num_incomplete()}};
  if (live_) {
    json["live"] = {{"num_pairs", live_->num_pairs},
                    {"num_late", live_->num_late},
                    {"num_unpaired_left", live_->num_unpaired[0]},
                    {"num_unpaired_right", live_->num_unpaired[1]},
                    {"num_damaged", live_->num_damaged},
                    {"num_losses", live_->num_losses},
                    {"num_reopened", live_->num_reopened},
                    {"lost_s", live_->lost_s}};
    if (latency_.size() > 0) {
      OrderedJson& latency = json["live"]["latency_ms"];
      latency = {{"mean", latency_.mean_ms()},
                 {"median", latency_.Quantile_ms(0.5)},
                 {"percent_99", latency_.Quantile_ms(0.99)},
                 {"longest", latency_.longest_ms()},
                 {"histogram", OrderedJson::array()}};
      for (const auto& [up_to_ms, count] : latency_.Counts())
        latency["histogram"].push_back({{"up_to", up_to_ms}, {"count", count}});
    }
  }
  if (!warning_.empty()) json["warning"] = warning_;
  if (drift_) json["rig_watch"] = DriftJson(*drift_);
  json["interrupted"] = interrupted_;
  json["elapsed_s"] = elapsed_s_;
  json["frames_per_s"] = FramesPerSecond();
  OrderedJson times = OrderedJson::object();
  for (const Timing& timing : TimingsOf(frames_))
    times[timing.name] = {{"mean", timing.mean_ms}, {"median", timing.median_ms}};
  if (!times.empty()) json["ms"] = std::move(times);
  // The frames, which may be millions, follow one by one.
  std::string head = JsonText(json);
  head.erase(head.rfind("\n}"));
  stream << head << ",\n  \"frames\": [";
  std::string_view between = "\n    ";
  frames_.ForEach([&](const FrameFigures& figures, std::string_view texts) {
    std::string text = JsonText(FrameJson(ReportSpool::Read(figures, texts)));
    text.pop_back();
    stream << between;
    for (const char c : text) c == '\n' ? stream << "\n    " : stream << c;
    between = ",\n    ";
    return true;
  });
  stream << (frames_.size() > 0 ? "\n  ]\n}\n" : "]\n}\n");
}

}  // namespace parallax::app
