// Records kept outside memory.
#include "app/output/record_spool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

std::string RecordNumber(std::size_t i) { return std::to_string(i) + std::string(i % 997, 'x'); }

class RecordSpoolTest : public testing::TestWithParam<bool> {
 protected:
  RecordSpoolTest() : folder_(fs::path(testing::TempDir()) / ("record_spool_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~RecordSpoolTest() override { fs::remove_all(folder_); }
  fs::path folder_;
};

// Seven megabytes, so that most lie in the file, where there is one.
TEST_P(RecordSpoolTest, AllComeBackInOrderAndByPosition) {
  constexpr std::size_t kCount = 14'000;
  RecordSpool spool(GetParam() ? folder_ : fs::path());
  for (std::size_t i = 0; i < kCount; ++i) spool.Add(RecordNumber(i));
  EXPECT_EQ(spool.size(), kCount);
  std::vector<std::uint64_t> positions;
  spool.ForEach([&](std::uint64_t position, std::string_view record) {
    EXPECT_EQ(record, RecordNumber(positions.size()));
    positions.push_back(position);
    return true;
  });
  ASSERT_EQ(positions.size(), kCount);
  for (std::size_t i = 0; i < kCount; i += 3) {
    const std::size_t j = i * 7919 % kCount;  // to and fro
    ASSERT_EQ(spool.At(positions[j]), RecordNumber(j));
  }
  EXPECT_TRUE(fs::is_empty(folder_));  // the file has no name
}

TEST_P(RecordSpoolTest, VisitingEndsWhereItIsToldTo) {
  RecordSpool spool(GetParam() ? folder_ : fs::path());
  for (std::size_t i = 0; i < 5; ++i) spool.Add(RecordNumber(i));
  int num_visited = 0;
  spool.ForEach([&](std::uint64_t, std::string_view) { return ++num_visited < 3; });
  EXPECT_EQ(num_visited, 3);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFile, RecordSpoolTest, testing::Bool());

TEST(RecordSpool, AFolderThatIsNotThereCostsMemoryOnly) {
  RecordSpool spool("/nowhere/at/all");
  for (std::size_t i = 0; i < 9'000; ++i) spool.Add(RecordNumber(i));
  std::size_t num = 0;
  spool.ForEach([&](std::uint64_t, std::string_view record) { return record == RecordNumber(num++); });
  EXPECT_EQ(num, 9'000U);
}

}  // namespace
}  // namespace parallax::app
