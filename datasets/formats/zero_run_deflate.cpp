#include "datasets/formats/zero_run_deflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

namespace parallax {
namespace {

constexpr int kEndOfBlock = 256;
constexpr int kFirstLength = 257;
constexpr int kNumSymbols = 286;  // literals, end of block, lengths
constexpr int kNumDistances = 2;  // 1 and, so that the code is complete, the unused 2; one bit each
constexpr int kNumLengthLengths = 19;
constexpr std::size_t kShortestMatch = 3, kLongestMatch = 258;
// 64 bits hold four codes and up to 7 bits left over. 32 bits hold two codes and their length.
constexpr int kMaxCodeLength = 13;

using Counts = std::array<std::uint64_t, kNumSymbols>;
using Lengths = std::array<std::uint8_t, kNumSymbols>;

struct Code {
  std::uint16_t bits;  // the first to be written lowest
  std::uint16_t length;
};
using Codes = std::array<Code, kNumSymbols>;

struct MatchLength {
  int symbol;
  int num_extra_bits;
  std::uint64_t extra_bits;
};

// RFC 1951, 3.2.5.
MatchLength MatchLengthOf(std::size_t length) {
  const auto above = static_cast<unsigned>(length - kShortestMatch);
  if (length == kLongestMatch) return {kNumSymbols - 1, 0, 0};
  if (above < 8) return {kFirstLength + static_cast<int>(above), 0, 0};
  const int num_extra_bits = std::bit_width(above) - 3;
  return {kFirstLength + 4 * num_extra_bits + static_cast<int>(above >> num_extra_bits), num_extra_bits,
          above & ((1U << num_extra_bits) - 1)};
}

// Calls on_word(8 bytes) and on_zeros(their number), and on_byte(byte) at the end: runs count in steps of
// 8 bytes, which one comparison finds.
template <typename OnWord, typename OnZeros, typename OnByte>
void WalkBytes(std::span<const std::uint8_t> bytes, OnWord on_word, OnZeros on_zeros, OnByte on_byte) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  std::size_t at = 0;
  while (bytes.size() - at >= kStep) {
    const std::size_t begin = at;
    auto word = LoadAs<std::uint64_t>(&bytes[at]);
    at += kStep;
    if (word != 0) {
      on_word(word);
      continue;
    }
    while (bytes.size() - at >= kStep && LoadAs<std::uint64_t>(&bytes[at]) == 0) at += kStep;
    on_zeros(at - begin);
  }
  for (; at < bytes.size(); ++at) on_byte(bytes[at]);
}

// The matches that repeat a zero `count` times; count >= kShortestMatch.
template <typename OnMatch>
void SplitIntoMatches(std::size_t count, OnMatch on_match) {
  while (count > 0) {
    std::size_t length = std::min(count, kLongestMatch);
    const std::size_t rest = count - length;
    if (rest > 0 && rest < kShortestMatch) length -= kShortestMatch;
    on_match(MatchLengthOf(length));
    count -= length;
  }
}

// How often every symbol occurs. In long data only every fourth block of 4 KiB is counted: disparities become
// 0.02 % longer, in three quarters of the time.
Counts CountSymbols(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kLong_bytes = std::size_t{128} << 10;
  constexpr unsigned kBlock_words = 512, kOneOf = 4;
  const bool is_sampled = bytes.size() >= kLong_bytes;
  const unsigned one_of = is_sampled ? kOneOf : 1;
  Counts counts{};
  // Several tables, because counting the same byte twice in a row waits for the first count to be stored.
  std::array<std::array<std::uint32_t, 256>, 4> literals{};
  unsigned num_words = 0;
  WalkBytes(
      bytes,
      [&](std::uint64_t word) {
        if (num_words++ / kBlock_words % one_of != 0) return;
        for (unsigned i = 0; i < 8; ++i) ++literals[i % 4][(word >> (8 * i)) & 0xFF];
      },
      [&](std::size_t num_zeros) {
        ++counts[0];
        SplitIntoMatches(num_zeros - 1,
                         [&](const MatchLength& match) { ++counts[static_cast<std::size_t>(match.symbol)]; });
      },
      [&](std::uint8_t byte) { ++counts[byte]; });
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (const auto& table : literals) counts[byte] += std::uint64_t{one_of} * table[byte];
    if (is_sampled) ++counts[byte];  // it may be among those that were not looked at
  }
  counts[kEndOfBlock] = 1;
  return counts;
}

// Code lengths by Huffman's method; at least two counts are above 0. While a code is too long, all counts are
// halved: that costs a few bits in a file in which such symbols hardly occur.
Lengths CodeLengths(Counts counts) {
  std::vector<std::size_t> symbols;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) symbols.push_back(symbol);
  }
  const std::size_t num_leaves = symbols.size(), num_nodes = 2 * num_leaves - 1;
  std::vector<std::uint64_t> weight(num_nodes);
  std::vector<std::size_t> parent(num_nodes);
  std::vector<std::uint8_t> depth(num_nodes);
  while (true) {
    std::stable_sort(symbols.begin(), symbols.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
    for (std::size_t i = 0; i < num_leaves; ++i) weight[i] = counts[symbols[i]];
    // Leaves and inner nodes are both in order of weight: the lightest is the first of one of the two.
    std::size_t leaf = 0, inner = num_leaves;
    for (std::size_t node = num_leaves; node < num_nodes; ++node) {
      weight[node] = 0;
      for (int child = 0; child < 2; ++child) {
        const bool take_leaf = leaf < num_leaves && (inner == node || weight[leaf] <= weight[inner]);
        const std::size_t lightest = take_leaf ? leaf++ : inner++;
        weight[node] += weight[lightest];
        parent[lightest] = node;
      }
    }
    depth[num_nodes - 1] = 0;
    for (std::size_t node = num_nodes - 1; node-- > 0;) {
      depth[node] = static_cast<std::uint8_t>(depth[parent[node]] + 1);
    }
    if (depth[0] <= kMaxCodeLength) break;
    for (std::uint64_t& count : counts) count = (count + 1) / 2;
  }
  Lengths lengths{};
  for (std::size_t i = 0; i < num_leaves; ++i) lengths[symbols[i]] = depth[i];
  return lengths;
}

// The canonical codes of RFC 1951, 3.2.2.
Codes CodesOf(const Lengths& lengths) {
  Codes codes{};
  unsigned next = 0;
  for (int length = 1; length <= kMaxCodeLength; ++length) {
    next <<= 1;
    for (std::size_t symbol = 0; symbol < codes.size(); ++symbol) {
      if (lengths[symbol] != length) continue;
      unsigned reversed = 0;
      for (int bit = 0; bit < length; ++bit) reversed |= (next >> bit & 1) << (length - 1 - bit);
      codes[symbol] = {static_cast<std::uint16_t>(reversed), static_cast<std::uint16_t>(length)};
      ++next;
    }
  }
  return codes;
}

class BitWriter {
 public:
  // Writes up to 8 bytes beyond the last bit.
  explicit BitWriter(std::uint8_t* out) : out_(out) {}
  // Adds bits; at most 56 between two calls of Flush.
  void Add(std::uint64_t bits, unsigned count) {
    held_ |= bits << num_held_;
    num_held_ += count;
  }
  void Add(Code code) { Add(code.bits, code.length); }
  void Flush() {
    std::memcpy(out_, &held_, sizeof(held_));
    out_ += num_held_ / 8;
    held_ >>= num_held_ & ~7U;
    num_held_ %= 8;
  }
  // Behind the last byte, once all is flushed; the bits that are left in it are zeros.
  const std::uint8_t* End() const { return out_ + (num_held_ > 0 ? 1 : 0); }

 private:
  std::uint8_t* out_;
  std::uint64_t held_ = 0;
  unsigned num_held_ = 0;
};

// The head of a block of dynamic codes (RFC 1951, 3.2.7). Lengths are written in 4 bits each: shorter codes
// for them would save some 60 bytes a file.
constexpr unsigned kLengthBits = 4;
constexpr std::size_t kHeadBits =
    3 + 5 + 5 + 4 + 3 * kNumLengthLengths + kLengthBits * (kNumSymbols + kNumDistances);

void WriteHead(const Lengths& lengths, BitWriter& writer) {
  const auto write_length = [&](unsigned length) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < kLengthBits; ++bit)
      reversed |= (length >> bit & 1) << (kLengthBits - 1 - bit);
    writer.Add(reversed, kLengthBits);
    writer.Flush();
  };
  writer.Add(1, 1);  // the last block
  writer.Add(2, 2);  // of dynamic codes
  writer.Add(kNumSymbols - kFirstLength, 5);
  writer.Add(kNumDistances - 1, 5);
  writer.Add(kNumLengthLengths - 4, 4);
  writer.Flush();
  // The codes of the lengths in their odd order: the first three, which repeat lengths, are not used.
  for (int i = 0; i < kNumLengthLengths; ++i) {
    writer.Add(i < 3 ? 0 : kLengthBits, 3);
    writer.Flush();
  }
  for (const std::uint8_t length : lengths) write_length(length);
  for (int i = 0; i < kNumDistances; ++i) write_length(1);
}

// Two bytes are looked up at a time: their codes one after the other and, above kPairBits, the length of
// both. Few of all pairs come up often, so that these stay in the nearest cache.
constexpr int kPairBits = 2 * kMaxCodeLength;
constexpr std::uint32_t kPairMask = (1U << kPairBits) - 1;
std::vector<std::uint32_t> PairCodesOf(const Codes& codes) {
  std::vector<std::uint32_t> pairs;
  pairs.reserve(256 * 256);
  for (std::size_t second = 0; second < 256; ++second) {
    const std::uint32_t bits = codes[second].bits, length = codes[second].length;
    for (std::size_t first = 0; first < 256; ++first) {
      const std::uint32_t first_length = codes[first].length;
      pairs.push_back(codes[first].bits | bits << first_length | (first_length + length) << kPairBits);
    }
  }
  return pairs;
}

void WriteBytes(std::span<const std::uint8_t> bytes, const Codes& codes, BitWriter& writer_out) {
  BitWriter writer = writer_out;  // kept in registers
  const std::vector<std::uint32_t> pairs = PairCodesOf(codes);
  WalkBytes(
      bytes,
      [&](std::uint64_t word) {
        for (int half = 0; half < 2; ++half, word >>= 32) {
          const std::uint32_t ab = pairs[word & 0xFFFF], cd = pairs[word >> 16 & 0xFFFF];
          const unsigned ab_length = ab >> kPairBits, cd_length = cd >> kPairBits;
          writer.Add((ab & kPairMask) | std::uint64_t{cd & kPairMask} << ab_length, ab_length + cd_length);
          writer.Flush();
        }
      },
      [&](std::size_t num_zeros) {
        writer.Add(codes[0]);
        SplitIntoMatches(num_zeros - 1, [&](const MatchLength& match) {
          writer.Add(codes[static_cast<std::size_t>(match.symbol)]);
          writer.Add(match.extra_bits, static_cast<unsigned>(match.num_extra_bits));
          writer.Add(0, 1);  // distance 1
          writer.Flush();
        });
      },
      [&](std::uint8_t byte) {
        writer.Add(codes[byte]);
        writer.Flush();
      });
  writer.Add(codes[kEndOfBlock]);
  writer.Flush();
  writer_out = writer;
}

}  // namespace

FileBytes ZlibStreamOf(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kZlibHead_bytes = 2, kChecksum_bytes = 4;
  Counts counts = CountSymbols(bytes);
  if (bytes.empty()) counts[0] = 1;  // a code needs two symbols
  const Lengths lengths = CodeLengths(counts);
  // No byte takes more than the longest code, nor does a run of zeros take more than as many bytes would.
  const std::size_t most_bits = kHeadBits + kMaxCodeLength * (bytes.size() + 1);
  const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(kZlibHead_bytes + most_bits / 8 +
                                                                     sizeof(std::uint64_t) + 1);
  buffer[0] = 0x78;  // deflate, window of 32 KiB
  buffer[1] = 0x01;  // fastest; makes the two a multiple of 31
  BitWriter writer(&buffer[kZlibHead_bytes]);
  WriteHead(lengths, writer);
  WriteBytes(bytes, CodesOf(lengths), writer);
  const auto stream_bytes = static_cast<std::size_t>(writer.End() - buffer.get());

  FileBytes stream;
  stream.reserve(stream_bytes + kChecksum_bytes);
  stream.assign(buffer.get(), buffer.get() + stream_bytes);
  const std::uint32_t checksum = libdeflate_adler32(1, bytes.data(), bytes.size());
  for (int shift = 24; shift >= 0; shift -= 8) stream.push_back(static_cast<std::uint8_t>(checksum >> shift));
  return stream;
}

}  // namespace parallax
