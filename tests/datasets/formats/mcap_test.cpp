// MCAP files: what is written comes back, and what is damaged is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4frame.h>
#include <sys/resource.h>
#include <zstd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/mcap_reader.h"
#include "datasets/formats/mcap_writer.h"
#include "datasets/system/file_identity.h"
#include "tests/datasets/test_files.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint8_t> Bytes(std::size_t size, unsigned seed) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>((i * 2654435761U + seed) >> 13);
  return bytes;
}

McapWriter Writer(const std::filesystem::path& path) {
  return {path,
          {{1, "a/msg/A", "ros2msg", "int32 x\n"}, {2, "b/msg/B", "ros2msg", ""}},
          {{0, 1, "/a", "cdr"}, {7, 2, "/b", "cdr"}}};
}

struct Read {
  std::uint16_t channel;
  std::uint64_t time_ns;
  std::vector<std::uint8_t> data;
  bool operator==(const Read&) const = default;
};
// errors: those of chunks that cannot be read.
std::vector<Read> ReadAll(McapReader& reader, std::vector<std::string>* errors = nullptr) {
  std::vector<Read> all;
  while (true) {
    try {
      const std::optional<McapMessage> message = reader.Next();
      if (!message) return all;
      all.push_back({message->channel, message->time_ns, {message->data.begin(), message->data.end()}});
    } catch (const Error& error) {
      if (errors == nullptr) throw;
      errors->emplace_back(error.what());
    }
  }
}

// A few chunks.
std::vector<Read> WriteSome(const std::filesystem::path& path, bool finish = true) {
  McapWriter writer = Writer(path);
  std::vector<Read> written;
  for (unsigned i = 0; i < 7; ++i) {
    written.push_back({static_cast<std::uint16_t>(i % 2 == 0 ? 0 : 7), 1000 * i, Bytes(301 * i, i)});
    writer.Write(written.back().channel, written.back().time_ns, written.back().data);
    if (i % 3 == 2) writer.EndChunk();
  }
  if (finish) writer.Finish();
  return written;
}

// A file by hand: header, then these records.
std::string FileOf(const std::string& records) {
  std::string file(reinterpret_cast<const char*>(kMcapMagic.data()), kMcapMagic.size());
  const std::string header("\x01\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
  return file + header + records;
}
std::string Number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return text;
}
std::string RecordOf(char opcode, const std::string& content) {
  return opcode + Number(content.size(), 8) + content;
}
std::string ChunkOf(const std::string& records, const std::string& compression, const std::string& stored,
                    std::uint64_t size) {
  const std::uint32_t crc = Crc32({reinterpret_cast<const std::uint8_t*>(records.data()), records.size()});
  return RecordOf('\x06', Number(0, 16) + Number(size, 8) + Number(crc, 4) + Number(compression.size(), 4) +
                              compression + Number(stored.size(), 8) + stored);
}
std::string MessageOf(const std::string& data) {
  return RecordOf('\x05', Number(3, 2) + Number(0, 4) + Number(5, 8) + Number(5, 8) + data);
}

TEST(Mcap, WhatIsWrittenComesBackWithTopicsAndCounts) {
  const TemporaryFolder folder;
  const std::vector<Read> written = WriteSome(folder / "a.mcap");
  McapReader reader(folder / "a.mcap");
  EXPECT_FALSE(reader.is_cut());
  ASSERT_EQ(reader.channels().size(), 2U);
  EXPECT_EQ(reader.channels().at(7).topic, "/b");
  EXPECT_EQ(reader.channels().at(7).encoding, "cdr");
  EXPECT_EQ(reader.schemas().at(1).name, "a/msg/A");
  EXPECT_EQ(reader.schemas().at(1).text, "int32 x\n");
  EXPECT_EQ(reader.NumMessages(0), 4U);
  EXPECT_EQ(reader.NumMessages(7), 3U);
  EXPECT_EQ(ReadAll(reader), written);
  reader.Rewind();
  EXPECT_EQ(ReadAll(reader), written);
}

TEST(Mcap, AnEmptyFileIsWhole) {
  const TemporaryFolder folder;
  Writer(folder / "a.mcap").Finish();
  McapReader reader(folder / "a.mcap");
  EXPECT_FALSE(reader.is_cut());
  EXPECT_EQ(reader.channels().size(), 2U);
  EXPECT_TRUE(ReadAll(reader).empty());
}

TEST(Mcap, AChunkEndsWhenItIsFull) {
  const TemporaryFolder folder;
  McapWriter writer = Writer(folder / "a.mcap");
  const std::uint64_t before = writer.size_bytes();
  const std::vector<std::uint8_t> noise = Bytes(McapWriter::kChunk_bytes - 1000, 1);
  writer.Write(0, 1, noise);
  EXPECT_EQ(writer.size_bytes(), before);
  writer.Write(0, 2, Bytes(1000, 2));
  EXPECT_GT(writer.size_bytes(), before);
}

// Records of a file by its bytes: opcode, length of 8 bytes, content.
struct Record {
  char opcode;
  std::size_t begin;
  std::string content;
};
std::vector<Record> RecordsOf(const std::string& file) {
  std::vector<Record> records;
  for (std::size_t at = kMcapMagic.size(); at + kMcapMagic.size() < file.size();) {
    const auto length = LoadAs<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&file[at + 1]));
    records.push_back({file[at], at, file.substr(at + 9, length)});
    at += 9 + length;
  }
  return records;
}

TEST(Mcap, IndicesAndChecksumsAreAsTheFormatHasThem) {
  const TemporaryFolder folder;
  WriteSome(folder / "a.mcap");
  const std::string file = ReadText(folder / "a.mcap");
  // Three messages a chunk, of 9 + 22 bytes and data of 301 i bytes: message i begins behind those before it.
  std::string expected, indices;
  for (const auto& [channel, messages] : std::vector<std::pair<int, std::vector<unsigned>>>{
           {0, {0, 2}}, {7, {1}}, {0, {4}}, {7, {3, 5}}, {0, {6}}}) {
    expected += Number(static_cast<unsigned>(channel), 2) + Number(16 * messages.size(), 4);
    for (const unsigned i : messages) {
      std::size_t offset = 0;
      for (unsigned k = i / 3 * 3; k < i; ++k) offset += 31 + 301 * k;
      expected += Number(1000 * i, 8) + Number(offset, 8);
    }
  }
  int num_ends = 0;
  for (const Record& record : RecordsOf(file)) {
    if (record.opcode == '\x07') indices += record.content;
    if (record.opcode != '\x0f') continue;
    const std::uint32_t crc = Crc32({reinterpret_cast<const std::uint8_t*>(file.data()), record.begin});
    EXPECT_EQ(record.content, Number(crc, 4));
    ++num_ends;
  }
  EXPECT_EQ(indices, expected);
  EXPECT_EQ(num_ends, 1);
}

TEST(Mcap, TheSameMessagesGiveTheSameBytes) {
  const TemporaryFolder folder;
  WriteSome(folder / "a.mcap");
  WriteSome(folder / "b.mcap");
  EXPECT_EQ(ReadText(folder / "a.mcap"), ReadText(folder / "b.mcap"));
}

TEST(Mcap, CutAnywhereGivesItsWholeChunks) {
  const TemporaryFolder folder;
  const std::vector<Read> written = WriteSome(folder / "a.mcap");
  const std::string whole = ReadText(folder / "a.mcap");
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); size += size < 300 ? 1 : 13) {
    WriteText(folder / "cut.mcap", whole.substr(0, size));
    if (size < kMcapMagic.size()) {
      EXPECT_THAT(ErrorOf([&] { McapReader reader(folder / "cut.mcap"); }), HasSubstr("is not an MCAP"));
      continue;
    }
    McapReader reader(folder / "cut.mcap");
    EXPECT_TRUE(reader.is_cut());
    EXPECT_EQ(reader.NumMessages(0), std::nullopt);
    const std::vector<Read> read = ReadAll(reader);
    EXPECT_EQ(read.size() % 3, read.size() == written.size() ? 1U : 0U) << size;
    EXPECT_GE(read.size(), most);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), written.begin()));
    most = read.size();
  }
  EXPECT_EQ(most, written.size());
}

TEST(Mcap, AChunkThatIsDamagedIsToldAndTheOthersAreRead) {
  const TemporaryFolder folder;
  const std::vector<Read> written = WriteSome(folder / "a.mcap");
  std::string bytes = ReadText(folder / "a.mcap");
  const std::size_t chunk = bytes.find("zstd");
  ASSERT_NE(chunk, std::string::npos);
  bytes[chunk + 100] = static_cast<char>(bytes[chunk + 100] ^ 0x10);
  WriteText(folder / "a.mcap", bytes);
  McapReader reader(folder / "a.mcap");
  std::vector<std::string> errors;
  const std::vector<Read> read = ReadAll(reader, &errors);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("a.mcap: byte "));
  EXPECT_THAT(errors[0], HasSubstr("damaged"));
  EXPECT_EQ(read, std::vector<Read>(written.begin() + 3, written.end()));
}

TEST(Mcap, ReadsLz4AndMessagesOutsideChunks) {
  const TemporaryFolder folder;
  const std::string inside = MessageOf("inside");
  std::string stored(LZ4F_compressFrameBound(inside.size(), nullptr), '\0');
  stored.resize(LZ4F_compressFrame(stored.data(), stored.size(), inside.data(), inside.size(), nullptr));
  WriteText(folder / "a.mcap",
            FileOf(MessageOf("before") + ChunkOf(inside, "lz4", stored, inside.size()) +
                   ChunkOf(MessageOf("plain"), "", MessageOf("plain"), MessageOf("plain").size()) +
                   RecordOf('\x0f', Number(0, 4)) + MessageOf("beyond the end of data")));
  McapReader reader(folder / "a.mcap");
  std::vector<std::string> texts;
  for (const Read& read : ReadAll(reader)) texts.emplace_back(read.data.begin(), read.data.end());
  EXPECT_EQ(texts, (std::vector<std::string>{"before", "inside", "plain"}));
}

// More than a block of 1 MiB; the same bytes as less than they are, as more, and with others behind them.
TEST(Mcap, AChunkHoldsWhatItStates) {
  const TemporaryFolder folder;
  const std::string inside = MessageOf(std::string(3 << 20, 'x'));
  std::string zstd(ZSTD_compressBound(inside.size()), '\0'),
      lz4(LZ4F_compressFrameBound(inside.size(), nullptr), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), inside.data(), inside.size(), 1));
  lz4.resize(LZ4F_compressFrame(lz4.data(), lz4.size(), inside.data(), inside.size(), nullptr));
  for (const auto& [name, stored] : {std::pair<std::string, std::string>("zstd", zstd), {"lz4", lz4}}) {
    const auto read = [&, name = name](const std::string& bytes, std::uint64_t size) {
      WriteText(folder / "a.mcap", FileOf(ChunkOf(inside, name, bytes, size)));
      McapReader reader(folder / "a.mcap");
      return ReadAll(reader).at(0).data.size();
    };
    EXPECT_EQ(read(stored, inside.size()), std::size_t{3} << 20) << name;
    EXPECT_THROW(read(stored, inside.size() - 1), Error) << name;
    EXPECT_THROW(read(stored, inside.size() + 1), Error) << name;
    EXPECT_THROW(read(stored + "more", inside.size()), Error) << name;
    EXPECT_THROW(read(stored.substr(0, stored.size() - 9), inside.size()), Error) << name;
  }
}

// What stands at the end only saves reading: a damaged summary is as good as none.
TEST(Mcap, ADamagedSummaryIsPassedOver) {
  const TemporaryFolder folder;
  const std::vector<Read> written = WriteSome(folder / "a.mcap");
  const FileBytes whole = ReadFileBytes(folder / "a.mcap");
  const std::size_t footer = whole.size() - kMcapMagic.size() - 20;  // its content: two places and a checksum
  const auto reads_all = [&](const std::function<void(FileBytes&)>& change) {
    FileBytes bytes = whole;
    change(bytes);
    WriteText(folder / "b.mcap", std::string(bytes.begin(), bytes.end()));
    McapReader reader(folder / "b.mcap");
    EXPECT_EQ(ReadAll(reader), written);
    return reader.NumMessages(0).has_value();
  };
  EXPECT_TRUE(reads_all([](FileBytes&) {}));
  EXPECT_FALSE(reads_all([&](FileBytes& b) { b[footer + 16] ^= 1; }));  // the checksum
  EXPECT_FALSE(reads_all([&](FileBytes& b) { b[footer + 7] = 1; }));    // begins behind the file
  EXPECT_FALSE(reads_all([&](FileBytes& b) { std::fill_n(&b[footer], 8, std::uint8_t{0}); }));
  EXPECT_FALSE(reads_all([&](FileBytes& b) { b[footer - 9] = 3; }));  // no footer
  EXPECT_FALSE(reads_all([&](FileBytes& b) { b[footer - 8] = 21; }));
  EXPECT_FALSE(reads_all([](FileBytes& b) { b.back() ^= 1; }));
  // A record longer than the summary, without a checksum.
  EXPECT_FALSE(reads_all([&](FileBytes& b) {
    std::fill_n(&b[footer + 16], 4, std::uint8_t{0});
    b[LoadAs<std::uint64_t>(&b[footer]) + 7] = 1;
  }));
  McapReader reader(folder / "a.mcap");
  EXPECT_EQ(reader.NumMessages(99), 0U);
}

TEST(Mcap, RefusesWhatItIsNotInOneLine) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& bytes) {
    WriteText(folder / "x.mcap", bytes);
    return ErrorOf([&] {
      McapReader reader(folder / "x.mcap");
      ReadAll(reader);
    });
  };
  EXPECT_THAT(error_of(""), HasSubstr("it is empty"));
  EXPECT_THAT(error_of("#ROSBAG V2.0\n"), HasSubstr("is not an MCAP recording"));
  EXPECT_THAT(error_of(FileOf(ChunkOf("", "brotli", "xx", 2))),
              HasSubstr("'brotli', which is not supported"));
  EXPECT_THAT(error_of(FileOf(ChunkOf("", "zstd", "not zstd", 100))), HasSubstr("damaged"));
  EXPECT_THAT(error_of(FileOf(ChunkOf("", "lz4", "not lz4", 100))), HasSubstr("damaged"));
  EXPECT_THAT(error_of(FileOf(ChunkOf("", "", "", std::uint64_t{1} << 60))), HasSubstr("too large"));
  EXPECT_THAT(error_of(FileOf(ChunkOf("\x05\x02", "", "\x05\x02", 2))), HasSubstr("damaged"));
  EXPECT_THAT(ErrorOf([&] { McapReader reader(folder / "none.mcap"); }), HasSubstr("no such file"));
}

TEST(Mcap, WhatADiskDidNotTakeIsCutOff) {
  const TemporaryFolder folder;
  McapWriter writer = Writer(folder / "a.mcap");
  const auto write_chunk = [&](std::uint64_t time_ns) {
    writer.Write(0, time_ns, Bytes(50'000, static_cast<unsigned>(time_ns)));
    writer.EndChunk();
  };
  write_chunk(1);
  // Files may grow by 1000 bytes more, then writing fails.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = writer.size_bytes() + 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_chunk(2), Error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);
  EXPECT_EQ(std::filesystem::file_size(folder / "a.mcap"), writer.size_bytes());
  write_chunk(3);
  writer.Finish();
  McapReader reader(folder / "a.mcap");
  const std::vector<Read> messages = ReadAll(reader);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].time_ns, 3U);
}

TEST(Mcap, AFullDiskLeavesWholeChunks) {
  // /dev/full takes the place of a full disk; it is no file, and is refused as such.
  EXPECT_THAT(ErrorOf([] { Writer("/dev/full"); }), HasSubstr("is not a file"));
  EXPECT_THAT(ErrorOf([] { Writer("/nowhere/a.mcap"); }), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace parallax::test
