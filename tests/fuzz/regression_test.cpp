// The fuzz targets as ordinary tests: seeds, every beginning of them, and mutations that are the same in
// every run. Findings of libFuzzer belong into the seeds of their target.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "datasets/synthetic/random.h"
#include "tests/fuzz/targets.h"

namespace parallax::fuzz {

// What a test's name says of its parameter: not the bytes in memory.
void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

std::string Printable(const Bytes& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    if (byte >= 32 && byte < 127 && byte != '\\') {
      text += static_cast<char>(byte);
    } else {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return text.substr(0, 2000);
}

void Feed(const Target& target, const Bytes& bytes) {
  EXPECT_NO_THROW(target.feed(bytes)) << target.name << " on " << Printable(bytes);
}

Bytes Mutated(Bytes bytes, const Bytes& other, synthetic::Random& random) {
  static const Bytes kInteresting[] = {BytesOf("-1"),
                                       BytesOf("0"),
                                       BytesOf("2147483648"),
                                       BytesOf("4294967297"),
                                       BytesOf("1e39"),
                                       BytesOf("nan"),
                                       BytesOf("inf"),
                                       BytesOf("\n\n"),
                                       BytesOf("18446744073709551615"),
                                       {0xFF, 0xFF, 0xFF, 0x7F},
                                       {0, 0, 0, 0},
                                       {0x7F, 0xC0, 0, 0}};
  const auto place = [&](std::size_t size) {
    return static_cast<std::ptrdiff_t>(random.Integer(0, static_cast<int>(size)));
  };
  for (int n = random.Integer(1, 4); n > 0; --n) {
    const std::ptrdiff_t at = place(bytes.size());
    const std::ptrdiff_t end = std::min<std::ptrdiff_t>(at + random.Integer(1, 16), std::ssize(bytes));
    switch (random.Integer(0, 5)) {
      case 0:  // a bit
        if (at < end) bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1 << random.Integer(0, 7)));
        break;
      case 1:  // a byte
        if (at < end) bytes[at] = static_cast<std::uint8_t>(random.Integer(0, 255));
        break;
      case 2:  // a piece is lost
        bytes.erase(bytes.begin() + at, bytes.begin() + end);
        break;
      case 3: {  // a piece comes twice
        const Bytes piece(bytes.begin() + at, bytes.begin() + end);
        bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
        break;
      }
      case 4: {  // a number takes a piece's place
        const Bytes& number = kInteresting[random.Integer(0, std::size(kInteresting) - 1)];
        bytes.erase(bytes.begin() + at, bytes.begin() + std::min(end, at + 3));
        bytes.insert(bytes.begin() + at, number.begin(), number.end());
        break;
      }
      default:  // the rest of another seed follows
        bytes.resize(static_cast<std::size_t>(at));
        bytes.insert(bytes.end(), other.begin() + place(other.size()), other.end());
    }
  }
  return bytes;
}

class FuzzRegression : public testing::TestWithParam<Target> {};

TEST_P(FuzzRegression, Seeds) {
  Feed(GetParam(), {});
  for (const Bytes& seed : GetParam().make_seeds()) {
    ASSERT_FALSE(seed.empty());
    Feed(GetParam(), seed);
  }
}

TEST_P(FuzzRegression, BeginningsOfSeeds) {
  for (const Bytes& seed : GetParam().make_seeds()) {
    const std::size_t step = std::max<std::size_t>(1, seed.size() / 60);
    for (std::size_t size = 0; size < seed.size() && !HasFailure(); size += step) {
      Feed(GetParam(), Bytes(seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(size)));
    }
  }
}

TEST_P(FuzzRegression, MutationsOfSeeds) {
  const auto seeds = GetParam().make_seeds();
  synthetic::Random random(1);
  // More by hand: PARALLAX_FUZZ_RUNS=100000.
  const char* runs = std::getenv("PARALLAX_FUZZ_RUNS");
  const int num_runs = runs == nullptr ? 500 : std::atoi(runs);
  for (int run = 0; run < num_runs && !HasFailure(); ++run) {
    const Bytes& seed = seeds[static_cast<std::size_t>(run) % seeds.size()];
    Feed(GetParam(),
         Mutated(seed, seeds[static_cast<std::size_t>(random.Integer(0, 99)) % seeds.size()], random));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzRegression, testing::ValuesIn(Targets()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace parallax::fuzz
