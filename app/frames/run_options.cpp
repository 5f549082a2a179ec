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
                  "camera:0,1; gst:'PIPELINE'; ros2:left=TOPIC,right=TOPIC; synthetic:NAME")
      ->type_name("SOURCE")
      ->required();
  AddKindOption(command, options.kind);
  AddMatchingOptions(command, options.matching, Devices::kSeveral);
  AddRigOptions(command, options.rig);
  AddLiveOptions(command, options.live);
  command
      .add_option("--deadline", options.live.deadline_ms,
                  "For cameras and streams: leave out pairs whose results would come later than this after "
                  "their capture, ms; 0 = none")
      ->type_name("MS")
      ->check(CLI::Range(0.0, 60000.0))
      ->capture_default_str();
  command
      .add_option(
          "--priority", options.priority,
          "Real-time priority of the run's threads (SCHED_FIFO), except the one that measures the rig; "
          "0 = none")
      ->type_name("N")
      ->check(CLI::Range(0, 99))
      ->capture_default_str();
  command.add_option("--cores", options.cores, "Cores that the run may use, such as 2,4-7 [all]")
      ->type_name("LIST");
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
  CLI::Option* resume = command.add_flag(
      "--resume", options.used_folder.resume,
      "Continue an earlier run: skip frames whose files in the folder are complete and from the same input");
  AddOverwriteOption(command, options.used_folder)->excludes(resume);
  CLI::Option* record = command
                            .add_option("--record", options.record.file,
                                        "Also write images, calibration and --record-write as a recording of "
                                        "ROS 2 messages (MCAP), which run, view and eval read as a source")
                            ->type_name("FILE.mcap")
                            ->excludes(resume);
  command
      .add_option("--record-write", options.record.outputs,
                  fmt::format("What to record in addition to images and calibration: {}",
                              fmt::join(kRecordedOutputNames, ", ")))
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(record);
  CLI::Option* ros2 =
      command
          .add_option("--ros2", options.ros2,
                      "Also publish disparity, depth, points and camera_info as topics of ROS 2 below this "
                      "namespace, such as /stereo (needs no ROS)")
          ->type_name("NAMESPACE");
  command
      .add_option("--ros2-frame", options.ros2_frame,
                  "frame_id of published messages [the source's, or left_camera_optical_frame]")
      ->type_name("FRAME")
      ->needs(ros2);
  AddMaxFramesOption(command, options.max_frames);
  AddCheckOption(command, options.check);
  command
      .add_option("--rig-watch", options.rig_watch,
                  "Measure on every Nth frame how far the right camera has turned since the calibration; 0 = "
                  "never; default: 10 for cameras, streams and recordings, else 0")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  command.add_flag(
      "--rig-follow", options.rig_follow,
      "Correct the right camera's measured turn about x and z when raw images are rectified; one correction "
      "moves rows by at most 2 px; the journal and recordings keep it, so that verify gives the same bytes");
  AddShowFilledOption(command, options.show_filled);
  AddShardOption(command, options.shard_text);
  command
      .add_option("--in-flight", options.num_in_flight,
                  "Frames matched at the same time on each device: more frames per second, later results, "
                  "more memory; 0 = for files one per thread on the cpu and up to 6 on a GPU, else 1")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command
      .add_option(
          "--cloud-clean", options.cloud_clean,
          "Clean clouds before they are written: remove points whose mean distance to K neighbours is more "
          "than RATIO standard deviations above the mean")
      ->type_name("K,RATIO")
      ->expected(0, 1)
      ->default_str(kUsualCloudCleaning);
  CLI::Option* view = command.add_flag(
      "--view", options.view, "Show the frames in a window as they are matched; closing it ends the run");
  command.add_option("--view-size", options.view_size_px, "Width and height of that window, px")
      ->expected(2)
      ->check(CLI::Range(200, 16384))
      ->needs(view)
      ->capture_default_str();
  command
      .add_option("--view-state", options.view_state_file,
                  "Write the state of that window to this file (as view --state-file)")
      ->type_name("FILE.json")
      ->needs(view);
}

}  // namespace parallax::app
