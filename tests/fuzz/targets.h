// What is fuzzed: everything that reads bytes or text from outside. One target per reader.
//
// Whatever the bytes, a reader either returns something sound or throws parallax::Error with one line; a
// target throws std::logic_error where it does neither. The same targets are run by libFuzzer (PARALLAX_FUZZ,
// clang) and, over their seeds and mutations of them, by the ordinary tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::fuzz {

using Bytes = std::vector<std::uint8_t>;

struct Target {
  std::string_view name;
  void (*feed)(std::span<const std::uint8_t> bytes);
  std::vector<Bytes> (*make_seeds)();  // sound inputs, small
};

const std::vector<Target>& Targets();

// Hands the bytes to `read` as a file. Lets parallax::Error pass when its text is one line; a longer one, or
// another exception, is a finding.
void ReadAsFile(std::span<const std::uint8_t> bytes,
                const std::function<void(const std::filesystem::path&)>& read);

// The bytes of a file that `write` makes.
Bytes WrittenBytes(const std::function<void(const std::filesystem::path&)>& write, std::string_view name);
Bytes BytesOf(std::string_view text);

// Throws std::logic_error when the condition does not hold.
void Require(bool condition, std::string_view what);

}  // namespace parallax::fuzz
