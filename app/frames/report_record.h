// The outcome of a frame as a line of a journal or a message.
#pragma once

#include "app/output/journal.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

inline constexpr const char* kReportRecord = "report";  // the record's kind

// The figures of clouds that RunClouds leaves in the details go with it, other details do not.
JournalRecord RecordOf(const FrameReport& report);
// Throws Error for an invalid record.
FrameReport FrameReportOf(const JournalRecord& record);

}  // namespace parallax::app
