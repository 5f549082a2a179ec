// Files that the tests of datasets/ write and read.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "parallax/error.h"
#include "tests/support/files.h"

namespace parallax::test {

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
