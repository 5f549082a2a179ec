// Options of `parallax run`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
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
#include "pipeline/calibration/rectifier.h"

namespace parallax::app {

// The camera turns that were corrected in frames, by the frames' names.
using TurnsOfFrames = std::map<std::string, RightTurn_urad, std::less<>>;

struct RunOptions {
  std::vector<std::string> source;  // as OpenSource takes it
  std::string kind;                 // of the source; empty = recognise it
  MatchingOptions matching;
  RigOptions rig;
  std::filesystem::path output = "out";
  std::vector<std::string> outputs;  // names of what to write; empty = the defaults
  UsedFolder used_folder;            // what to do with existing results
  std::string cloud_clean;           // as RunClouds takes it; empty = no cleaning
  RecordOptions record;
  std::string ros2, ros2_frame;  // namespace and frame of published topics; empty = none, the source's
  LiveOptions live;
  bool show_filled = false;  // filled pixels as bright as others, and in clouds
  bool check = true;         // check the first frames for faults that make results worthless
  bool view = false;         // show the frames in a window
  std::vector<int> view_size_px = {1440, 900};
  std::filesystem::path
      view_state_file;  // the state of the window, for programs that control it; empty = none
  std::optional<std::size_t> max_frames;
  std::string shard_text;                // as ParseShard takes it; empty = all frames
  std::optional<Shard> shard{};          // the shard, whose folder `output` names
  std::optional<int> rig_watch{};        // frames from one measurement of the rig to the next; 0 = none
  bool rig_follow = false;               // correct the measured turn when raw images are rectified
  std::optional<TurnsOfFrames> turns{};  // replace measured ones when results are made again
  std::string cores;                     // see Schedule
  int priority = 0;                      // see Schedule
  int num_in_flight = 0;                 // 0 = chosen for the back end
  // Called with every matched frame, in the order of the source; may be empty.
  std::function<void(const MatchedFrame& frame)> observe{};
};

// Declares the options. options must outlive the parsing.
void AddRunOptions(CLI::App& command, RunOptions& options);

}  // namespace parallax::app
