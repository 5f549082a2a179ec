// parallax verify: results that are the same, and what it says about those that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "tests/support/files.h"
#include "tests/support/run_program.h"
#include "tests/support/turned_camera.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
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

// Raw images of two cameras without lens errors, whose right one is turned from the 8th frame on.
class FollowedRun : public VerifyCommand {
 protected:
  void SetUp() override {
    const auto source = OpenSource({"synthetic:drive,frames=24,width=480,height=200,samples=1"});
    StereoRig rig;
    for (int i = 0; source->NextName(); ++i) {
      const StereoFrame frame = source->Read();
      rig = *frame.rig;
      const auto& right = std::get<HostImage<std::uint8_t>>(frame.right);
      char name[16];
      std::snprintf(name, sizeof name, "%02d.png", i);
      for (const char* folder : {"left", "still", "knocked"}) fs::create_directories(At(folder));
      WritePng(At("left/") + name, std::get<HostImage<std::uint8_t>>(frame.left).ConstView());
      WritePng(At("still/") + name, right.ConstView());
      WritePng(At("knocked/") + name,
               Turned(right, rig, i < 8 ? Vector3{} : Vector3{0.004, 0, -0.008}).ConstView());
    }
    const std::string camera = "{image_size_px: [480, 200], lens: pinhole, focal_px: [" +
                               std::to_string(rig.fx_px) + ", " + std::to_string(rig.fx_px) +
                               "], principal_point_px: [" + std::to_string(rig.cx_px) + ", " +
                               std::to_string(rig.cy_px) + "], distortion: []}";
    WriteText(At("rig.yaml"), "parallax_rig: 1\nleft: " + camera + "\nright: " + camera +
                                  "\nright_from_left: {rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation_m: "
                                  "[-" +
                                  std::to_string(rig.baseline_m) + ", 0, 0]}\n");
  }
  ProgramResult RunRaw(const std::string& right, const std::string& out, const Arguments& more = {},
                       const std::string& every = "2") const {
    return RunParallax(Arguments{"run", At("left/*.png"), At(right + "/*.png"), "--rig", At("rig.yaml"),
                                 "--config", "realtime", "--set", "matching_cost.num_disparities=32",
                                 "--write", "pfm,right", "--output", At(out), "--rig-watch", every} +
                       more);
  }
  bool SameFiles(const std::string& a, const std::string& b, const std::string& folder) const {
    int num_files = 0;
    for (const auto& entry : fs::directory_iterator(At(a) + "/" + folder)) {
      ++num_files;
      if (ReadText(entry.path()) != ReadText(At(b) + "/" + folder + "/" + entry.path().filename().string()))
        return false;
    }
    return num_files == 24;
  }
};

TEST_F(FollowedRun, TakesTheTurnOutAndGivesTheSameBytesAgain) {
  const ProgramResult run =
      RunRaw("knocked", "a", {"--rig-follow", "--record", At("a.mcap"), "--record-write", "disparity"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              testing::ContainsRegex("0.2[0-5][0-9] about x and -0.4[3-8][0-9] about z are corrected"));
  EXPECT_THAT(
      ReadText(At("a/journal.tsv")),
      AllOf(HasSubstr("\tturn=0 0"), testing::ContainsRegex("\tturn=(3[5-9]|4[0-4])[0-9][0-9] -[78]")));
  for (const char* backend : {"cpu", "reference"}) {
    const ProgramResult verified = Verify(At("a"), {"--backend", backend});
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("a: 24 frames, 48 files: the same bytes"));
  }
  const ProgramResult recorded = Verify(At("a.mcap"));
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  // Measured anew, it is the same, too, whatever runs at a time.
  ASSERT_EQ(RunRaw("knocked", "b", {"--rig-follow", "--in-flight", "1", "--threads", "1"}).exit_code, 0);
  EXPECT_TRUE(SameFiles("a", "b", "pfm"));
  ASSERT_EQ(RunRaw("knocked", "c").exit_code, 0);
  EXPECT_FALSE(SameFiles("a", "c", "right"));
}

TEST_F(FollowedRun, LeavesAnUnmovedRigBitForBit) {
  ASSERT_EQ(RunRaw("still", "a", {"--rig-follow"}).exit_code, 0);
  ASSERT_EQ(RunRaw("still", "b").exit_code, 0);
  EXPECT_TRUE(SameFiles("a", "b", "pfm"));
  EXPECT_TRUE(SameFiles("a", "b", "right"));
}

TEST_F(FollowedRun, RefusesWhatItCannotFollow) {
  EXPECT_THAT(Run("a", {"--rig-follow"}).err, HasSubstr("already rectified: leave it out"));
  EXPECT_THAT(RunRaw("still", "b", {"--rig-follow"}, "0").err,
              HasSubstr("--rig-follow needs measurements of the rig"));
  EXPECT_THAT(RunRaw("still", "c", {"--rig-follow", "--resume"}).err, HasSubstr("cannot reproduce"));
  EXPECT_THAT(RunRaw("still", "d", {"--rig-follow", "--shard", "0/2"}).err,
              HasSubstr("a rig is followed from frame to frame: leave out --rig-follow"));
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
  EXPECT_THAT(old.err, HasSubstr("does not hold the command of the run"));
}

}  // namespace
}  // namespace parallax::test
