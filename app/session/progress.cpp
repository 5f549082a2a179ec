#include "app/session/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "app/output/error_text.h"

namespace parallax::app {
namespace {

constexpr std::chrono::milliseconds kBarPeriod{100};
constexpr std::chrono::seconds kLinePeriod{5};
constexpr int kBarWidth = 30;

void AddDuration(double seconds, std::string& text) {
  const long whole = static_cast<long>(seconds + 0.5);
  const auto to = std::back_inserter(text);
  if (whole < 120) {
    fmt::format_to(to, "{} s", whole);
  } else if (whole < 7200) {
    fmt::format_to(to, "{} min", (whole + 30) / 60);
  } else {
    fmt::format_to(to, "{:.1f} h", seconds / 3600);
  }
}

}  // namespace

void AddProgress(std::size_t num_through, std::size_t num_worked, std::optional<std::size_t> total,
                 double elapsed_s, std::string& text) {
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{}", num_through);
  if (total) fmt::format_to(to, " of {}", *total);
  text += " frames";
  if (num_worked == 0 || elapsed_s <= 0) return;
  const double rate = static_cast<double>(num_worked) / elapsed_s;
  fmt::format_to(to, ", {:.{}f} frames/s", rate, rate < 10 ? 2 : 0);
  if (!total || *total <= num_through) return;
  text += ", ";
  AddDuration(static_cast<double>(*total - num_through) / rate, text);
  text += " left";
}

Progress::Progress(std::optional<std::size_t> total, std::FILE* stream)
    : total_(total), stream_(stream), terminal_(isatty(fileno(stream)) == 1) {
  constexpr std::size_t kLongest_bytes = 200;
  drawn_text_.reserve(kLongest_bytes);
}

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
  drawn_ = terminal_;
  drawn_text_ = terminal_ ? "\r\033[K" : "";
  if (terminal_ && total_ && *total_ > 0) {
    const int full = static_cast<int>(std::min<std::size_t>(num_through_ * kBarWidth / *total_, kBarWidth));
    fmt::format_to(std::back_inserter(drawn_text_), "[{:=<{}}{:{}}] ", "", full, "", kBarWidth - full);
  }
  AddProgress(num_through_, num_worked_, total_, elapsed_s, drawn_text_);
  if (!terminal_) drawn_text_ += '\n';
  Put(drawn_text_);
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
