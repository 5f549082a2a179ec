#include "app/session/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "app/output/error_text.h"

namespace parallax::app {
namespace {

constexpr std::chrono::milliseconds kBarPeriod{100};
constexpr std::chrono::seconds kLinePeriod{5};
constexpr int kBarWidth = 30;

std::string DurationText(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string ProgressText(std::size_t num_through, std::size_t num_worked, std::optional<std::size_t> total,
                         double elapsed_s) {
  std::string text =
      total ? fmt::format("{} of {} frames", num_through, *total) : fmt::format("{} frames", num_through);
  if (num_worked == 0 || elapsed_s <= 0) return text;
  const double rate = static_cast<double>(num_worked) / elapsed_s;
  text += fmt::format(", {:.{}f} frames/s", rate, rate < 10 ? 2 : 0);
  if (total && *total > num_through) {
    text += ", " + DurationText(static_cast<double>(*total - num_through) / rate) + " left";
  }
  return text;
}

Progress::Progress(std::optional<std::size_t> total, std::FILE* stream)
    : total_(total), stream_(stream), terminal_(isatty(fileno(stream)) == 1) {}

Progress::~Progress() { Clear(); }

void Progress::Advance(bool worked) {
  const std::scoped_lock lock(mutex_);
  ++num_through_;
  if (worked) ++num_worked_;
  const auto period = terminal_ ? Clock::duration(kBarPeriod) : Clock::duration(kLinePeriod);
  if (Clock::now() - last_drawn_ < period) return;
  last_drawn_ = Clock::now();
  Draw();
}

void Progress::Print(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  Clear();
  Put(Printable(line, true) + '\n');
  std::fflush(stream_);
}

void Progress::Draw() {
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string text = ProgressText(num_through_, num_worked_, total_, elapsed_s);
  if (!terminal_) {
    Put(text + '\n');
  } else if (total_ && *total_ > 0) {
    const int full = static_cast<int>(std::min<std::size_t>(num_through_ * kBarWidth / *total_, kBarWidth));
    Put(fmt::format("\r\033[K[{:=<{}}{:{}}] {}", "", full, "", kBarWidth - full, text));
    drawn_ = true;
  } else {
    Put("\r\033[K" + text);
    drawn_ = true;
  }
  std::fflush(stream_);
}

// A stream that accepts no more text does not end the run: main checks standard output at the end.
void Progress::Put(const std::string& text) { std::fputs(text.c_str(), stream_); }

void Progress::Clear() {
  if (!drawn_) return;
  Put("\r\033[K");
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace parallax::app
