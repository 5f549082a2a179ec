// The outcomes of a run's frames until its end, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/frames/run_clouds.h"
#include "app/output/record_spool.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// The figures of one frame, as in its report; plain bytes.
struct FrameFigures {
  std::uint64_t index = 0;  // in the source
  FrameOutcome outcome = FrameOutcome::kDone;
  std::uint32_t num_missing = 0, num_notes = 0;
  int width = 0, height = 0, num_disparities = 0;
  double density_percent = 0;
  StageTimes times;
  double read_ms = 0, match_ms = 0, write_ms = 0;
  CloudFigures clouds;
};

class ReportSpool {
 public:
  explicit ReportSpool(const std::filesystem::path& folder = {}) : records_(folder) {}  // as RecordSpool

  void Add(const FrameReport& report);
  std::size_t size() const { return records_.size(); }
  // Puts the frames, which may end in any order, in the order of the source.
  void Sort();

  // Calls visit with every frame until it returns false. During the call both may be passed to Read.
  using Visit = std::function<bool(const FrameFigures& figures, std::string_view texts)>;
  void ForEach(const Visit& visit) const;
  static FrameReport Read(const FrameFigures& figures, std::string_view texts);

 private:
  RecordSpool records_;               // the figures of a frame, and its texts, each after its length
  std::string record_;                // the last one, whose memory serves the next
  std::vector<std::uint64_t> order_;  // positions in records_; empty: already in order
};

}  // namespace parallax::app
