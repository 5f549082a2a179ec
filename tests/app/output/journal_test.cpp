// The journal of a folder of results: half-written results are distinguished from the rest.
#include "app/output/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "app/output/result_folder.h"
#include "parallax/error.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;
using test::ReadText;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(Journal, LinesReadBack) {
  const JournalRecord record =
      JournalRecord{"frame"}.Add("name", "a\tb\nc\\d").Add("file", "x=1").Add("file", "").Add("", "y");
  const std::string line = JournalLine(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  JournalRecord read;
  ASSERT_TRUE(ParseJournalLine(line, read));
  EXPECT_EQ(read.kind, "frame");
  EXPECT_EQ(read.fields, record.fields);
  EXPECT_EQ(read.Get("name"), "a\tb\nc\\d");
  EXPECT_EQ(read.Get("nothing"), "");
}

TEST(Journal, AnyOtherByteIsNoticed) {
  const std::string line = JournalLine(JournalRecord{"frame"}.Add("name", "000000_10"));
  JournalRecord read;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::string changed = line;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_FALSE(ParseJournalLine(changed, read)) << changed;
    EXPECT_FALSE(ParseJournalLine(line.substr(0, i), read)) << i;
  }
}

TEST(Journal, GoesOnAfterALineThatWasCutShort) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "journal.tsv";
  {
    Journal journal(file);
    journal.Append(JournalRecord{"a"}.Add("n", "1"));
    journal.Append(JournalRecord{"a"}.Add("n", "2"));
  }
  fs::resize_file(file, fs::file_size(file) - 3);
  {
    Journal journal(file);
    ASSERT_EQ(journal.records().size(), 1U);
    journal.Append(JournalRecord{"a"}.Add("n", "3"));
  }
  Journal journal(file);
  ASSERT_EQ(journal.records().size(), 2U);
  EXPECT_EQ(journal.records()[1].Get("n"), "3");
}

TEST(Journal, IsOpenOnceAtATime) {
  const TemporaryFolder folder;
  const Journal journal(folder.path() / "journal.tsv");
  EXPECT_THROW(Journal(folder.path() / "journal.tsv"), Error);
}

TEST(Journal, TakesLinesOfSeveralThreads) {
  const TemporaryFolder folder;
  {
    Journal journal(folder.path() / "journal.tsv");
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&journal, t] {
        for (int i = 0; i < 100; ++i)
          journal.Append(JournalRecord{std::to_string(t)}.Add("i", std::to_string(i)));
      });
    }
  }
  EXPECT_EQ(Journal(folder.path() / "journal.tsv").records().size(), 400U);
}

class ResultFolderTest : public ::testing::Test {
 protected:
  ResultFolder Open(UsedFolder used = {}) const { return {folder_.path(), {{"x", ".txt"}}, used}; }
  void Put(const std::string& name) const { test::WriteText(folder_.path() / name, name); }
  TemporaryFolder folder_;
};

// Killed between the start of a result and its end: its files are known, and not trusted.
TEST_F(ResultFolderTest, WhatWasNotFinishedIsKnown) {
  {
    ResultFolder results(folder_.path(), {{"x", ".txt"}}, {});
    results.Begin(JournalRecord{}.Add("p", "1"));
    results.Start("a", {"x/a.txt"});
    Put("x/a.txt");
  }
  EXPECT_THROW(ResultFolder(folder_.path(), {{"x", ".txt"}}, {}), InvalidArgument);
  {
    const ResultFolder again(folder_.path(), {{"x", ".txt"}}, {.resume = true});
    EXPECT_TRUE(again.goes_on());
    EXPECT_EQ(again.before().Get("p"), "1");
    EXPECT_FALSE(again.Find("a"));
  }
  ResultFolder replaced(folder_.path(), {{"x", ".txt"}}, {.overwrite = true});
  EXPECT_TRUE(fs::exists(folder_.path() / "x/a.txt"));
  replaced.Begin({});
  EXPECT_FALSE(fs::exists(folder_.path() / "x/a.txt"));
}

TEST_F(ResultFolderTest, FilesThatAResultDoesNotHaveAreKnownToo) {
  {
    ResultFolder results(folder_.path(), {{"x", ".txt"}}, {});
    results.Begin({});
    Put("x/a.txt");
    results.Finish("a", "here", {{"k", "v"}}, {"x/a.txt", "x/never.txt"});
  }
  {
    ResultFolder results(folder_.path(), {{"x", ".txt"}}, {.resume = true});
    results.Begin({});
    Put("x/more.txt");
    results.Finish("a", "there", {{"k", "v"}}, {"x/more.txt"});
  }
  const ResultFolder again(folder_.path(), {{"x", ".txt"}}, {.resume = true});
  const auto result = again.Find("a");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->origin, "there");
  EXPECT_TRUE(result->Covers("x/a.txt"));  // of the same input, written before
  EXPECT_TRUE(result->Covers("x/more.txt"));
  EXPECT_TRUE(IsIntact(folder_.path(), *result));
  fs::remove(folder_.path() / "x/a.txt");
  EXPECT_FALSE(IsIntact(folder_.path(), *result));
  EXPECT_TRUE(IsAnyIntact(folder_.path(), *result));
}

// A journal that somebody wrote must not lead outside.
TEST_F(ResultFolderTest, OnlyFilesBelowTheFolderAreRemoved) {
  const TemporaryFolder other;
  test::WriteText(other.path() / "keep", "x");
  {
    Journal journal(folder_.path() / "journal.tsv");
    journal.Append(JournalRecord{"run"});
    journal.Append(JournalRecord{"start"}.Add("name", "a").Add("file", (other.path() / "keep").string()));
    journal.Append(JournalRecord{"start"}
                       .Add("name", "b")
                       .Add("file", "../" + other.path().filename().string() + "/keep"));
    journal.Append(JournalRecord{"start"}.Add("name", "c").Add("file", "x/c.txt"));
  }
  Put("x/c.txt");
  ResultFolder results(folder_.path(), {{"x", ".txt"}}, {.overwrite = true});
  results.Begin({});
  EXPECT_TRUE(fs::exists(other.path() / "keep"));
  EXPECT_FALSE(fs::exists(folder_.path() / "x/c.txt"));
}

}  // namespace
}  // namespace parallax::app
