#include "app/frames/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include "app/build_info.h"
#include "app/frames/report_record.h"
#include "app/options/resolved_parameters.h"
#include "app/output/command_line.h"
#include "app/output/output_files.h"
#include "app/session/input_text.h"
#include "config/parameter_text.h"
#include "config/uncertainty_text.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/live/recording.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// Keys of the journal.
constexpr std::string_view kLeftOpen = "left_open";
constexpr std::string_view kInput = kInputKey, kCalibrated = "calibrated", kDisparities = "disparities";

// Options that change results and are no parameters, and the lines of parameters.yaml that keep them.
struct KeptOption {
  std::string_view name, line;
};
constexpr KeptOption kKeptOptions[] = {{"--cloud-clean", "# clouds cleaned with --cloud-clean "},
                                       {"--rig", "# calibration given with --rig "},
                                       {"--show-filled", "# filled pixels shown, --show-filled "},
                                       {kShardOption, "# frames of --shard "}};

// The value of one of the run's options; empty = not given.
std::string ValueOf(std::string_view kept_option, const RunOptions& options) {
  if (kept_option == kShardOption) return options.shard ? options.shard->Text() : "";
  if (kept_option == "--rig") return options.rig.rig + options.rig.RectificationText();
  if (kept_option == "--show-filled") return options.show_filled ? "yes" : "";
  return options.cloud_clean;
}

// The number of disparities is compared frame by frame.
bool IsOfTheRun(const std::string& key) { return key != kNumDisparitiesKey; }

}  // namespace

RunFolder::RunFolder(const RunOptions& options, const ChosenParameters& chosen, const FrameWriter& writer,
                     ResultKeeper* other)
    : options_(options), chosen_(chosen), writer_(writer), keeper_(other) {
  if (other != nullptr) return;
  keeper_ = &folder_.emplace(options.output, FrameWriter::Places(), options.used_folder);
  if (folder_->goes_on()) CheckIsTheSame();
}

void RunFolder::CheckIsTheSame() const {
  const JournalRecord& before = folder_->before();
  const auto refuse = [&](const std::string& was, const std::string& is, const std::string& same) {
    throw InvalidArgument(fmt::format(
        "{}: the results there were made with {}, not {}: use {}, another --output, or --overwrite",
        options_.output.string(), was, is, same));
  };
  if (before.Get(kVersionKey) != ThisBuild().version) {
    refuse(fmt::format("parallax {}", before.Get(kVersionKey)), std::string(ThisBuild().version), "that one");
  }
  for (const KeptOption& option : kKeptOptions) {
    const std::string_view was = before.Get(option.name);
    const std::string is = ValueOf(option.name, options_);
    if (was == is) continue;
    const auto text = [&](std::string_view value) {
      return value.empty() ? "no " + std::string(option.name) : fmt::format("{} {}", option.name, value);
    };
    refuse(text(was), text(is), "the same");
  }
  const std::string with_config = "--config " + parameters_file().string();
  for (const std::string& key : ParameterKeys()) {
    const std::string is = ParameterText(chosen_.parameters, key);
    const std::string_view was = before.Get(key);
    if (IsOfTheRun(key) && was != is) refuse(fmt::format("{} {}", key, was), is, with_config);
  }
  if (before.Get(kUncertaintySection) != UncertaintyLine(chosen_.uncertainty)) {
    refuse("another table of uncertainty", "this one", with_config);
  }
  const std::string is = ParameterText(chosen_.parameters, kNumDisparitiesKey);
  const std::string key(kNumDisparitiesKey);
  const bool was_open = !before.Get(kLeftOpen).empty();
  if (!chosen_.IsChosen(kNumDisparitiesKey)) {
    if (!was_open) refuse(fmt::format("{} {}", key, before.Get(key)), "left to the data set", with_config);
    return;
  }
  for (const auto& [name, result] : folder_->finished()) {
    if (result.Get(kDisparities) != is)
      refuse(fmt::format("{} {}", key, result.Get(kDisparities)), is, with_config);
  }
}

void RunFolder::Begin() {
  if (!folder_) return;
  folder_->Begin(RunRecord());
  if (!folder_->goes_on()) {
    JournalRecord command{std::string(kCommandRecord)};
    for (const std::string& argument : CommandArguments()) command.Add(kArgumentKey, argument);
    folder_->Note(command);
  }
  writer_.MakeFolders();
  folder_->Watch(
      [this, chosen = ParameterText(chosen_.parameters, kNumDisparitiesKey)](const FinishedResult& result) {
        if (HasOtherDisparities(result, chosen)) disparities_differ_ = true;
      });
  WriteParameters(disparities_differ_);
}

bool RunFolder::IsDone(const std::string& name, std::string_view origin, const StereoFrame* frame) const {
  const std::optional<FinishedResult> result = keeper_->Find(name);
  if (!result) return false;
  if (frame == nullptr) {
    if (origin.empty() || result->origin != origin) return false;  // its pixels tell
  } else if (result->Get(kInput) != InputText(*frame)) {
    if (!IsAnyIntact(options_.output, *result)) return false;
    throw Error(fmt::format(
        "the results there were made from another input ({}): name another --output, or replace them "
        "with --overwrite",
        result->origin));
  }
  const bool calibrated = result->Get(kCalibrated) == "1";
  const std::vector<std::string> wanted = writer_.FilesOf(writer_.RequestedOutputs(calibrated), name);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& file) { return result->Covers(file); }) &&
         IsIntact(options_.output, *result);
}

void RunFolder::Start(const StereoFrame& frame) {
  keeper_->Take(
      StartRecord(frame.name, writer_.FilesOf(writer_.OutputsFor(frame.rig.has_value()), frame.name)));
}

void RunFolder::Finish(const StereoFrame& frame, const Parameters& parameters) {
  std::vector<std::pair<std::string, std::string>> made_of = {
      {std::string(kInput), InputText(frame)},
      {std::string(kCalibrated), frame.rig ? "1" : "0"},
      {std::string(kDisparities), ParameterText(parameters, kNumDisparitiesKey)}};
  if (options_.rig_follow && frame.seen) made_of.emplace_back(kTurnKey, TextOf(frame.seen->turn_urad));
  keeper_->Take(FinishRecord(options_.output, frame.name, frame.origin, made_of,
                             writer_.FilesOf(writer_.OutputsFor(frame.rig.has_value()), frame.name)));
}

void RunFolder::End() const {
  if (folder_ && disparities_differ_) WriteParameters(true);
}

// disparities_open: the number of disparities differed from frame to frame, so the file leaves it open too.
void RunFolder::WriteParameters(bool disparities_open) const {
  WriteTextFile(parameters_file(), ParametersText(disparities_open));
}

std::string RunFolder::ParametersText(bool disparities_open) const {
  std::set<std::string, std::less<>> left_open;
  if (disparities_open) left_open.insert(kNumDisparitiesKey);
  std::string text =
      "# Effective parameters of these results; parallax " + std::string(ThisBuild().version) + "\n";
  for (const KeptOption& option : kKeptOptions) {
    const std::string value = ValueOf(option.name, options_);
    if (!value.empty()) text.append(option.line).append(value).append("\n");
  }
  return text + ToYaml(chosen_.parameters, left_open) + UncertaintyYaml(chosen_.uncertainty);
}

JournalRecord RunFolder::RunRecord() const {
  JournalRecord common;
  common.Add(kVersionKey, ThisBuild().version);
  for (const KeptOption& option : kKeptOptions) common.Add(option.name, ValueOf(option.name, options_));
  for (const std::string& key : ParameterKeys()) common.Add(key, ParameterText(chosen_.parameters, key));
  common.Add(kUncertaintySection, UncertaintyLine(chosen_.uncertainty));
  if (!chosen_.IsChosen(kNumDisparitiesKey)) common.Add(kLeftOpen, kNumDisparitiesKey);
  return common;
}

bool HasOtherDisparities(const FinishedResult& result, std::string_view num_disparities) {
  return result.Get(kDisparities) != num_disparities;
}

std::string WithoutShard(const std::string& parameters_text) {
  std::string kept;
  for (const std::string_view line : SplitLines(parameters_text)) {
    if (!line.starts_with(std::end(kKeptOptions)[-1].line)) kept.append(line) += '\n';
  }
  return kept;
}

std::set<std::string, std::less<>> ReportedDone(const std::filesystem::path& folder) {
  std::set<std::string, std::less<>> names;
  std::error_code error;
  if (!std::filesystem::exists(folder / kJournalName, error)) return names;
  for (const JournalRecord& record : ReadJournal(folder / kJournalName)) {
    if (record.kind != kReportRecord) continue;
    const FrameReport report = FrameReportOf(record);
    if (report.outcome == FrameOutcome::kDone) names.insert(report.name);
  }
  return names;
}

}  // namespace parallax::app
