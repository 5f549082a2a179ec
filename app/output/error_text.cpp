#include "app/output/error_text.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

namespace parallax::app {
namespace {

// The length in bytes of the UTF-8 character at the start of the text (RFC 3629); 0 if there is no valid one.
std::size_t LengthOfCharacter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool beyond = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

// C0, DEL, and C1 (U+0080 to U+009F).
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

template <typename Keep>
std::string WithEscapes(std::string_view text, Keep keep) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t length = LengthOfCharacter(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && keep(character)) {
      escaped += character;
    } else if (character == "\n") {
      escaped += "\\n";
    } else if (character == "\t") {
      escaped += "\\t";
    } else {
      for (const char c : character) escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(character.size());
  }
  return escaped;
}

// A value from a file in /proc, converted from kB to MB; 0 if the file does not have it.
std::uint64_t ProcMegabytes(const char* file, std::string_view key) {
  std::ifstream stream(file);
  std::string word;
  std::uint64_t kilobytes = 0;
  while (stream >> word) {
    if (word == key && stream >> kilobytes) return kilobytes * 1024 / 1'000'000;
  }
  return 0;
}

// The limit that ulimit -v sets, MB; 0 = no limit.
std::uint64_t AddressLimitMegabytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur / 1'000'000;
}

std::string OutOfMemoryText() {
  const std::uint64_t limit_mb = AddressLimitMegabytes();
  return fmt::format(
      "memory was refused: the program has {} MB of addresses{}, and the machine has {} MB free of {} MB; "
      "use "
      "smaller images or clouds, fewer disparities, --in-flight 1 or fewer --threads{}",
      ProcMegabytes("/proc/self/status", "VmSize:"),
      limit_mb > 0 ? fmt::format(" of the {} MB that ulimit -v allows", limit_mb) : "",
      ProcMegabytes("/proc/meminfo", "MemAvailable:"), ProcMegabytes("/proc/meminfo", "MemTotal:"),
      limit_mb > 0 ? ", or raise the limit" : "");
}

// A thread's stack takes addresses, too.
std::string NoThreadText() {
  return fmt::format(
      "a thread was refused ({}): use fewer --threads and --in-flight 1, or raise the limit (ulimit -u{})",
      std::make_error_code(std::errc::resource_unavailable_try_again).message(),
      AddressLimitMegabytes() > 0 ? ", ulimit -v" : "");
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  return WithEscapes(text, [](std::string_view) { return true; });
}

std::string Printable(std::string_view text, bool keep_lines) {
  return WithEscapes(text, [&](std::string_view c) { return !IsControl(c) || (keep_lines && c == "\n"); });
}

std::string ErrorText(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return OutOfMemoryText();
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return file->path1().string() + ": " + file->code().message();
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) return NoThreadText();
  return error.what();
}

std::string ErrorText(const std::string& what) {
  if (what == std::bad_alloc().what()) return OutOfMemoryText();
  if (what == std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)).what())
    return NoThreadText();
  return what;
}

bool FrameErrors::IsNew(const std::string& frame, std::string error) {
  for (std::size_t at; !frame.empty() && (at = error.find(frame)) != std::string::npos;)
    error.erase(at, frame.size());
  std::erase_if(error, [](char c) { return c >= '0' && c <= '9'; });
  const std::scoped_lock lock(mutex_);
  return known_.insert(std::move(error)).second;
}

}  // namespace parallax::app
