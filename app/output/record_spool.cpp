#include "app/output/record_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "datasets/system/file_descriptor.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

using Length = std::uint32_t;  // stands before every record
constexpr std::uint64_t kWindowBytes = 1 << 18;

// Opens a file without a name in any folder; -1 if the system cannot make one.
int OpenNameless(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string path = (folder / ".parallax-XXXXXX").string();  // not every file system makes one at once
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

class RecordSpool::File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}

  bool Write(std::string_view text, std::uint64_t at) {
    while (!text.empty()) {
      const ssize_t count = pwrite(descriptor_.number(), text.data(), text.size(), static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
      at += static_cast<std::uint64_t>(count);
    }
    return true;
  }

  void Read(std::string& text, std::uint64_t at) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count =
          pread(descriptor_.number(), text.data() + done, text.size() - done, static_cast<off_t>(at + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        throw Error(std::string("the stored outcomes of the frames cannot be read back (") +
                    (count < 0 ? std::strerror(errno) : "the file is shorter") +
                    "): summary.json is missing");
      }
      done += static_cast<std::size_t>(count);
    }
  }

 private:
  FileDescriptor descriptor_;
};

RecordSpool::RecordSpool(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) tail_.reserve(2 * kLargestInMemory_bytes);  // no page is touched before it is needed
}
RecordSpool::~RecordSpool() = default;
RecordSpool::RecordSpool(RecordSpool&&) noexcept = default;
RecordSpool& RecordSpool::operator=(RecordSpool&&) noexcept = default;

void RecordSpool::Add(std::string_view record) {
  const auto length = static_cast<Length>(record.size());
  char bytes[sizeof length];
  std::memcpy(bytes, &length, sizeof length);
  tail_.append(bytes, sizeof length).append(record);
  ++size_;
  if (tail_.size() < kLargestInMemory_bytes || folder_.empty()) return;
  if (MoveToFile()) {
    file_bytes_ += tail_.size();
    tail_.clear();
  } else {
    folder_.clear();
  }
}

bool RecordSpool::MoveToFile() {
  if (!file_) {
    const int descriptor = OpenNameless(folder_);
    if (descriptor < 0) return false;
    file_ = std::make_unique<File>(descriptor);
  }
  return file_->Write(tail_, file_bytes_);
}

void RecordSpool::ForEach(const std::function<bool(std::uint64_t, std::string_view)>& visit) const {
  const std::uint64_t end = file_bytes_ + tail_.size();
  for (std::uint64_t position = 0; position < end;) {
    const std::string_view record = At(position);
    const std::uint64_t next = position + sizeof(Length) + record.size();
    if (!visit(position, record)) return;
    position = next;
  }
}

std::string_view RecordSpool::At(std::uint64_t position) const {
  Length length = 0;
  std::memcpy(&length, Bytes(position, sizeof length).data(), sizeof length);
  return Bytes(position + sizeof length, length);
}

// A record stands in the file or in the tail, in one piece.
std::string_view RecordSpool::Bytes(std::uint64_t begin, std::size_t count) const {
  if (begin >= file_bytes_) {
    return std::string_view(tail_).substr(static_cast<std::size_t>(begin - file_bytes_), count);
  }
  if (begin < window_begin_ || begin + count > window_begin_ + window_.size()) {
    // Reads around the record: the next ones may lie before it or behind it.
    const std::uint64_t first = begin - std::min(begin, kWindowBytes / 4);
    const std::uint64_t last = std::min(file_bytes_, std::max(begin + count, first + kWindowBytes));
    window_.resize(static_cast<std::size_t>(last - first));
    window_begin_ = first;
    file_->Read(window_, first);
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(begin - window_begin_), count);
}

}  // namespace parallax::app
