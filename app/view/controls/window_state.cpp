#include "app/view/controls/window_state.h"

#include <cstdio>
#include <exception>

#include "app/output/output_files.h"
#include "datasets/system/atomic_file.h"

namespace parallax::app {

std::string WindowState::Text() const {
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, value] : pieces_) json[key] = value();
  return JsonText(json);
}

void WindowState::WriteIfChanged() {
  constexpr std::chrono::milliseconds kPause(50);
  if (file_.empty()) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  std::string text = Text();
  if (text == written_) return;
  try {
    const WithoutWaitingForDisk hurry;  // it changes with every drawing
    WriteTextFile(file_, text);
    written_ = std::move(text);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parallax: %s\n", error.what());
    file_.clear();
  }
}

}  // namespace parallax::app
