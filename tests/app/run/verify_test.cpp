// parallax verify: results that are the same, and what it says about those that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/files.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class VerifyCommand : public ::testing::Test {
 protected:
  std::string At(const std::string& name) const { return (folder_.path() / name).string(); }

  ProgramResult Run(const std::string& out, const Arguments& more = {}) const {
    return RunParallax(Arguments{"run", kSource, "--config", "realtime", "--set",
                                 "matching_cost.num_disparities=24", "--output", At(out)} +
                       more);
  }
  static ProgramResult Verify(const std::string& results, const Arguments& more = {}) {
    return RunParallax(Arguments{"verify", results} + more);
  }
  // Changes the first place with that text in a file.
  static void Replace(const fs::path& file, const std::string& from, const std::string& to) {
    std::string text = ReadText(file);
    ASSERT_NE(text.find(from), std::string::npos) << file;
    WriteText(file, text.replace(text.find(from), from.size(), to));
  }

  static constexpr const char* kSource = "synthetic:drive,frames=3,width=99,height=41,samples=1";
  TemporaryFolder folder_;
};

TEST_F(VerifyCommand, FindsTheSameBytesOnEveryBackEnd) {
  ASSERT_EQ(Run("a", {"--write", "disparity,pfm,color,depth,cloud,pcd,confidence,validity,sigma"}).exit_code,
            0);
  for (const char* backend : {"cpu", "reference"}) {
    const ProgramResult verified = Verify(At("a"), {"--backend", backend});
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("a: 3 frames, 27 files: the same bytes"));
    EXPECT_THAT(verified.out, HasSubstr(std::string("on ") + backend));
    EXPECT_FALSE(fs::exists(At("a.verify")));
  }
}

TEST_F(VerifyCommand, NamesFrameFilePixelAndValuesThatDiffer) {
  ASSERT_EQ(Run("a", {"--write", "pfm"}).exit_code, 0);
  Replace(At("a/parameters.yaml"), "p1: 10 ", "p1: 2 ");
  const ProgramResult verified = Verify(At("a"));
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err,
              testing::ContainsRegex("frame [0-9_]+ differs: pfm/[0-9_]+\\.pfm: pixel \\([0-9]+, "
                                     "[0-9]+\\) is [0-9.]+ instead of [0-9.]+; [0-9]+ pixels"));
  EXPECT_THAT(verified.err, HasSubstr("cpu and the reference agree in every stage"));
  EXPECT_TRUE(fs::exists(At("a.verify/results/pfm")));
  const ProgramResult again = Verify(At("a"));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("a.verify: exists"));
}

TEST_F(VerifyCommand, NamesAFileThatWasChangedLater) {
  ASSERT_EQ(Run("a", {"--write", "cloud"}).exit_code, 0);
  const fs::path file = fs::directory_iterator(At("a/cloud"))->path();
  WriteText(file, ReadText(file) + "x");
  const ProgramResult verified = Verify(At("a"));
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err, HasSubstr(file.string() + ": is not as the run wrote it"));
}

TEST_F(VerifyCommand, TakesRecordings) {
  ASSERT_EQ(Run("a", {"--record", At("a.mcap"), "--record-write", "depth,depth-mm,disparity,cloud",
                      "--show-filled"})
                .exit_code,
            0);
  const ProgramResult verified = Verify(At("a.mcap"));
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("3 frames, 30 messages: the same bytes"));
  ASSERT_EQ(Run("b", {"--record", At("b.mcap"), "--record-write", "disparity", "--set", "filter.median=5"})
                .exit_code,
            0);
  EXPECT_EQ(Verify(At("b.mcap")).exit_code, 0);
}

TEST_F(VerifyCommand, TakesAFilterOverTimeAndSmallerImages) {
  for (const char* preset : {"handheld", "robot"}) {
    const std::string name = preset;
    ASSERT_EQ(RunParallax({"run", kSource, "--config", preset, "--output", At(name), "--record",
                           At(name + ".mcap"), "--record-write", "disparity"})
                  .exit_code,
              0);
    const ProgramResult verified = Verify(At(name + ".mcap"));
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
    EXPECT_EQ(Verify(At(name)).exit_code, 0);
  }
}

TEST_F(VerifyCommand, TakesShardsAndWhatTheyBecome) {
  for (const char* shard : {"0/2", "1/2"}) ASSERT_EQ(Run("a", {"--shard", shard}).exit_code, 0);
  EXPECT_EQ(Verify(At("a/shard-1-of-2")).exit_code, 0);
  ASSERT_EQ(RunParallax({"merge", At("a"), "--output", At("b")}).exit_code, 0);
  const ProgramResult verified = Verify(At("b"));
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("b: 3 frames"));
}

TEST_F(VerifyCommand, RefusesWhatCannotBeMadeAgain) {
  EXPECT_THAT(Verify(At("nothing")).err, HasSubstr("no such file"));
  fs::create_directory(At("empty"));
  EXPECT_THAT(Verify(At("empty")).err, HasSubstr("is not the folder of a run"));
  ASSERT_EQ(Run("a", {"--write", "pfm"}).exit_code, 0);
  const ProgramResult moved = Verify(At("a"), {At("moved")});
  EXPECT_EQ(moved.exit_code, 1);
  EXPECT_THAT(moved.err, HasSubstr(At("moved") + ": no such file or folder"));
  const ProgramResult camera = Verify(At("a"), {"camera:0"});
  EXPECT_EQ(camera.exit_code, 1);
  EXPECT_THAT(camera.err, HasSubstr("a camera's frames cannot be read again"));
  ASSERT_EQ(Run("none", {"--write", "none"}).exit_code, 0);
  EXPECT_THAT(Verify(At("none")).err, HasSubstr("holds no files of frames"));
  // An older version kept no command.
  std::string kept;
  std::istringstream lines(ReadText(At("a/journal.tsv")));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\tcommand\t") == std::string::npos) kept += line + "\n";
  }
  WriteText(At("a/journal.tsv"), kept);
  const ProgramResult old = Verify(At("a"));
  EXPECT_EQ(old.exit_code, 1);
  EXPECT_THAT(old.err, HasSubstr("does not hold the command that made it"));
}

}  // namespace
}  // namespace parallax::test
