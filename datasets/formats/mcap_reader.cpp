#include "datasets/formats/mcap_reader.h"

#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "datasets/formats/file_bytes.h"
#include "datasets/system/file_identity.h"
#include "parallax/error.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::uint8_t>;

constexpr std::uint64_t kMaxChunk_bytes = std::uint64_t{512} << 20;
constexpr std::size_t kBlock_bytes = std::size_t{1} << 20;

// Thrown if a record ends before its fields do.
struct TooShort {};

// The fields of a record, one after the other.
class Fields {
 public:
  explicit Fields(Bytes bytes) : bytes_(bytes) {}
  template <typename T>
  T Number() {
    return LoadAs<T>(Take(sizeof(T)).data());
  }
  std::string_view Text() { return AsText(Take(Number<std::uint32_t>())); }
  Bytes Take(std::uint64_t count) {
    if (count > bytes_.size()) throw TooShort();
    const Bytes taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  Bytes rest() const { return bytes_; }

 private:
  Bytes bytes_;
};

bool IsKnownCompression(std::string_view name) { return name.empty() || name == "zstd" || name == "lz4"; }

// Decompresses as many bytes as there are, whatever the file states: memory grows block by block. Returns
// false if the bytes are damaged or give more than `size`.
bool DecompressZstd(Bytes bytes, std::uint64_t size, std::vector<std::uint8_t>& to) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  to.clear();
  while (true) {
    const std::size_t done = to.size();
    to.resize(std::min<std::uint64_t>(size, done + kBlock_bytes));
    ZSTD_outBuffer out{to.data(), to.size(), done};
    const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(left) != 0) return false;
    const bool is_stuck = out.pos == done && in.pos == in.size;
    to.resize(out.pos);
    if (left == 0 && in.pos == in.size) return to.size() == size;
    if (is_stuck || (to.size() == size && out.pos == done)) return false;
  }
}

bool DecompressLz4(Bytes bytes, std::uint64_t size, std::vector<std::uint8_t>& to) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, std::size_t (*)(LZ4F_dctx*)> context(raw, LZ4F_freeDecompressionContext);
  to.clear();
  while (true) {
    const std::size_t done = to.size();
    to.resize(std::min<std::uint64_t>(size, done + kBlock_bytes));
    std::size_t written = to.size() - done, read = bytes.size();
    const std::size_t left =
        LZ4F_decompress(context.get(), to.data() + done, &written, bytes.data(), &read, nullptr);
    if (LZ4F_isError(left) != 0) {
      if (LZ4F_getErrorName(left) == std::string_view("ERROR_allocation_failed")) throw std::bad_alloc();
      return false;
    }
    to.resize(done + written);
    bytes = bytes.subspan(read);
    if (left == 0 && bytes.empty()) return to.size() == size;
    if (written == 0 && read == 0) return false;
  }
}

}  // namespace

struct McapReader::RecordHead {
  McapOpcode opcode{};
  std::uint64_t begin = 0, length = 0;  // of its content
};

McapReader::McapReader(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (!fs::is_regular_file(path_, error)) throw Error(path_.string() + ": no such file");
  size_bytes_ = fs::file_size(path_, error);
  file_.open(path_, std::ios::binary);
  if (error || !file_) throw Error(path_.string() + ": cannot be read; check its permissions");
  std::array<std::uint8_t, kMcapMagic.size()> magic{};
  file_.read(reinterpret_cast<char*>(magic.data()), magic.size());
  if (!file_ || magic != kMcapMagic) {
    throw Error(path_.string() + ": is not an MCAP recording (" +
                (size_bytes_ == 0 ? "it is empty" : "other first bytes") +
                "): name a file that parallax or ros2 bag recorded as MCAP");
  }
  ReadSummary();
  Rewind();
  CheckCompression();
}

void McapReader::Rewind() {
  position_ = kMcapMagic.size();
  chunk_.clear();
  chunk_offset_ = 0;
}

std::optional<std::uint64_t> McapReader::NumMessages(std::uint16_t channel) const {
  if (num_messages_.empty()) return std::nullopt;
  const auto found = num_messages_.find(channel);
  return found == num_messages_.end() ? 0 : found->second;
}

std::optional<McapReader::RecordHead> McapReader::HeadAt(std::uint64_t position) {
  if (position > size_bytes_ || size_bytes_ - position < kMcapRecordHead_bytes) return std::nullopt;
  std::array<std::uint8_t, kMcapRecordHead_bytes> head{};
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(position));
  if (!file_.read(reinterpret_cast<char*>(head.data()), head.size())) return std::nullopt;
  const RecordHead record{.opcode = static_cast<McapOpcode>(head[0]),
                          .begin = position + head.size(),
                          .length = LoadAs<std::uint64_t>(head.data() + 1)};
  if (head[0] == 0 || record.length > size_bytes_ - record.begin) return std::nullopt;
  return record;
}

// Within the file.
McapReader::Bytes McapReader::ReadAt(std::uint64_t position, std::uint64_t length,
                                     std::vector<std::uint8_t>& buffer) {
  buffer.resize(static_cast<std::size_t>(length));
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(position));
  if (!file_.read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(length)))
    ThrowDamaged("the data after it cannot be read", position);
  return buffer;
}

void McapReader::ThrowDamaged(const std::string& what, std::uint64_t position) const {
  throw Error(path_.string() + ": byte " + std::to_string(position) + ": " + what);
}

void McapReader::Learn(McapOpcode opcode, Bytes content) {
  Fields fields(content);
  if (opcode == McapOpcode::kSchema) {
    McapSchema schema{.id = fields.Number<std::uint16_t>()};
    schema.name = fields.Text();
    schema.encoding = fields.Text();
    schema.text = fields.Text();
    schemas_.try_emplace(schema.id, std::move(schema));
  } else if (opcode == McapOpcode::kChannel) {
    McapChannel channel{.id = fields.Number<std::uint16_t>(), .schema_id = fields.Number<std::uint16_t>()};
    channel.topic = fields.Text();
    channel.encoding = fields.Text();
    channels_.try_emplace(channel.id, std::move(channel));
  } else if (opcode == McapOpcode::kStatistics) {
    // Messages, schemas, channels, attachments, metadata, chunks, first and last time.
    fields.Take(8 + 2 + 4 + 4 + 4 + 4 + 8 + 8);
    Fields counts(fields.Take(fields.Number<std::uint32_t>()));
    while (!counts.rest().empty()) {
      const auto channel = counts.Number<std::uint16_t>();
      num_messages_[channel] = counts.Number<std::uint64_t>();
    }
  }
}

void McapReader::ReadSummary() {
  const std::uint64_t tail = kMcapRecordHead_bytes + kMcapFooter_bytes + kMcapMagic.size();
  if (size_bytes_ < kMcapMagic.size() + tail) return;
  std::vector<std::uint8_t> end;
  ReadAt(size_bytes_ - tail, tail, end);
  if (!std::equal(kMcapMagic.begin(), kMcapMagic.end(), end.end() - kMcapMagic.size())) return;
  Fields footer(end);
  if (footer.Number<McapOpcode>() != McapOpcode::kFooter ||
      footer.Number<std::uint64_t>() != kMcapFooter_bytes)
    return;
  is_cut_ = false;
  const auto begin = footer.Number<std::uint64_t>();
  footer.Number<std::uint64_t>();  // of the offsets
  const auto crc = footer.Number<std::uint32_t>();
  if (begin < kMcapMagic.size() || begin > size_bytes_ - tail) return;  // there is none
  // A damaged summary is ignored: the chunks have the same information.
  if (size_bytes_ - begin > kMaxChunk_bytes) return;
  std::vector<std::uint8_t> summary;
  const Bytes all = ReadAt(begin, size_bytes_ - begin - kMcapMagic.size() - sizeof(crc), summary);
  if (crc != 0 && Crc32(all) != crc) return;
  try {
    Fields records(all);
    while (records.rest().size() > kMcapRecordHead_bytes + kMcapFooter_bytes) {
      const auto opcode = records.Number<McapOpcode>();
      Learn(opcode, records.Take(records.Number<std::uint64_t>()));
    }
  } catch (const TooShort&) {
    return;
  }
}

void McapReader::CheckCompression() {
  std::uint64_t position = position_;
  while (const std::optional<RecordHead> record = HeadAt(position)) {
    position = record->begin + record->length;
    if (record->opcode == McapOpcode::kDataEnd || record->opcode == McapOpcode::kFooter) return;
    if (record->opcode != McapOpcode::kChunk) continue;
    constexpr std::uint64_t kMaxHead_bytes = 256;
    std::string name;
    try {
      Fields fields(ReadAt(record->begin, std::min(record->length, kMaxHead_bytes), content_));
      fields.Take(8 + 8 + 8 + 4);
      name = fields.Text();
    } catch (const TooShort&) {
      return;  // damaged, as reading it tells
    }
    if (IsKnownCompression(name)) return;
    throw Error(
        path_.string() + ": is compressed with '" + Printable(name) +
        "', which is not supported (zstd and lz4 are): write it again with one of those, for instance "
        "with mcap compress");
  }
}

// content_ -> chunk_. Throws Error.
void McapReader::OpenChunk(std::uint64_t position, std::uint64_t length) {
  chunk_.clear();
  chunk_offset_ = 0;
  chunk_position_ = position;
  const Bytes content = ReadAt(position, length, content_);
  try {
    Fields fields(content);
    fields.Take(8 + 8);  // first and last time
    const auto size = fields.Number<std::uint64_t>();
    const auto crc = fields.Number<std::uint32_t>();
    const std::string compression(fields.Text());
    const Bytes records = fields.Take(fields.Number<std::uint64_t>());
    if (size > kMaxChunk_bytes) {
      ThrowDamaged("a chunk of " + std::to_string(size) + " bytes is damaged, or too large to be read (" +
                       std::to_string(kMaxChunk_bytes >> 20) + " MB at most)",
                   position);
    }
    bool is_sound = false;
    if (compression == "zstd") {
      is_sound = DecompressZstd(records, size, chunk_);
    } else if (compression == "lz4") {
      is_sound = DecompressLz4(records, size, chunk_);
    } else if (compression.empty()) {
      chunk_.assign(records.begin(), records.end());
      is_sound = chunk_.size() == size;
    } else {
      ThrowDamaged("a chunk is compressed with '" + Printable(compression) + "', which is not supported",
                   position);
    }
    if (is_sound && (crc == 0 || Crc32(chunk_) == crc)) return;
  } catch (const TooShort&) {
  }
  chunk_.clear();
  ThrowDamaged("the chunk there is damaged; its messages are skipped", position);
}

std::optional<McapMessage> McapReader::NextInChunk() {
  try {
    while (chunk_offset_ < chunk_.size()) {
      Fields records(Bytes(chunk_).subspan(chunk_offset_));
      const auto opcode = records.Number<McapOpcode>();
      Fields fields(records.Take(records.Number<std::uint64_t>()));
      chunk_offset_ = chunk_.size() - records.rest().size();
      if (opcode != McapOpcode::kMessage) {
        Learn(opcode, fields.rest());
        continue;
      }
      McapMessage message{.channel = fields.Number<std::uint16_t>()};
      fields.Number<std::uint32_t>();  // sequence
      message.time_ns = fields.Number<std::uint64_t>();
      fields.Number<std::uint64_t>();  // when it was published
      message.data = fields.rest();
      return message;
    }
  } catch (const TooShort&) {
    chunk_.clear();
    chunk_offset_ = 0;
    ThrowDamaged("the chunk there is damaged; its last messages are skipped", chunk_position_);
  }
  return std::nullopt;
}

std::optional<McapMessage> McapReader::Next() {
  while (true) {
    if (std::optional<McapMessage> message = NextInChunk()) return message;
    const std::optional<RecordHead> record = HeadAt(position_);
    if (!record || record->opcode == McapOpcode::kDataEnd || record->opcode == McapOpcode::kFooter)
      return std::nullopt;
    position_ = record->begin + record->length;
    switch (record->opcode) {
      case McapOpcode::kChunk:
        OpenChunk(record->begin, record->length);
        break;
      case McapOpcode::kSchema:
      case McapOpcode::kChannel:
      case McapOpcode::kMessage: {
        // Treats it as a chunk of one record.
        if (record->length > kMaxChunk_bytes)
          ThrowDamaged("a record there is too large to be read", record->begin);
        chunk_position_ = record->begin;
        chunk_offset_ = 0;
        ReadAt(record->begin - kMcapRecordHead_bytes, record->length + kMcapRecordHead_bytes, chunk_);
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace parallax
