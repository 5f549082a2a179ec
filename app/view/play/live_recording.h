// Recordings that the user starts and stops while frames are shown.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "app/frames/recorder.h"

namespace parallax::app {

// From several threads.
class LiveRecording {
 public:
  // folder: where recording-1.mcap, recording-2.mcap, ... are made, the next number that is free.
  explicit LiveRecording(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void Toggle();
  bool is_on() const;
  // Goes into the recording, where there is one.
  void Record(const std::shared_ptr<const MatchedFrame>& frame);
  // What became of the last order, one line; empty where there is nothing new.
  std::string TakeMessage();

 private:
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::unique_ptr<Recorder> recorder_;
  std::string message_;
};

}  // namespace parallax::app
