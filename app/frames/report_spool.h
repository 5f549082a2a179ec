// The outcomes of a run's frames until its end, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "app/frames/run_clouds.h"
#include "app/output/record_spool.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

// The figures of one frame; plain bytes.
struct FrameFigures {
  std::uint64_t index = 0;  // in the source
  FrameOutcome outcome = FrameOutcome::kDone;
  bool is_incomplete = false, has_notes = false;
  StageTimes times;
  double read_ms = 0, match_ms = 0, write_ms = 0;
  CloudFigures clouds;
};

class ReportSpool {
 public:
  explicit ReportSpool(const std::filesystem::path& folder = {}) : records_(folder) {}  // as RecordSpool

  void Add(const FrameReport& report);
  std::size_t size() const { return records_.size(); }
  // Frames may end in any order; from here on they come in the order of the source.
  void Sort();

  // Calls visit with every frame until it returns false. During the call the line may be passed to Read.
  using Visit = std::function<bool(const FrameFigures& figures, std::string_view line)>;
  void ForEach(const Visit& visit) const;
  static FrameReport Read(std::string_view line);

 private:
  RecordSpool records_;               // the figures of a frame, and its report as a journal line
  std::vector<std::uint64_t> order_;  // positions in records_; empty: already in order
};

}  // namespace parallax::app
