// parallax run --record FILE.mcap: the frames of a run as ROS 2 messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "datasets/formats/mcap_writer.h"
#include "pipeline/frames/bounded_queue.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

struct RecordOptions {
  std::string file;                  // empty = nothing is recorded
  std::vector<std::string> outputs;  // of kRecordedOutputNames, in addition to images and calibration
  bool show_filled = false;          // filled pixels become points of clouds, too
  std::string parameters{};          // text of parameters.yaml, for `parallax verify`
  bool with_rig = false;             // measurements of the rig are recorded
};

// What is computed of a frame, as --record-write takes it, in the order of the enumerators.
enum class RecordedOutput { kDepth, kDepthMm, kDisparity, kCloud };
inline constexpr std::string_view kRecordedOutputNames[] = {"depth", "depth-mm", "disparity", "cloud"};
// Its topic in the recording.
std::string_view TopicOf(RecordedOutput output);

// Writes in its own thread, in the order of the frames. Memory is that of a few frames and a chunk.
class Recorder {
 public:
  // Throws InvalidArgument for an unknown output, and where the file exists and must not be replaced.
  static void Check(const RecordOptions& options, bool replace);

  // Begins the file. It replaces an existing one with its first frame. Throws Error if it cannot be
  // written.
  explicit Recorder(const RecordOptions& options);
  // Ends the file as Finish does, without errors.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Waits while too many frames are queued. After a failed write frames are ignored. rig: a new measurement of
  // the rig (RigJson); empty = no new one.
  void Record(std::shared_ptr<const MatchedFrame> frame, std::string rig = {});
  // Writes the remaining frames and the file's summary; no frame may follow. There is no file without a
  // frame. Safe to call again.
  void Finish();

  // Returns one line on the file's content. Called after Finish.
  std::string Text() const;
  // Throws Error if a requested part is missing from the file. Called after Finish.
  void ThrowOnLoss() const;

 private:
  void WriteFrames();
  void WriteFrame(const MatchedFrame& matched, const std::string& rig);
  void WriteOutputs(const MatchedFrame& matched, std::int64_t time_ns);
  bool IsRequested(RecordedOutput output) const;

  void WriteSeen(const StereoFrame& frame, std::int64_t time_ns);
  // Frames that a replay of the file has.
  std::size_t NumInFile() const;

  const std::string file_;
  const std::vector<RecordedOutput> outputs_;
  const bool show_filled_;
  const std::string parameters_;
  McapWriter writer_;
  BoundedQueue<std::pair<std::shared_ptr<const MatchedFrame>, std::string>> frames_;  // and their rigs
  std::exception_ptr failure_;
  std::size_t num_taken_ = 0;                     // frames, written or not
  std::shared_ptr<const SeenPixelsOfPair> seen_;  // that is in the file
  std::size_t num_without_calibration_ = 0;
  std::size_t num_in_chunk_ = 0;     // frames
  std::int64_t chunk_begin_ns_ = 0;  // the first one's time
  std::thread thread_;               // last member: its thread uses the others
};

}  // namespace parallax::app
