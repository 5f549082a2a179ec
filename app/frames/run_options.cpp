#include "app/frames/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/frames/frame_writer.h"
#include "app/options/live_source_options.h"
#include "app/options/named_rig.h"
#include "app/options/shared_options.h"

namespace parallax::app {

void AddRunOptions(CLI::App& command, RunOptions& options) {
  command
      .add_option("source", options.source,
                  "A data-set folder; left and right image files or globs; a video; camera:0; "
                  "camera:0,1; gst:'PIPELINE'; synthetic:NAME")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(command, options.kind);
  AddMatchingOptions(command, options.matching, Devices::kSeveral);
  AddRigOptions(command, options.rig);
  AddLiveOptions(command, options.live);
  command.add_option("-o,--output", options.output, "Folder for the results")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option(
          "--write", options.outputs,
          "What to write: " + OutputNames() + " [disparity,color and, with a calibration, depth,cloud]")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* resume = command.add_flag("--resume", options.used_folder.resume,
                                         "Go on with the results in the folder: pass over frames whose files "
                                         "are there, whole and of the same input");
  AddOverwriteOption(command, options.used_folder)->excludes(resume);
  CLI::Option* record =
      command
          .add_option(
              "--record", options.record.file,
              "Write a recording too: images, calibration and --record-write as ROS 2 messages (MCAP), which "
              "run, view and eval take as a source")
          ->type_name("FILE.mcap")
          ->excludes(resume);
  command
      .add_option("--record-write", options.record.outputs,
                  fmt::format("What the recording holds beside images and calibration: {}",
                              fmt::join(kRecordedOutputNames, ", ")))
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(record);
  AddMaxFramesOption(command, options.max_frames);
  AddShardOption(command, options.shard_text);
  command
      .add_option("--in-flight", options.num_in_flight,
                  "Frames matched at a time, on each device: more frames per second, later results, more "
                  "memory; 0 = of files on the cpu one for each thread, on a GPU up to 6, else 1")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command
      .add_option(
          "--cloud-clean", options.clouds.clean,
          "Clean clouds before they are written: remove points whose mean distance to K neighbours is more "
          "than RATIO standard deviations above the mean")
      ->type_name("K,RATIO")
      ->expected(0, 1)
      ->default_str(kUsualCloudCleaning);
  command.add_flag("--density", options.clouds.density,
                   "Write density/NAME.ply and .png: the cloud in the colours of its density");
  CLI::Option* view = command.add_flag(
      "--view", options.view, "Show the frames in a window as they are matched; closing it ends the run");
  command.add_option("--view-size", options.view_size_px, "Width and height of that window, px")
      ->expected(2)
      ->check(CLI::Range(200, 16384))
      ->needs(view)
      ->capture_default_str();
  command
      .add_option("--view-state", options.view_state_file,
                  "Keep what that window shows and does in this file (view: --state-file)")
      ->type_name("FILE.json")
      ->needs(view);
}

}  // namespace parallax::app
