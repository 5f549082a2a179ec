// The way of a sequence of frames through the program: read, match, write, each in its own threads, so that
// decoding, matching and writing overlap. What is written does not depend on the overlap.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/source.h"
#include "pipeline/matcher.h"
#include "pipeline/matcher_queue.h"

namespace parallax::app {

// A frame with its disparities, as it goes to the writers and to the viewer.
struct MatchedFrame {
  StereoFrame frame;
  std::size_t index = 0;  // in the source, from 0
  Parameters parameters;  // of this frame
  DisparityMap disparity;
  StageTimes times;  // of the matcher; none with frames in flight
  double read_ms = 0;
  double match_ms = 0;  // from its start to its end, with frames in flight too
};

enum class FrameOutcome { kDone, kSkipped, kFailed };

// What became of one frame.
struct FrameReport {
  std::string name;
  std::size_t index = 0;  // in the source, from 0
  FrameOutcome outcome = FrameOutcome::kDone;
  std::string error{};                 // why it failed
  std::vector<std::string> missing{};  // outputs that were asked for and could not be made, with the reason
  std::vector<std::string> notes{};    // what was lost though the frame is done
  int width = 0, height = 0;           // px
  int num_disparities = 0;             // searched
  double density_percent = 0;          // pixels with a disparity
  StageTimes times{};
  double read_ms = 0, match_ms = 0, write_ms = 0;
  // Of the cloud, where it was cleaned or measured (run_clouds.h); part of write_ms.
  double cloud_clean_ms = 0, density_ms = 0;
  std::size_t num_points = 0, num_points_removed = 0;
};

// What the loop calls. All but report may throw: the frame then counts as failed and the loop goes on.
struct FrameLoopSteps {
  // True: the frame of this name is passed over, unread (called with frame = nullptr) or unmatched.
  std::function<bool(const std::string& name, const StereoFrame* frame)> is_done;
  std::function<Parameters(const StereoFrame& frame)> parameters_for;
  std::function<std::unique_ptr<StereoMatcher>(const Parameters& parameters, const MatcherOptions& options)>
      make_matcher;
  // Where it is set, it takes the place of make_matcher: several frames are in flight at a time.
  std::function<std::unique_ptr<MatcherQueue>(const Parameters& parameters, const MatcherOptions& options)>
      make_queue;
  // Sees every matched frame in order, before it is written; may keep it. Blocking here pauses the loop. May
  // be empty.
  std::function<void(const std::shared_ptr<const MatchedFrame>& frame)> observe;
  // Writes one frame; called from several threads at a time. Adds to report what it has to say.
  std::function<void(const MatchedFrame& frame, FrameReport& report)> write;
  // Is told of every frame when it is through, one at a time, in the order in which they end.
  std::function<void(FrameReport report)> report;
};

struct FrameLoopOptions {
  std::optional<std::size_t> max_frames{};  // frames taken from the source, skipped ones included
  int num_threads = 0;                      // of the matcher
  int device = 0;                           // of the CUDA matcher
  std::size_t memory_limit_bytes = 0;       // of the cpu matcher, see MatcherOptions
  int num_writers = 0;                      // threads that write; 0 = one per core, at most 8
  const std::atomic<bool>* stop = nullptr;  // once true, no further frame is read; those on their way end
};

// Throws Error, with what the source says of it, on a frame of raw camera images, which must not be matched.
void CheckRectified(const StereoFrame& frame);

// Runs until the source ends, max_frames are taken or stop is set. Matches in the calling thread.
// Throws what the source throws when it cannot even tell its next frame.
void RunFrames(FrameSource& source, const FrameLoopSteps& steps, const FrameLoopOptions& options = {});

}  // namespace parallax::app
