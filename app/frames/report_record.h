// The outcome of a frame as a line of a journal or a message.
#pragma once

#include "app/output/journal.h"
#include "pipeline/frames/frame_pipeline.h"

namespace parallax::app {

inline constexpr const char* kReportRecord = "report";  // the record's kind

// Keeps the cloud figures that RunClouds puts into the details; other details are dropped.
JournalRecord RecordOf(const FrameReport& report);
// Throws Error for an invalid record.
FrameReport FrameReportOf(const JournalRecord& record);

}  // namespace parallax::app
