// Options of `parallax run`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/frames/recorder.h"
#include "app/frames/run_clouds.h"
#include "app/options/matching_options.h"
#include "app/options/named_rig.h"
#include "app/output/result_folder.h"
#include "app/team/shard.h"
#include "datasets/live/live_options.h"

namespace parallax::app {

struct RunOptions {
  std::vector<std::string> source;  // as OpenSource takes it
  std::string kind;                 // of the source; empty = recognise it
  MatchingOptions matching;
  RigOptions rig;
  std::filesystem::path output = "out";
  std::vector<std::string> outputs;  // names of what to write; empty = the usual ones
  UsedFolder used_folder;            // what becomes of results that are there
  std::string cloud_clean;           // as RunClouds takes it; empty = not cleaned
  RecordOptions record;
  LiveOptions live;
  bool check = true;  // look at the first frames for what makes results worthless
  bool view = false;  // show the frames in a window
  std::vector<int> view_size_px = {1440, 900};
  std::filesystem::path
      view_state_file;  // the state of the window, for programs that control it; empty = none
  std::optional<std::size_t> max_frames;
  std::string shard_text;        // as ParseShard takes it; empty = all frames
  std::optional<Shard> shard{};  // that one, whose folder `output` is then
  int num_in_flight = 0;         // 0 = what suits the back end
};

// Declares the options. options must outlive the parsing.
void AddRunOptions(CLI::App& command, RunOptions& options);

}  // namespace parallax::app
