#include "app/eval/score_folder.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "app/build_info.h"
#include "app/output/number_list.h"
#include "app/output/whole_number.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = "parallax", kShard = "--shard", kDataset = "dataset",
                           kSource = "source", kEstimates = "--estimates", kBackend = "backend",
                           kConfig = "--config", kParameters = "parameters", kMetric = "metric",
                           kClouds = "--cloud", kCloudBackend = "cloud backend", kLimits = "depths",
                           kReport = "--report", kFrameName = "name", kMaxFrames = "--max-frames";

fs::path MadeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(folder.string() + ": cannot be made: " + error.message() + ": choose another --scores");
  return folder / kScoresName;
}

// "thresholds... | k emd_points seed emd_gap"
std::string TextOfClouds(const CloudScoreOptions& clouds) {
  if (!clouds.enabled) return "";
  return NumbersText(clouds.thresholds_m) + "|" +
         NumbersText({static_cast<double>(clouds.k), static_cast<double>(clouds.emd_points),
                      static_cast<double>(clouds.seed), clouds.emd_gap});
}
CloudScoreOptions CloudOptionsOf(std::string_view text) {
  CloudScoreOptions clouds;
  const std::size_t bar = text.find('|');
  if (bar == std::string_view::npos) return clouds;
  clouds.enabled = true;
  clouds.thresholds_m = ParseNumbers(text.substr(0, bar));
  const std::vector<double> others = ParseNumbers(text.substr(bar + 1));
  if (others.size() != 4) throw Error("another version wrote the scores of clouds: make them again");
  clouds.k = ToInteger<int>(others[0]);
  clouds.emd_points = ToInteger<std::int64_t>(others[1]);
  clouds.seed = ToInteger<std::uint64_t>(others[2]);
  clouds.emd_gap = others[3];
  return clouds;
}

}  // namespace

JournalRecord RecordOf(const EvalDescription& description, const EvalOptions& options) {
  const EvalSubject& subject = description.subject;
  JournalRecord record{kEvalRecord};
  record.Add(kVersion, ThisBuild().version).Add(kShard, options.shard ? options.shard->Text() : "");
  record.Add(kDataset, subject.dataset).Add(kSource, subject.source).Add(kEstimates, subject.estimates);
  record.Add(kBackend, subject.backend).Add(kConfig, subject.config).Add(kParameters, subject.parameters);
  for (const Metric metric : description.metrics) record.Add(kMetric, NameOf(metric));
  record.Add(kClouds, TextOfClouds(description.clouds)).Add(kCloudBackend, description.cloud_backend);
  record.Add(kLimits, NumbersText({static_cast<double>(description.cloud_limits.min_depth_m),
                                   static_cast<double>(description.cloud_limits.max_depth_m)}));
  record.Add(kReport, description.report);
  record.Add("--rig", options.rig.rig + options.rig.RectificationText());
  record.Add("--uncertainty", options.uncertainty ? "1" : "");
  record.Add("--nearest", NumbersText({options.rig.nearest_m}));
  record.Add(kMaxFrames, options.max_frames ? std::to_string(*options.max_frames) : "");
  record.Add("--max-disparity",
             options.max_disparity_px ? NumbersText({static_cast<double>(*options.max_disparity_px)}) : "");
  record.Add("--round", options.round ? "1" : "").Add("--truth", options.truth.disparity);
  record.Add("--truth-scale", std::to_string(options.truth.scale));
  return record.Add("--truth-mask", options.truth.nonoccluded).Add("--objects", options.truth.objects);
}

EvalDescription EvalDescriptionOf(const JournalRecord& record) {
  EvalDescription description;
  const auto text = [&](std::string_view key) { return std::string(record.Get(key)); };
  description.subject = {text(kDataset), text(kSource), text(kEstimates),
                         text(kBackend), text(kConfig), text(kParameters)};
  for (const auto& [key, value] : record.fields) {
    if (key == kMetric) description.metrics.push_back(MetricNamed(value));
  }
  description.clouds = CloudOptionsOf(record.Get(kClouds));
  description.has_clouds = description.clouds.enabled;
  description.cloud_backend = text(kCloudBackend);
  const std::vector<double> limits = ParseNumbers(record.Get(kLimits));
  if (limits.size() != 2 || description.metrics.empty())
    throw Error("another version wrote the scores: make them again");
  description.cloud_limits.min_depth_m = static_cast<float>(limits[0]);
  description.cloud_limits.max_depth_m = static_cast<float>(limits[1]);
  description.report = text(kReport);
  return description;
}

std::string DifferenceOf(const JournalRecord& was, const JournalRecord& is, Compared compared) {
  const std::set<std::string_view> harmless{kShard, kBackend, kCloudBackend,
                                            compared == Compared::kShards ? kReport : kMaxFrames};
  const auto values = [&](const JournalRecord& record, std::string_view key) {
    std::string all;
    for (const auto& [k, value] : record.fields) {
      if (k == key) all += (all.empty() ? "" : ", ") + value;
    }
    if (all.empty()) return fmt::format("no {}", key);
    return key == kParameters ? std::string("other parameters") : fmt::format("{} {}", key, all);
  };
  for (const auto& [key, value] : is.fields) {
    if (harmless.contains(key)) continue;
    const std::string before = values(was, key), now = values(is, key);
    if (before != now) return fmt::format("{}, not {}", before, now);
    if (key == kParameters && was.Get(key) != value) return "other parameters";
  }
  return "";
}

ScoreFolder::ScoreFolder(const fs::path& folder, const UsedFolder& used, const JournalRecord& common)
    : journal_(MadeFolder(folder)) {
  const JournalRecord* before = nullptr;
  for (const JournalRecord& record : journal_.records()) {
    if (record.kind == kEvalRecord && before == nullptr) before = &record;
    if (record.kind == kScoreRecord && ScoredFrameOf(record).outcome == ScoredFrame::Outcome::kScored)
      before_[std::string(record.Get(kFrameName))] = record;
  }
  if (!before_.empty() && !used.resume && !used.overwrite) {
    throw InvalidArgument(folder.string() +
                          ": holds scores already: name another --scores, replace them with --overwrite, or "
                          "continue with --resume");
  }
  if (used.resume && before != nullptr && !before_.empty()) {
    std::string difference = DifferenceOf(*before, common, Compared::kGoesOn);
    if (difference.empty() && before->Get(kShard) != common.Get(kShard))
      difference = fmt::format("shard '{}', not '{}'", before->Get(kShard), common.Get(kShard));
    if (!difference.empty()) {
      throw InvalidArgument(fmt::format(
          "{}: the scores there were made with {}: use the same, another --scores, or --overwrite",
          folder.string(), difference));
    }
    // The records that follow are not closed by an end record yet.
    if (journal_.records().back().kind == kScoresEndRecord) journal_.Append({kScoresGoOnRecord});
    return;
  }
  before_.clear();
  journal_.Clear();
  journal_.Append(common);
}

std::optional<JournalRecord> ScoreFolder::Find(std::string_view name, std::string_view origin) const {
  const auto found = before_.find(name);
  if (found == before_.end() || origin.empty() || found->second.Get(kOriginKey) != origin)
    return std::nullopt;
  return found->second;
}

void ScoreFolder::End(bool interrupted, const std::string& all_names) {
  journal_.Append(JournalRecord{kScoresEndRecord}
                      .Add("interrupted", interrupted ? "1" : "0")
                      .Add(kAllNamesKey, all_names));
}

}  // namespace parallax::app
