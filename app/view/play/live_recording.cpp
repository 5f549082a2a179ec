#include "app/view/play/live_recording.h"

#include <exception>
#include <system_error>
#include <utility>

#include "app/output/error_text.h"

namespace parallax::app {

void LiveRecording::Toggle() {
  const std::scoped_lock lock(mutex_);
  try {
    if (!recorder_) {
      std::filesystem::create_directories(folder_);
      std::filesystem::path file;
      std::error_code error;
      for (int number = 1; file.empty() || std::filesystem::exists(file, error); ++number)
        file = folder_ / ("recording-" + std::to_string(number) + ".mcap");
      recorder_ = std::make_unique<Recorder>(RecordOptions{file.string(), {}});
      message_ = "recording to " + file.string();
      return;
    }
    const std::unique_ptr<Recorder> ended = std::exchange(recorder_, nullptr);
    ended->Finish();
    ended->ThrowOnLoss();
    message_ = ended->Text();
  } catch (const std::exception& error) {
    message_ = "not recorded: " + ErrorText(error.what());
  }
}

bool LiveRecording::is_on() const {
  const std::scoped_lock lock(mutex_);
  return recorder_ != nullptr;
}

void LiveRecording::Record(const std::shared_ptr<const MatchedFrame>& frame) {
  const std::scoped_lock lock(mutex_);
  if (recorder_) recorder_->Record(frame);
}

std::string LiveRecording::TakeMessage() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(message_, {});
}

}  // namespace parallax::app
