// parallax verify: makes the results of a run again, and says where they differ first.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/frames/run_folder.h"
#include "app/options/logging.h"
#include "app/output/error_text.h"
#include "app/output/output_files.h"
#include "app/run/run_once.h"
#include "config/backends.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/mcap_reader.h"
#include "datasets/formats/pfm.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/live/recording.h"
#include "parallax/error.h"
#include "pipeline/types/stage_differences.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  fs::path results;                 // the folder of a run, or a recording
  std::vector<std::string> source;  // empty = the run's own
  std::string rig;                  // empty = the run's own
  MatchingOptions matching;         // only the back end and the machine
  fs::path output;                  // of the second results; empty = RESULTS.verify
};

// What differs first.
struct Difference {
  std::string frame, text;
};

// The results that are compared, and how to make them again.
struct Stored {
  RunOptions run;                             // without output
  std::string version;                        // of the program that made them
  std::size_t num_frames = 0, num_parts = 0;  // files, or messages of a recording
};

std::string FirstLineOf(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  return text;
}

template <typename T>
std::string DifferenceOfImages(const std::string& name, const HostImage<T>& then, const HostImage<T>& now) {
  return FirstLineOf(DifferenceOf(name, then, now));
}
std::string DifferenceOfImages(const std::string& name, const HostImage<Rgb8>& then,
                               const HostImage<Rgb8>& now) {
  const auto packed = [](const HostImage<Rgb8>& image) {
    HostImage<std::uint32_t> values(image.width(), image.height());
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const Rgb8 color = image(x, y);
        values(x, y) = color.r << 16 | color.g << 8 | color.b;
      }
    }
    return values;
  };
  return DifferenceOfImages(name + " (colours as 0xRRGGBB)", packed(then), packed(now));
}

// The first difference of two files whose bytes differ. Images are compared by their pixels.
std::string DifferenceOfFiles(const std::string& name, const fs::path& then, const fs::path& now) {
  std::string text;
  if (name.ends_with(".pfm")) {
    text = DifferenceOfImages(name, ReadPfm(then), ReadPfm(now));
  } else if (name.starts_with("disparity/")) {
    text = DifferenceOfImages(name, ReadDisparityPng(then), ReadDisparityPng(now));
  } else if (name.ends_with(".png")) {
    const CameraImage a = ReadImage(then), b = ReadImage(now);
    if (a.index() != b.index()) return name + ": another type of pixels";
    text = std::visit(
        [&](const auto& then_image) {
          const auto& now_image = std::get<std::remove_cvref_t<decltype(then_image)>>(b);
          return DifferenceOfImages(name, then_image, now_image);
        },
        a);
  } else {
    const FileBytes a = ReadFileBytes(then), b = ReadFileBytes(now);
    const auto first = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    text = fmt::format("{}: byte {} differs; {} bytes instead of {}", name, first, b.size(), a.size());
  }
  return text.empty() ? name + ": the same pixels, compressed in another way" : text;
}

// The options of the command that a folder's journal keeps.
RunOptions OptionsOf(const JournalRecord* command, const fs::path& folder) {
  std::vector<std::string> arguments;
  bool in_run = false, is_log_file = false;
  for (const auto& [key, argument] : command == nullptr ? JournalRecord{}.fields : command->fields) {
    if (in_run && !is_log_file && argument != "--verbose" && !argument.starts_with("--log-file"))
      arguments.push_back(argument);
    is_log_file = argument == "--log-file";
    in_run = in_run || argument == "run";
  }
  if (!in_run) {
    throw Error(folder.string() +
                ": its journal does not hold the command of the run, because an older version wrote it: run "
                "it again with this version");
  }
  RunOptions options;
  CLI::App parser;
  AddRunOptions(parser, options);
  std::reverse(arguments.begin(), arguments.end());
  try {
    parser.parse(arguments);
  } catch (const CLI::Error& error) {
    throw Error(folder.string() + ": this version does not know the command that made it: " + error.what());
  }
  return options;
}

fs::path ResultsIn(const fs::path& scratch) { return scratch / "results"; }

class FolderOfRun {
 public:
  static constexpr std::string_view kParts = "files";

  explicit FolderOfRun(fs::path folder) : folder_(std::move(folder)) {
    const JournalRecord* command = nullptr;
    std::string shard;
    if (!fs::exists(folder_ / kJournalName))
      throw Error(folder_.string() + ": is not the folder of a run: it holds no " +
                  std::string(kJournalName));
    records_ = ReadJournal(folder_ / kJournalName);
    for (const JournalRecord& record : records_) {
      if (record.kind == kCommandRecord) command = &record;
      if (record.kind == kRunRecord) {
        stored_.version = record.Get(kVersionKey);
        shard = record.Get(kShardOption);
      }
      if (std::optional<NamedResult> result = FinishedResultOf(record))
        finished_[result->name] = std::move(result->result);
    }
    if (finished_.empty()) throw Error(folder_.string() + ": holds no finished frame: nothing to verify");
    stored_.run = OptionsOf(command, folder_);
    if (!shard.empty()) stored_.run.shard = ParseShard(shard);  // a merged folder has none
    std::set<std::string> outputs;
    if (stored_.run.rig_follow) stored_.run.turns.emplace();
    for (const auto& [name, result] : finished_) {
      if (const auto turn = ParseTurn(result.Get(kTurnKey)); turn && stored_.run.turns)
        stored_.run.turns->emplace(name, *turn);
      for (const ResultFile& file : result.files) {
        const fs::path path(file.path);
        const std::string kind = *path.begin();
        outputs.insert(path.extension() == ".pcd" ? "pcd" : kind);
        ++stored_.num_parts;
        if (ContentOf(folder_ / path) != file.content) {
          throw Error(fmt::format("{}: is not as the run wrote it: it is damaged, or was changed later",
                                  (folder_ / path).string()));
        }
      }
    }
    if (stored_.num_parts == 0)
      throw Error(folder_.string() + ": holds no files of frames: nothing to verify");
    stored_.num_frames = finished_.size();
    stored_.run.outputs.assign(outputs.begin(), outputs.end());
    stored_.run.matching.assignments.clear();  // parameters.yaml includes them
    stored_.run.record = {};
    stored_.run.matching.config = (folder_ / "parameters.yaml").string();
  }

  const Stored& stored() const { return stored_; }

  std::optional<Difference> CompareWith(const fs::path& scratch) const {
    const fs::path again = ResultsIn(scratch);
    for (const auto& [name, result] : finished_) {
      for (const ResultFile& file : result.files) {
        if (!fs::exists(again / file.path)) return Difference{name, file.path + ": was not made again"};
        if (ContentOf(again / file.path) == file.content &&
            ReadFileBytes(folder_ / file.path) == ReadFileBytes(again / file.path))
          continue;
        return Difference{name, DifferenceOfFiles(file.path, folder_ / file.path, again / file.path)};
      }
    }
    return std::nullopt;
  }

 private:
  fs::path folder_;
  std::vector<JournalRecord> records_;
  std::map<std::string, FinishedResult> finished_;
  Stored stored_;
};

// The messages of a recording, except the text of its parameters, which is not compared.
class RecordedMessages {
 public:
  explicit RecordedMessages(const fs::path& file) : reader_(file) {}

  struct Message {
    std::string topic, type;
    McapMessage content;
  };
  std::optional<Message> Next() {
    while (const std::optional<McapMessage> message = reader_.Next()) {
      const McapChannel& channel = reader_.channels().at(message->channel);
      if (channel.topic == kFrameTopic) frame_ = ParseRecordedFrame(DecodeText(message->data)).name;
      if (channel.topic == kParametersTopic) {
        parameters_ = DecodeText(message->data);
        continue;
      }
      if (channel.topic == kRigTopic) continue;  // of a camera's frames, those that there was time for
      return Message{channel.topic, reader_.schemas().at(channel.schema_id).name, *message};
    }
    return std::nullopt;
  }
  const std::string& frame() const { return frame_; }            // of the last message
  const std::string& parameters() const { return parameters_; }  // once they were read
  const McapReader& reader() const { return reader_; }

 private:
  McapReader reader_;
  std::string frame_, parameters_;
};

class Recording {
 public:
  static constexpr std::string_view kParts = "messages";

  // scratch: a folder for the text of its parameters.
  Recording(fs::path file, const fs::path& scratch) : file_(std::move(file)) {
    RecordedMessages messages(file_);
    std::set<std::string> topics;
    while (const auto message = messages.Next()) {
      ++stored_.num_parts;
      topics.insert(message->topic);
      if (message->topic == kRightImageTopic) ++stored_.num_frames;
    }
    const std::string& parameters = messages.parameters();
    if (parameters.empty()) {
      throw Error(file_.string() +
                  ": does not hold the parameters of its results: another program or an older version wrote "
                  "it; match it with `parallax run`");
    }
    constexpr std::string_view kVersionMark = "; parallax ";
    const std::size_t version = parameters.find(kVersionMark);
    if (version < parameters.find('\n'))
      stored_.version = FirstLineOf(parameters.substr(version + kVersionMark.size()));
    fs::create_directories(scratch);
    const fs::path config = scratch / "parameters.yaml";
    WriteTextFile(config, parameters);
    RunOptions& run = stored_.run;
    run.source = {file_.string()};
    run.matching.config = config.string();
    run.matching.assignments = {"live.decimation=1"};  // recorded images are already reduced
    run.outputs = {"pfm"};
    run.rig_watch = 0;
    run.show_filled = parameters.find("--show-filled yes") != std::string::npos;
    run.record.file = RecordedAgain(scratch).string();
    for (std::size_t i = 0; i < std::size(kRecordedOutputNames); ++i) {
      if (topics.contains(std::string(TopicOf(static_cast<RecordedOutput>(i)))))
        run.record.outputs.emplace_back(kRecordedOutputNames[i]);
    }
  }

  const Stored& stored() const { return stored_; }

  std::optional<Difference> CompareWith(const fs::path& scratch) const {
    RecordedMessages then(file_), now(RecordedAgain(scratch));
    while (true) {
      const auto a = then.Next(), b = now.Next();
      if (!a && !b) return std::nullopt;
      const std::string& frame = a ? then.frame() : now.frame();
      if (!a || !b) return Difference{frame, "the recordings have different numbers of messages"};
      if (a->topic != b->topic || a->content.time_ns != b->content.time_ns)
        return Difference{frame, fmt::format("{} instead of {}, or different times", b->topic, a->topic)};
      const auto& [old_data, new_data] = std::pair(a->content.data, b->content.data);
      const auto first = std::mismatch(old_data.begin(), old_data.end(), new_data.begin(), new_data.end());
      if (first.first == old_data.end() && first.second == new_data.end()) continue;
      return Difference{frame, fmt::format("{}: byte {} of {} of the message differs", a->topic,
                                           first.first - old_data.begin(), old_data.size())};
    }
  }

 private:
  static fs::path RecordedAgain(const fs::path& scratch) { return scratch / "again.mcap"; }

  fs::path file_;
  Stored stored_;
};

// The first stage in which this back end and the reference differ on that frame.
std::string StageText(RunOptions run, const std::string& frame, std::string_view backend) {
  if (backend == "reference") return "the reference of this version makes these values";
  std::string text;
  run.observe = [&](const MatchedFrame& matched) {
    if (matched.frame.name != frame || !text.empty()) return;
    const CameraImageView left = ViewOf(matched.frame.left), right = ViewOf(matched.frame.right);
    const MatcherOptions options{.width = WidthOf(left), .height = HeightOf(left)};
    StageResults stages[2];
    const std::string_view names[] = {"reference", backend};
    for (int i = 0; i < 2; ++i) {
      DisparityMap map;
      MakeMatcher(names[i], matched.parameters, options)->Compute(left, right, map, nullptr, &stages[i]);
    }
    const std::string difference = FirstLineOf(DifferenceOf(stages[0], stages[1]));
    text = difference.empty()
               ? fmt::format("here {} and the reference agree in every stage", backend)
               : fmt::format("here {} and the reference differ first in {}", backend, difference);
  };
  run.used_folder.overwrite = true;
  run.record.file.clear();
  RunOnce(run);
  return text.empty() ? "the frame was not matched again" : text;
}

template <typename Results>
void Verify(const VerifyOptions& options, const Results& results, const fs::path& scratch) {
  const Stored& stored = results.stored();
  RunOptions run = stored.run;
  run.matching = options.matching;
  run.matching.config = stored.run.matching.config;
  run.matching.assignments = stored.run.matching.assignments;
  if (!options.source.empty()) run.source = options.source;
  if (!options.rig.empty()) run.rig.rig = options.rig;
  const std::string& first = run.source.front();
  if (first.starts_with("camera:") || first.starts_with("gst:") || first.starts_with("ros2:")) {
    throw Error(options.results.string() +
                ": a camera's frames cannot be read again: verify a recording of them (run --record)");
  }
  run.output = ResultsIn(scratch);
  run.used_folder = {};
  run.view = run.check = false;
  run.ros2.clear();
  const std::string_view backend =
      ResolveBackend(run.matching.backend, run.matching.Load().parameters.method);
  // If frames lack some outputs, the second run ends with the same error as the first one.
  std::exception_ptr failure;
  try {
    RunOnce(run);
  } catch (const Error&) {
    failure = std::current_exception();
  }
  std::optional<Difference> difference;
  try {
    difference = results.CompareWith(scratch);
  } catch (const Error&) {
    if (!failure) throw;
    difference.emplace();
  }
  if (difference && failure) std::rethrow_exception(failure);
  const std::string name = Printable(options.results.string());
  if (!difference) {
    std::error_code error;
    fs::remove_all(scratch, error);
    fmt::print("{}: {} frame{}, {} {}: the same bytes (made by parallax {}, verified by {} on {})\n", name,
               stored.num_frames, stored.num_frames == 1 ? "" : "s", stored.num_parts, Results::kParts,
               Printable(stored.version), ThisBuild().version, backend);
    return;
  }
  std::string text = fmt::format("{}: frame {} differs: {}; {}", options.results.string(), difference->frame,
                                 difference->text, StageText(run, difference->frame, backend));
  if (stored.version != ThisBuild().version) {
    text += fmt::format("; parallax {} made it, and this is {}: verify with that version", stored.version,
                        ThisBuild().version);
  }
  throw Error(text + "; the second results are in " + scratch.string());
}

void Verify(const VerifyOptions& options) {
  fs::path scratch = options.output;
  if (scratch.empty()) {
    const fs::path results = options.results.has_filename() ? options.results : options.results.parent_path();
    scratch = results.string() + ".verify";
  }
  std::error_code error;
  if (fs::exists(scratch, error)) {
    throw InvalidArgument(scratch.string() +
                          ": exists: remove it, or name another folder for the second results with --output");
  }
  if (fs::is_directory(options.results, error)) return Verify(options, FolderOfRun(options.results), scratch);
  Verify(options, Recording(options.results, scratch), scratch);
}

}  // namespace

void AddVerifyCommand(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "Make the results of a run again and compare every byte");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("results", options->results, "The folder of a run, or its recording (FILE.mcap)")
      ->type_name("RESULTS")
      ->required();
  command
      ->add_option(
          "source", options->source,
          "Where the frames are now, as `run` takes it; default: where the run found them, read from "
          "the current folder")
      ->type_name("SOURCE");
  command->add_option("--rig", options->rig, "Where the calibration of the run's --rig is now")
      ->type_name("FILE");
  command->add_option("--backend", options->matching.backend, "auto, cuda, cpu or reference")
      ->capture_default_str();
  AddMachineOptions(*command, options->matching);
  command
      ->add_option("-o,--output", options->output,
                   "Folder for the second results, removed if they are the same; default: RESULTS.verify")
      ->type_name("DIR");
  command->callback([options] { Verify(*options); });
}

}  // namespace parallax::app
