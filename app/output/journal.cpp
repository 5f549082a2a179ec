#include "app/output/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "datasets/system/file_identity.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr std::size_t kChecksumDigits = 8;
constexpr std::int64_t kSyncPeriod_ms = 1000;

std::string Checksum(std::string_view text) {
  return fmt::format("{:08x}", Crc32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

void AppendEscaped(std::string& line, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\\':
        line += "\\\\";
        break;
      default:
        line += c;
    }
  }
}

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char c = text[++i];
    plain += c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return plain;
}

// Takes the text up to the next tab off the front of `line`.
std::string_view TakeCell(std::string_view& line) {
  const std::size_t end = std::min(line.find('\t'), line.size());
  const std::string_view cell = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return cell;
}

std::int64_t Now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string AllOf(int descriptor, const std::filesystem::path& file) {
  std::string text;
  char block[1 << 16];
  ssize_t count = 0;
  while ((count = read(descriptor, block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(count));
  if (count < 0) throw Error(file.string() + ": cannot be read (" + std::strerror(errno) + ")");
  return text;
}

// Parses text that ends with a complete line.
std::vector<JournalRecord> RecordsOf(std::string_view text) {
  std::vector<JournalRecord> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    JournalRecord record;
    if (ParseJournalLine(text.substr(0, end), record)) records.push_back(std::move(record));
    text.remove_prefix(end + 1);
  }
  return records;
}

}  // namespace

JournalRecord& JournalRecord::Add(std::string_view key, std::string_view value) {
  fields.emplace_back(key, value);
  return *this;
}

std::string_view JournalRecord::Get(std::string_view key) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == key; });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string JournalLine(const JournalRecord& record) {
  std::string rest;
  AppendEscaped(rest, record.kind);
  for (const auto& [key, value] : record.fields) {
    rest += '\t';
    AppendEscaped(rest, key);
    rest += '=';
    AppendEscaped(rest, value);
  }
  return Checksum(rest) + '\t' + rest;
}

bool ParseJournalLine(std::string_view line, JournalRecord& record) {
  if (line.size() <= kChecksumDigits || line[kChecksumDigits] != '\t') return false;
  std::string_view rest = line.substr(kChecksumDigits + 1);
  if (line.substr(0, kChecksumDigits) != Checksum(rest)) return false;
  record.kind = Unescaped(TakeCell(rest));
  record.fields.clear();
  while (!rest.empty()) {
    const std::string_view cell = TakeCell(rest);
    const std::size_t equals = cell.find('=');
    if (equals == std::string_view::npos) return false;
    record.Add(Unescaped(cell.substr(0, equals)), Unescaped(cell.substr(equals + 1)));
  }
  return true;
}

std::vector<JournalRecord> ReadJournal(const std::filesystem::path& file) {
  const FileDescriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.number() < 0)
    throw Error(file.string() + ": cannot be opened (" + std::strerror(errno) + ")");
  if (flock(descriptor.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(file.parent_path().string() + ": another parallax is writing there: wait until it ends");
  }
  std::string text = AllOf(descriptor.number(), file);
  text.resize(text.rfind('\n') + 1);
  return RecordsOf(text);
}

Journal::Journal(std::filesystem::path file)
    : file_(std::move(file)),
      descriptor_(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666)) {
  const int descriptor = descriptor_.number();
  if (descriptor < 0) throw Error(file_.string() + ": cannot be opened (" + std::strerror(errno) + ")");
  // On a file system without locks the run continues without one, because nothing else would work there.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(file_.parent_path().string() +
                ": another parallax is writing there: wait until it ends, or name another --output");
  }
  const std::string text = AllOf(descriptor, file_);
  size_bytes_ = text.rfind('\n') + 1;  // what follows was cut short; 0 where there is no whole line
  records_ = RecordsOf(std::string_view(text).substr(0, size_bytes_));
  if (size_bytes_ < text.size() && ftruncate(descriptor, static_cast<off_t>(size_bytes_)) != 0) {
    throw Error(file_.string() + ": cannot be written (" + std::strerror(errno) + ")");
  }
}

Journal::~Journal() {
  if (!hurries_) fdatasync(descriptor_.number());
}

void Journal::Append(const JournalRecord& record) {
  const std::string line = JournalLine(record) + '\n';
  {
    const std::scoped_lock lock(mutex_);
    Write(line);
    if (hurries_ || Now_ms() - synced_ms_ < kSyncPeriod_ms) return;
    synced_ms_ = Now_ms();
  }
  fdatasync(descriptor_.number());  // which may take long: others write meanwhile
}

void Journal::Write(std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    errno = 0;
    const ssize_t count = pwrite(descriptor_.number(), text.data() + done, text.size() - done,
                                 static_cast<off_t>(size_bytes_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const std::string reason = std::strerror(errno != 0 ? errno : EIO);
      // If a part of a line remains, its checksum exposes it, and the next line overwrites it.
      [[maybe_unused]] const int ignored = ftruncate(descriptor_.number(), static_cast<off_t>(size_bytes_));
      throw Error(file_.string() + ": writing failed (" + reason + "); is the disk full?");
    }
    done += static_cast<std::size_t>(count);
  }
  size_bytes_ += text.size();
}

void Journal::Clear() {
  const std::scoped_lock lock(mutex_);
  if (ftruncate(descriptor_.number(), 0) != 0)
    throw Error(file_.string() + ": cannot be written (" + std::strerror(errno) + ")");
  size_bytes_ = 0;
  records_.clear();
}

}  // namespace parallax::app
