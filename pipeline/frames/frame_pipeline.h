// The frame pipeline: read, match, refine in order, hand on, so that decoding, matching and writing overlap: a pool of
// threads reads and writes, the caller's thread has them matched. What is handed on does not depend on the overlap.
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/frames/frame_source.h"
#include "pipeline/frames/kept_matchers.h"
#include "pipeline/matchers/extra_work.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/disparity_map_view.h"
#include "pipeline/types/host_memory.h"

namespace parallax {

class FrameRectifier;  // pipeline/calibration/rectifier.h

// A frame with its disparities, as it goes to the writers and to the viewer.
struct MatchedFrame {
  StereoFrame frame;
  std::size_t index = 0;  // in the source, from 0
  Parameters parameters;  // of this frame
  FinishedMap map;
  std::optional<ReprojectedFrame> reprojected;  // what reprojection_for wants, where the matcher makes it
  StageTimes times;                             // of the matcher; none with frames in flight
  double read_ms = 0;
  double match_ms = 0;  // from its start to its end, with frames in flight too
};

// kDropped: matched, and the writer left it because the run ends.
enum class FrameOutcome { kDone, kSkipped, kFailed, kDropped };

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
  // Pixels with a disparity, where the writer has counted them; else the frame pipeline does.
  std::optional<std::size_t> num_valid{};
  double density_percent = 0;  // of those
  StageTimes times{};
  double read_ms = 0, match_ms = 0, write_ms = 0;
  std::any details{};  // what the writer says beyond that; the frame pipeline does not look at it
};

// What the frame pipeline calls. All but report may throw: the frame then counts as failed and the others go on.
struct FrameSteps {
  // True: the frame of this name is passed over, unread (called with frame = nullptr) or unmatched.
  std::function<bool(const std::string& name, const StereoFrame* frame)> is_done;
  std::function<Parameters(const StereoFrame& frame)> parameters_for;
  // A matcher for frames up to a size. One that matches a frame at a time is a queue too: MakeQueueOfOne.
  MakeQueue make_matcher;
  // The preferred memory for the images of frames (DevicePool::image_memory). May be null.
  std::shared_ptr<HostMemory> image_memory{};
  // Rectifies frames that come raw (FrameRectifier::Prepare), or lends its tables to a matcher that does
  // that. May be null: such frames fail.
  std::shared_ptr<FrameRectifier> rectifier{};
  // Depth and cloud that are wanted of a frame, for a matcher that makes them beside disparities. Asked only
  // where nothing changes the disparities after the matcher. May be empty.
  std::function<std::optional<WantedReprojection>(const StereoFrame& frame)> reprojection_for{};
  // Sees every matched frame in the order of the source, one at a time, and may change its map; what it
  // remembers of one frame is there for the next. May be empty.
  std::function<void(MatchedFrame& frame)> refine_in_order;
  // Sees every frame after that, in the same order, before it is written; may keep it. Blocking here pauses
  // the frame pipeline. May be empty.
  std::function<void(const std::shared_ptr<const MatchedFrame>& frame)> observe;
  // Writes one frame, or whatever else is done with it; called from several threads at a time. Adds to report
  // what it has to say, kDropped too. May be empty.
  std::function<void(const MatchedFrame& frame, FrameReport& report)> write;
  // Is told of every frame when it is through, one at a time, in the order in which they end. Frames that
  // were dropped are only counted.
  std::function<void(FrameReport report)> report;
};

// Which frames of a source are matched.
enum class WhichFrames {
  kAsTheSource,  // the newest ones of a live source, all of any other
  kEvery,        // a source that is ahead waits
  kNewest        // a frame that is not taken before the next one comes is dropped
};

struct PipelineOptions {
  std::optional<std::size_t> max_frames{};  // frames taken from the source, skipped ones included
  int num_threads = 0;                      // of the matcher
  int device = 0;                           // of the CUDA matcher
  std::size_t memory_limit_bytes = 0;       // of the cpu matcher, see MatcherOptions
  int num_writers = 0;                      // frames written side by side; 0 = one per core, at most 8
  int num_readers =
      0;  // frames read side by side, where the source defers them; 0 = one per core, at most 16
  WhichFrames which_frames = WhichFrames::kAsTheSource;
  // Asked in the calling thread, before every frame and every 20 ms while it waits for one. Once true, no
  // further frame is read; those on their way end. May be empty.
  std::function<bool()> stop_requested{};
  bool finish_read_frames = true;  // after that, frames that were read but not begun are matched too
};

struct PipelineTotals {
  std::size_t num_dropped = 0;  // frames of a live source for which there was no time
};

// Throws Error, with what the source says of it, on a frame of raw camera images, which must not be matched
// so.
void CheckRectified(const StereoFrame& frame);

// Runs until the source ends, max_frames are taken or a stop is requested. Matches in the calling thread.
// Throws what the source throws when it cannot even tell its next frame.
//
// A source may be waiting for a frame that never comes when the frame pipeline ends. It is cancelled then. One that has
// not given up within 50 ms is left behind: its thread, which holds the source and what it hands frames to,
// calls none of the steps any more and ends, and destroys the source, when the library in which it waits
// returns. A program that ends earlier looks at NumReadersLeftBehind().
//
// Of a live source, a frame is taken when a writer is free for it, so that the newest one is matched, and the
// memory is that of a fixed number of frames however slow the writers are.
PipelineTotals RunFrames(std::shared_ptr<FrameSource> source, const FrameSteps& steps,
                         const PipelineOptions& options = {});

// Threads left behind by RunFrames that have not ended yet. While there are any, a program ends by
// std::_Exit: what std::exit destroys, the libraries of such a thread may still be using.
int NumReadersLeftBehind();

}  // namespace parallax
