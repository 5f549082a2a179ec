#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/build_info.h"
#include "app/commands.h"
#include "app/output/error_text.h"
#include "app/output/result_folder.h"
#include "datasets/layouts/kitti_layout_writer.h"
#include "datasets/synthetic/spec.h"
#include "datasets/synthetic/synthetic_source.h"
#include "datasets/system/atomic_file.h"

namespace parallax::app {
namespace {

struct SynthOptions {
  std::string scene;
  std::string output;
  std::string layout = "kitti2015";
  UsedFolder used_folder{.has_resume = false};
  std::map<std::string, std::string> keys;  // given as options: --width 640 is width=640
};

// The scene's spec; KITTI 2015's images are colour unless something else was asked for.
std::string SpecOf(const SynthOptions& options) {
  std::string scene = options.scene, keys;
  if (const std::size_t comma = scene.find(','); comma != std::string::npos) {
    keys = scene.substr(comma);
    scene.resize(comma);
  }
  for (const auto& [key, value] : options.keys) {
    if (!value.empty()) keys += fmt::format(",{}={}", key, value);
  }
  const bool is_chosen =
      keys.find(",color=") != std::string::npos || keys.find(",bits=") != std::string::npos;
  if (options.layout == "kitti2015" && !is_chosen) keys += ",color=1";
  return scene + keys;
}

void RunSynth(const SynthOptions& options) {
  SourceOptions source_options;
  source_options.with_truth = true;
  const auto source = OpenSyntheticSource(SpecOf(options), source_options);
  const SourceKind layout = options.layout == "kitti2012" ? SourceKind::kKitti2012 : SourceKind::kKitti2015;
  std::vector<ResultPlace> places;
  for (const SourceKind any :
       {SourceKind::kKitti2012, SourceKind::kKitti2015}) {  // --overwrite may change it
    for (const std::string& folder : KittiLayoutWriter::Folders(any)) {
      places.push_back({folder, folder.find("/calib") == std::string::npos ? ".png" : ".txt"});
    }
  }
  ResultFolder folder(options.output, places, options.used_folder);
  folder.Begin(JournalRecord{}.Add("parallax", ThisBuild().version).Add("scene", SpecOf(options)));
  KittiLayoutWriter writer(options.output, layout);
  std::size_t num_frames = 0;
  for (; source->NextName(); ++num_frames) {
    const StereoFrame frame = source->Read();
    const std::vector<std::string> files = writer.FilesOf(frame);
    const WithoutWaitingForDisk journal_has_checksums;
    folder.Start(frame.name, files);
    writer.Write(frame);
    folder.Finish(frame.name, frame.origin, {}, files);
    fmt::print("{}\n", frame.name);
    std::fflush(stdout);
  }
  fmt::print("{} frame{} of {} in {}\n", num_frames, num_frames == 1 ? "" : "s", Printable(options.scene),
             Printable(options.output));
}

}  // namespace

void AddSynthCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("synth", "Write rendered scenes with exact truth as a data set in KITTI's layout");
  auto options = std::make_shared<SynthOptions>();
  std::string scenes = "The scene, with or without keys (SCENE,key=value...):";
  for (const auto& scene : synthetic::Scenes()) scenes += "\n" + scene.name + ": " + scene.meaning;
  command->add_option("SCENE", options->scene, scenes)->required();
  command->add_option("-o,--output", options->output, "Folder in which training/... is written")->required();
  AddOverwriteOption(*command, options->used_folder);
  command->add_option("--layout", options->layout, "kitti2015 (colour) or kitti2012 (gray)")
      ->check(CLI::IsMember({"kitti2015", "kitti2012"}))
      ->capture_default_str();
  for (const auto& key : synthetic::KeyHelp()) {
    command->add_option("--" + key.name, options->keys[key.name], key.meaning)->type_name("NUMBER");
  }
  command->callback([options] { RunSynth(*options); });
}

}  // namespace parallax::app
