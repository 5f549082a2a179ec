#include "datasets/formats/mcap_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <system_error>

#include "datasets/system/atomic_file.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using Buffer = std::vector<std::uint8_t>;

constexpr int kLevel = 1;  // higher ones gain a few per cent on images and take several times as long
constexpr std::string_view kCompression = "zstd";
constexpr std::string_view kProfile = "ros2", kLibrary = "parallax";

// Numbers and texts as MCAP has them.
class Record {
 public:
  explicit Record(Buffer& bytes) : bytes_(bytes) {}
  template <typename T>
  Record& Number(T value) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof(T));
    std::memcpy(bytes_.data() + end, &value, sizeof(T));
    return *this;
  }
  Record& Text(std::string_view text) {
    Number(static_cast<std::uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  Record& Raw(std::span<const std::uint8_t> raw) {
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    return *this;
  }

 protected:
  Buffer& bytes_;
};

// A record whose length is entered when it ends.
class OpenRecord : public Record {
 public:
  OpenRecord(Buffer& bytes, McapOpcode opcode) : Record(bytes) {
    Number(opcode).Number(std::uint64_t{0});
    begin_ = bytes.size();
  }
  ~OpenRecord() {
    const std::uint64_t length = bytes_.size() - begin_;
    std::memcpy(bytes_.data() + begin_ - sizeof(length), &length, sizeof(length));
  }
  OpenRecord(const OpenRecord&) = delete;
  OpenRecord& operator=(const OpenRecord&) = delete;

 private:
  std::size_t begin_ = 0;
};

void AppendSchema(Buffer& bytes, const McapSchema& schema) {
  OpenRecord(bytes, McapOpcode::kSchema)
      .Number(schema.id)
      .Text(schema.name)
      .Text(schema.encoding)
      .Text(schema.text);
}

void AppendChannel(Buffer& bytes, const McapChannel& channel) {
  OpenRecord(bytes, McapOpcode::kChannel)
      .Number(channel.id)
      .Number(channel.schema_id)
      .Text(channel.topic)
      .Text(channel.encoding)
      .Number(std::uint32_t{0});  // no metadata
}

std::string Reason(int error) { return error == 0 ? "" : std::string(" (") + std::strerror(error) + ")"; }

}  // namespace

struct McapWriter::ChunkEntry {
  std::uint64_t first_ns = 0, last_ns = 0;
  std::uint64_t offset = 0, length = 0;                                  // of the chunk's record
  std::vector<std::pair<std::uint16_t, std::uint64_t>> index_offsets{};  // by channel
  std::uint64_t index_length = 0;
  std::uint64_t compressed_size = 0, size = 0;
};

class McapWriter::Compressor {
 public:
  Compressor() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
  }
  std::span<const std::uint8_t> Compress(std::span<const std::uint8_t> bytes) {
    buffer_.resize(ZSTD_compressBound(bytes.size()));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), buffer_.data(), buffer_.size(), bytes.data(), bytes.size(), kLevel);
    if (ZSTD_isError(size) != 0) throw Error(std::string("Zstandard: ") + ZSTD_getErrorName(size));
    return {buffer_.data(), size};
  }

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  Buffer buffer_;
};

McapWriter::McapWriter(fs::path path, std::vector<McapSchema> schemas, std::vector<McapChannel> channels)
    : path_(std::move(path)),
      schemas_(std::move(schemas)),
      channels_(std::move(channels)),
      compressor_(std::make_unique<Compressor>()) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) {
    throw Error(path_.string() + ": is not a file: name a file to which a recording can be written");
  }
  Buffer begin(kMcapMagic.begin(), kMcapMagic.end());
  OpenRecord(begin, McapOpcode::kHeader).Text(kProfile).Text(kLibrary);
  for (const McapSchema& schema : schemas_) AppendSchema(begin, schema);
  for (const McapChannel& channel : channels_) AppendChannel(begin, channel);
  TemporaryFile file = MakeTemporaryFile(path_);
  descriptor_ = file.descriptor;
  if (descriptor_ < 0) {
    throw Error(path_.string() + ": cannot be written" + Reason(errno) + "; does its folder exist?");
  }
  temporary_path_ = std::move(file.path);
  RemoveAbandoned(path_.parent_path());
  try {
    Append(begin);
  } catch (const Error&) {
    close(descriptor_);
    fs::remove(temporary_path_, error);
    throw;
  }
}

McapWriter::~McapWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  std::error_code ignored;
  if (!temporary_path_.empty()) fs::remove(temporary_path_, ignored);
}

void McapWriter::TakeName() {
  if (temporary_path_.empty()) return;
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) throw Error(path_.string() + ": cannot be written (" + error.message() + ")");
  temporary_path_.clear();
}

void McapWriter::WriteAll(std::span<const std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw Error(path_.string() + ": writing failed" + Reason(written < 0 ? errno : ENOSPC) +
                  "; is the disk full? The complete part of the recording stays");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void McapWriter::Append(std::span<const std::uint8_t> bytes) {
  try {
    WriteAll(bytes);
  } catch (const Error&) {
    const auto whole = static_cast<off_t>(size_bytes_);
    // Even if truncation fails, a reader still finds the end of the last whole chunk.
    if (ftruncate(descriptor_, whole) == 0) lseek(descriptor_, whole, SEEK_SET);
    throw;
  }
  size_bytes_ += bytes.size();
  crc_ = Crc32(bytes, crc_);
}

void McapWriter::Write(std::uint16_t channel, std::uint64_t time_ns, std::span<const std::uint8_t> message) {
  first_ns_ = index_.empty() ? time_ns : std::min(first_ns_, time_ns);
  last_ns_ = index_.empty() ? time_ns : std::max(last_ns_, time_ns);
  index_[channel].push_back({time_ns, chunk_.size()});
  OpenRecord(chunk_, McapOpcode::kMessage)
      .Number(channel)
      .Number(sequence_[channel]++)
      .Number(time_ns)
      .Number(time_ns)
      .Raw(message);
  if (chunk_.size() >= kChunk_bytes) WriteChunk();
}

void McapWriter::ForgetChunk() {
  chunk_.clear();
  index_.clear();
}

void McapWriter::EndChunk() {
  if (chunk_.empty()) return;
  WriteChunk();
  TakeName();
}

void McapWriter::WriteChunk() {
  ChunkEntry entry{.first_ns = first_ns_, .last_ns = last_ns_, .offset = size_bytes_, .size = chunk_.size()};
  Buffer bytes;
  {
    const std::span<const std::uint8_t> compressed = compressor_->Compress(chunk_);
    bytes.reserve(compressed.size() + 1024);
    entry.compressed_size = compressed.size();
    OpenRecord(bytes, McapOpcode::kChunk)
        .Number(entry.first_ns)
        .Number(entry.last_ns)
        .Number(entry.size)
        .Number(Crc32(chunk_))
        .Text(kCompression)
        .Number(entry.compressed_size)
        .Raw(compressed);
  }
  entry.length = bytes.size();
  for (const auto& [channel, messages] : index_) {
    entry.index_offsets.emplace_back(channel, entry.offset + bytes.size());
    OpenRecord record(bytes, McapOpcode::kMessageIndex);
    record.Number(channel).Number(static_cast<std::uint32_t>(messages.size() * sizeof(IndexEntry)));
    for (const IndexEntry& message : messages) record.Number(message.time_ns).Number(message.offset);
  }
  entry.index_length = bytes.size() - entry.length;
  try {
    Append(bytes);
  } catch (const Error&) {
    ForgetChunk();
    throw;
  }
  for (const auto& [channel, messages] : index_) num_messages_[channel] += messages.size();
  chunks_.push_back(std::move(entry));
  ForgetChunk();
}

std::vector<std::uint8_t> McapWriter::Summary() const {
  Buffer bytes;
  OpenRecord(bytes, McapOpcode::kDataEnd).Number(crc_);
  const std::size_t data_end = bytes.size();
  struct Group {
    McapOpcode opcode;
    std::uint64_t begin, length;
  };
  std::vector<Group> groups;
  const auto add_group = [&](McapOpcode opcode, const auto& append) {
    const std::size_t begin = bytes.size();
    append();
    if (bytes.size() > begin) groups.push_back({opcode, size_bytes_ + begin, bytes.size() - begin});
  };
  add_group(McapOpcode::kSchema, [&] {
    for (const McapSchema& schema : schemas_) AppendSchema(bytes, schema);
  });
  add_group(McapOpcode::kChannel, [&] {
    for (const McapChannel& channel : channels_) AppendChannel(bytes, channel);
  });
  add_group(McapOpcode::kStatistics, [&] {
    std::uint64_t num_messages = 0, first_ns = 0, last_ns = 0;
    for (const auto& [channel, count] : num_messages_) num_messages += count;
    for (const ChunkEntry& chunk : chunks_) {
      first_ns = &chunk == chunks_.data() ? chunk.first_ns : std::min(first_ns, chunk.first_ns);
      last_ns = std::max(last_ns, chunk.last_ns);
    }
    OpenRecord record(bytes, McapOpcode::kStatistics);
    record.Number(num_messages)
        .Number(static_cast<std::uint16_t>(schemas_.size()))
        .Number(static_cast<std::uint32_t>(channels_.size()))
        .Number(std::uint32_t{0})  // attachments
        .Number(std::uint32_t{0})  // metadata
        .Number(static_cast<std::uint32_t>(chunks_.size()))
        .Number(first_ns)
        .Number(last_ns)
        .Number(static_cast<std::uint32_t>(num_messages_.size() *
                                           (sizeof(std::uint16_t) + sizeof(std::uint64_t))));
    for (const auto& [channel, count] : num_messages_) record.Number(channel).Number(count);
  });
  add_group(McapOpcode::kChunkIndex, [&] {
    for (const ChunkEntry& chunk : chunks_) {
      OpenRecord record(bytes, McapOpcode::kChunkIndex);
      record.Number(chunk.first_ns).Number(chunk.last_ns).Number(chunk.offset).Number(chunk.length);
      record.Number(static_cast<std::uint32_t>(chunk.index_offsets.size() *
                                               (sizeof(std::uint16_t) + sizeof(std::uint64_t))));
      for (const auto& [channel, offset] : chunk.index_offsets) record.Number(channel).Number(offset);
      record.Number(chunk.index_length).Text(kCompression).Number(chunk.compressed_size).Number(chunk.size);
    }
  });
  const std::uint64_t offsets_begin = size_bytes_ + bytes.size();
  for (const Group& group : groups) {
    OpenRecord(bytes, McapOpcode::kSummaryOffset)
        .Number(group.opcode)
        .Number(group.begin)
        .Number(group.length);
  }
  {
    OpenRecord footer(bytes, McapOpcode::kFooter);
    footer.Number(size_bytes_ + data_end).Number(offsets_begin);
    // The checksum is that of the summary and of the footer up to here, its length included.
    const std::uint64_t length = kMcapFooter_bytes;
    std::memcpy(bytes.data() + bytes.size() - 2 * sizeof(std::uint64_t) - sizeof(length), &length,
                sizeof(length));
    footer.Number(Crc32(std::span(bytes).subspan(data_end)));
  }
  bytes.insert(bytes.end(), kMcapMagic.begin(), kMcapMagic.end());
  return bytes;
}

void McapWriter::Finish() {
  EndChunk();
  TakeName();  // whole chunks stay where there is no room for the summary
  Append(Summary());
  const int descriptor = std::exchange(descriptor_, -1);
  const bool synced = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;  // not of this file system
  const int reason = errno;
  if (close(descriptor) != 0 || !synced) {
    throw Error(path_.string() + ": writing failed" + Reason(reason) + "; is the disk full?");
  }
}

}  // namespace parallax
