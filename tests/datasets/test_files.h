// Files that the tests of datasets/ write and read.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "pipeline/error.h"

namespace parallax::test {

// A folder of its own for every object, removed with it.
class TempDir {
 public:
  TempDir() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("parallax_test_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Writes a file, and the folders it needs.
inline std::filesystem::path WriteText(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path;
}

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The first `size_bytes` of a file as another file.
inline std::filesystem::path WriteBeginning(const std::filesystem::path& from,
                                            const std::filesystem::path& to, std::size_t size_bytes) {
  return WriteText(to, ReadText(from).substr(0, size_bytes));
}

// Text of the parallax::Error that `action` throws; "" (and a failure) when it throws none.
inline std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "an error is one line";
    return error.what();
  }
  ADD_FAILURE() << "no parallax::Error was thrown";
  return "";
}

// The real data (../shared/data for the developers), or nothing.
inline std::filesystem::path RealData() {
  const char* folder = std::getenv("PARALLAX_DATA");
  return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder);
}

}  // namespace parallax::test

#define PARALLAX_NEEDS_REAL_DATA()                                                         \
  if (!std::filesystem::is_directory(parallax::test::RealData())) {                        \
    GTEST_SKIP() << "PARALLAX_DATA does not name the folder of the real data; not tested"; \
  }
