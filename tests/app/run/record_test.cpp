// parallax run --record: what is in the recording, and that it gives the same results again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "datasets/formats/image_file.h"
#include "datasets/formats/mcap_reader.h"
#include "datasets/formats/ros_messages.h"
#include "datasets/source.h"
#include "tests/support/built_paths.h"
#include "tests/support/recordings.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Record : public ::testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "frames.mcap"; }

  ProgramResult Run(const std::string& source, const std::string& out,
                    std::vector<std::string> arguments = {}) const {
    std::vector<std::string> all{"run",      source,
                                 "--set",    "matching_cost.num_disparities=24",
                                 "--output", (folder_.path() / out).string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunParallax(all);
  }

  // Every result of a run with its bytes; not the times.
  std::map<std::string, std::string> Results(const std::string& out) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / out)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name != "summary.json" && name != "journal.tsv")
        files[fs::relative(entry.path(), folder_.path() / out).string()] = ReadText(entry.path());
    }
    return files;
  }

  // The messages of a topic of texts.
  static std::vector<std::string> TextsOf(const fs::path& file, const std::string& topic) {
    McapReader reader(file);
    std::vector<std::string> texts;
    while (const auto message = reader.Next()) {
      if (reader.channels().at(message->channel).topic == topic) texts.push_back(DecodeText(message->data));
    }
    return texts;
  }

  std::map<std::string, std::uint64_t> CountsByTopic() const {
    McapReader reader(file());
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [id, channel] : reader.channels())
      counts[channel.topic] = reader.NumMessages(id).value_or(0);
    return counts;
  }

  // Pairs of pictures that cannot be compressed: seven of them fill a chunk.
  void MakeNoise(int num_frames) const {
    constexpr int kPictures = 4;  // more than Zstandard looks back
    std::mt19937 random(3);
    for (const char* side : {"left", "right"}) {
      fs::create_directory(folder_.path() / side);
      const std::string stem = std::string(side) + "_noise";
      for (int i = 0; i < kPictures; ++i) {
        HostImage<std::uint8_t> noise(640, 480);
        for (int y = 0; y < noise.height(); ++y) {
          for (int x = 0; x < noise.width(); ++x) noise(x, y) = static_cast<std::uint8_t>(random());
        }
        WritePng(folder_.path() / (stem + std::to_string(i) + ".png"), noise.ConstView());
      }
      for (int i = 0; i < num_frames; ++i) {
        fs::create_symlink("../" + stem + std::to_string(i % kPictures) + ".png",
                           folder_.path() / side / (std::to_string(i) + ".png"));
      }
    }
  }
  std::vector<std::string> RunOfNoise(const std::string& out) const {
    return {"run",
            (folder_.path() / "left").string(),
            (folder_.path() / "right").string(),
            "--set",
            "matching_cost.num_disparities=16",
            "--write",
            "disparity",
            "--output",
            (folder_.path() / out).string(),
            "--record",
            file().string()};
  }

  TemporaryFolder folder_;
};

constexpr const char* kDrive = "synthetic:drive,frames=20,width=203,height=61,samples=1";
constexpr const char* kLongDrive = "synthetic:drive,frames=1000,width=64,height=24,samples=1";

TEST_F(Record, AReplayGivesTheSameBytes) {
  const ProgramResult recorded = Run(kDrive, "a", {"--record", file().string(), "--write", "pfm,cloud"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("recorded 20 frames in " + file().string()));
  const ProgramResult replayed = Run(file().string(), "b", {"--write", "pfm,cloud"});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  const auto first = Results("a");
  EXPECT_EQ(first.size(), 41U);
  EXPECT_EQ(first, Results("b"));
}

TEST_F(Record, AReplayOfAThousandFramesGivesTheSameBytes) {
  ASSERT_EQ(Run(kLongDrive, "a", {"--record", file().string(), "--write", "disparity"}).exit_code, 0);
  ASSERT_EQ(Run(file().string(), "b", {"--write", "disparity"}).exit_code, 0);
  const auto first = Results("a");
  EXPECT_EQ(first.size(), 1001U);
  EXPECT_TRUE(first == Results("b"));
}

TEST_F(Record, ARecordingOfAReplayIsTheSameFile) {
  ASSERT_EQ(Run(kDrive, "a", {"--record", file().string()}).exit_code, 0);
  const fs::path again = folder_.path() / "again.mcap";
  ASSERT_EQ(Run(file().string(), "b", {"--record", again.string(), "--rig-watch", "0"}).exit_code, 0);
  EXPECT_TRUE(ReadText(file()) == ReadText(again));
}

TEST_F(Record, TheRigOfAReplayIsWatched) {
  ASSERT_EQ(
      Run("synthetic:drive,frames=11,width=640,height=240,samples=1", "a", {"--record", file().string()})
          .exit_code,
      0);
  EXPECT_THAT(ReadText(folder_.path() / "a/summary.json"), testing::Not(HasSubstr("rig_watch")));
  const auto recorded = [&](const char* name) { return (folder_.path() / name).string(); };
  const ProgramResult first = Run(file().string(), "b", {"--record", recorded("b.mcap")}),
                      second = Run(file().string(), "c", {"--record", recorded("c.mcap")});
  EXPECT_THAT(first.out, HasSubstr("rig: right camera turned by"));
  const auto watched = [&](const char* out) {
    const std::string text = ReadText(folder_.path() / out / "summary.json");
    const std::size_t begin = text.find("rig_watch");
    return text.substr(begin, text.find("}", begin) - begin);
  };
  EXPECT_THAT(watched("b"), HasSubstr("\"num_frames\": 2,"));
  EXPECT_EQ(watched("b"), watched("c"));
  // The recording has the first of the two measurements, which is known when the second one begins.
  EXPECT_THAT(TextsOf(recorded("b.mcap"), "/parallax/rig"),
              ElementsAre(AllOf(HasSubstr("\"num_frames\":1,"), HasSubstr("\"turn_sigma_deg\":["))));
  EXPECT_TRUE(ReadText(recorded("b.mcap")) == ReadText(recorded("c.mcap")));
  EXPECT_THAT(Run(file().string(), "d", {"--rig-watch", "0"}).out, testing::Not(HasSubstr("rig:")));
}

TEST_F(Record, HoldsWhatWasAskedFor) {
  ASSERT_EQ(Run("synthetic:drive,frames=3,width=99,height=41,samples=1", "a",
                {"--record", file().string(), "--record-write", "depth,depth-mm,disparity,cloud"})
                .exit_code,
            0);
  const std::map<std::string, std::uint64_t> expected = {{"/parallax/parameters", 1},
                                                         {"/parallax/frame", 3},
                                                         {"/parallax/left_seen", 0},
                                                         {"/parallax/right_seen", 0},
                                                         {"/left/image_rect", 3},
                                                         {"/right/image_rect", 3},
                                                         {"/left/camera_info", 3},
                                                         {"/right/camera_info", 3},
                                                         {"/depth/image_rect", 3},
                                                         {"/depth/camera_info", 3},
                                                         {"/disparity", 3},
                                                         {"/depth/image_rect_raw", 3},
                                                         {"/points2", 3}};
  EXPECT_EQ(CountsByTopic(), expected);
}

TEST_F(Record, FramesWithoutCalibrationAreRecordedWithoutDepth) {
  for (const char* name : {"left.png", "right.png"})
    WritePng(folder_.path() / name, Pattern<Rgb8>(77, 33, 3).ConstView());
  const std::string out = (folder_.path() / "a").string();
  const ProgramResult result =
      RunParallax({"run", (folder_.path() / "left.png").string(), (folder_.path() / "right.png").string(),
                   "--output", out, "--record", file().string(), "--record-write", "depth,disparity"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("1 frames have no depth or cloud"));
  EXPECT_THAT(result.err, HasSubstr("--rig"));
  EXPECT_EQ(CountsByTopic()["/disparity"], 1U);
  const auto source = OpenSource({file().string()});
  EXPECT_EQ(source->NextName(), "left");
  EXPECT_FALSE(source->Read().rig);
}

TEST_F(Record, IsNeverWrittenOverItsOwnSourceOrWithoutBeingAsked) {
  ASSERT_EQ(Run(kDrive, "a", {"--record", file().string()}).exit_code, 0);
  const std::string before = ReadText(file());
  const ProgramResult own = Run(file().string(), "b", {"--record", file().string(), "--overwrite"});
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("is read"));
  const ProgramResult other = Run(kDrive, "c", {"--record", file().string()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("--overwrite"));
  EXPECT_FALSE(fs::exists(folder_.path() / "c"));
  EXPECT_TRUE(ReadText(file()) == before);
  EXPECT_EQ(Run(kDrive, "d", {"--record", file().string(), "--resume"}).exit_code, 2);
  const ProgramResult unknown = Run(kDrive, "e", {"--record", "x.mcap", "--record-write", "color"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("use some of depth, depth-mm, disparity, cloud"));
}

TEST_F(Record, EvalSaysThatThereIsNoTruth) {
  ASSERT_EQ(Run("synthetic:drive,frames=1,width=99,height=41,samples=1", "a", {"--record", file().string()})
                .exit_code,
            0);
  const ProgramResult result = RunParallax({"eval", file().string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("a source of kind recording has no ground truth"));
}

TEST_F(Record, AFullDiskLeavesWhatIsWholeAndTheRunGoesOn) {
  MakeNoise(20);
  // A limit of the file's size stands for the disk's: of 10 MB, which two chunks fit into.
  std::string command = "ulimit -f 10240; exec " + std::string(kProgram);
  for (const std::string& word : RunOfNoise("a")) command += " '" + word + "'";
  const ProgramResult result = RunProgram("/bin/bash", {"-c", command});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("writing failed"));
  EXPECT_THAT(result.out, HasSubstr("20 frames: 20 done"));
  const auto source = OpenSource({file().string()});
  std::size_t num_frames = 0;
  for (; source->NextName(); ++num_frames) source->Read();
  EXPECT_GE(num_frames, 12U);
  EXPECT_LT(num_frames, 20U);
  // The reported number of frames can be replayed.
  EXPECT_THAT(result.out, HasSubstr("recorded " + std::to_string(num_frames) + " frames"));
  EXPECT_THAT(result.err,
              HasSubstr(std::to_string(20 - num_frames) + " of 20 frames are missing from the recording"));
}

// A recording is there as soon as its first frame is in it. Every second kill follows at once.
TEST_F(Record, AKillAtAnyTimeLeavesARecordingThatOpens) {
  MakeNoise(400);
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    fs::remove(file());
    const pid_t child = StartProgram(kProgram, RunOfNoise("k" + std::to_string(i)), folder_.path() / "out",
                                     folder_.path() / "err");
    ASSERT_TRUE(AwaitWhileRunning(child, [&] { return fs::exists(file()); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 2 == 0 ? 0 : random() % 200));
    kill(child, SIGKILL);
    EXPECT_EQ(WaitForProgram(child), 128 + SIGKILL);
    const auto source = OpenSource({file().string()});
    std::size_t num_frames = 0;
    for (; source->NextName(); ++num_frames)
      EXPECT_EQ(source->Read().note.find("is truncated") != std::string::npos, num_frames == 0);
    EXPECT_GE(num_frames, 1U);
  }
}

TEST_F(Record, WithoutAFrameThereIsNoRecordingAndTheOneBeforeStays) {
  ASSERT_EQ(Run(kDrive, "a", {"--record", file().string()}).exit_code, 0);
  const std::string before = ReadText(file());
  MakeNoise(1);
  for (const char* side : {"left", "right"}) WriteText(folder_.path() / side / "0.png", "no picture");
  std::vector<std::string> arguments = RunOfNoise("b");
  arguments.emplace_back("--overwrite");
  EXPECT_EQ(RunParallax(arguments).exit_code, 1);
  EXPECT_TRUE(ReadText(file()) == before);
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

}  // namespace
}  // namespace parallax::test
