// The frame pipeline: reads, matches, refines in order and passes on, so that decoding, matching and writing
// overlap. A pool of threads reads and writes; the caller's thread has frames matched. The output does not
// depend on the overlap.
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

// A frame with its disparities, for the writers and the viewer.
struct MatchedFrame {
  StereoFrame frame;
  std::size_t index = 0;  // in the source, from 0
  Parameters parameters;  // of this frame
  FinishedMap map;
  std::optional<ReprojectedFrame> reprojected;  // the request of reprojection_for, if the matcher fulfils it
  StageTimes times;                             // of the matcher; none with frames in flight
  double read_ms = 0;
  double match_ms = 0;  // from its start to its end, also with frames in flight
};

// kDropped: matched, but not written because the run ends.
enum class FrameOutcome { kDone, kSkipped, kFailed, kDropped };

// The outcome of one frame.
struct FrameReport {
  std::string name;
  std::size_t index = 0;  // in the source, from 0
  FrameOutcome outcome = FrameOutcome::kDone;
  std::string error{};                 // why it failed
  std::vector<std::string> missing{};  // requested outputs that could not be made, with the reason
  std::vector<std::string> notes{};    // what was lost although the frame is done
  int width = 0, height = 0;           // px
  int num_disparities = 0;             // searched
  // Pixels with a disparity, if the writer has counted them; otherwise the frame pipeline does.
  std::optional<std::size_t> num_valid{};
  double density_percent = 0;  // of those
  StageTimes times{};
  double read_ms = 0, match_ms = 0, write_ms = 0;
  std::any details{};  // further information of the writer; the frame pipeline ignores it
};

// The functions that the frame pipeline calls. All but report may throw: the frame then counts as failed and
// the others continue.
struct FrameSteps {
  // Whether the frame of this name is to be skipped. Called with nullptr before the frame is read, and with
  // the frame before it is matched.
  std::function<bool(const std::string& name, const StereoFrame* frame)> is_done;
  std::function<Parameters(const StereoFrame& frame)> parameters_for;
  // A matcher for frames up to a size. MakeQueueOfOne turns one that matches a frame at a time into a queue.
  MakeQueue make_matcher;
  // The preferred memory for the images of frames (DevicePool::image_memory). May be null.
  std::shared_ptr<HostMemory> image_memory{};
  // Rectifies raw frames (FrameRectifier::Prepare), or lends its tables to a matcher that does. May be null:
  // raw frames then fail.
  std::shared_ptr<FrameRectifier> rectifier{};
  // The requested depth and cloud of a frame, for a matcher that computes them along with disparities. Called
  // only if nothing changes the disparities after the matcher. May be empty.
  std::function<std::optional<WantedReprojection>(const StereoFrame& frame)> reprojection_for{};
  // Sees every matched frame in the order of the source, one at a time, and may change its map; its state
  // carries over from frame to frame. May be empty.
  std::function<void(MatchedFrame& frame)> refine_in_order;
  // Sees every frame after that, in the same order, before it is written; may keep it. Blocking here pauses
  // the frame pipeline. May be empty.
  std::function<void(const std::shared_ptr<const MatchedFrame>& frame)> observe;
  // Writes or otherwise uses one frame; called from several threads at a time. Adds its results to report,
  // including kDropped. May be empty.
  std::function<void(const MatchedFrame& frame, FrameReport& report)> write;
  // Called for every finished frame, one at a time, in the order in which they end. Frames that were dropped
  // are only counted.
  std::function<void(FrameReport report)> report;
};

// The frames of a source that are matched.
enum class WhichFrames {
  kAsTheSource,  // the newest ones of a live source, all of any other
  kEvery,        // a source that is ahead waits
  kNewest        // a frame is dropped if the next one comes before it is taken
};

struct PipelineOptions {
  std::optional<std::size_t> max_frames{};  // frames taken from the source, skipped ones included
  int num_threads = 0;                      // of the matcher
  int device = 0;                           // of the CUDA matcher
  std::size_t memory_limit_bytes = 0;       // of the cpu matcher, see MatcherOptions
  int num_writers = 0;                      // frames written in parallel; 0 = one per core, at most 8
  int num_readers = 0;  // frames read in parallel, if the source defers them; 0 = one per core, at most 16
  WhichFrames which_frames = WhichFrames::kAsTheSource;
  // Called in the calling thread, before every frame and every 20 ms while it waits for one. Once true, no
  // further frame is read; those in progress end. May be empty.
  std::function<bool()> stop_requested{};
  bool finish_read_frames = true;  // after a stop, frames that were read but not started are matched too
};

struct PipelineTotals {
  std::size_t num_dropped = 0;  // frames that a live source dropped
};

// Throws Error with the source's note for a frame of raw camera images, which must not be matched.
void CheckRectified(const StereoFrame& frame);

// Runs until the source ends, max_frames are taken or a stop is requested. Matches in the calling thread.
// Throws the source's exception if it cannot even name its next frame.
//
// When the frame pipeline ends, a source may be waiting for a frame that never comes. It is cancelled then.
// If it has not returned within 50 ms, it is left behind: its thread, which holds the source and the queue of
// its frames, calls none of the steps any more. The thread ends and destroys the source when the library in
// which it waits returns. A program that ends earlier checks NumReadersLeftBehind().
//
// From a live source, a frame is taken when a writer is free for it, so the newest one is matched. Memory is
// that of a fixed number of frames, however slow the writers are.
PipelineTotals RunFrames(std::shared_ptr<FrameSource> source, const FrameSteps& steps,
                         const PipelineOptions& options = {});

// Threads left behind by RunFrames that have not ended yet. While there are any, a program ends with
// std::_Exit, because the libraries of such a thread may still use what std::exit destroys.
int NumReadersLeftBehind();

}  // namespace parallax
