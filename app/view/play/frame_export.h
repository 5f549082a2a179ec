// The frames of a range in one folder: the frames themselves, their results, the parameters.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "app/frames/run_options.h"
#include "app/view/play/played_source.h"
#include "app/view/play/timeline.h"
#include "config/parameters_yaml.h"

namespace parallax::app {

// Matches the frames anew, in a thread of its own, so that what is written is what `parallax run` gives:
// FOLDER/frames-FIRST-LAST/ with disparity/, depth/, cloud/, ..., parameters.yaml and summary.json, and
// frames.mcap, from which `parallax run frames.mcap --config parameters.yaml` gives the same results. Frames
// count from 1 in the folder's name, as in the window.
class FrameExport {
 public:
  // options: of a run of the source; its output is FOLDER.
  FrameExport(RunOptions options, OpenFrames open);
  ~FrameExport();
  FrameExport(const FrameExport&) = delete;
  FrameExport& operator=(const FrameExport&) = delete;

  // Begins, with the parameters of the moment, or says that another export is on its way.
  void Begin(Timeline::Range range, const ChosenParameters& chosen);
  // What became of it, one line; empty where there is nothing new.
  std::string TakeMessage();

 private:
  void Run(Timeline::Range range, ChosenParameters chosen);
  void Tell(std::string message);

  const RunOptions options_;
  const OpenFrames open_;
  std::atomic<bool> working_ = false, stop_ = false;
  std::mutex mutex_;
  std::string message_;
  std::thread thread_;
};

}  // namespace parallax::app
