// Shards joined by parallax merge, compared with one process that does it all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "app/output/journal.h"
#include "tests/support/kitti_folder.h"
#include "tests/support/run_program.h"
#include "tests/support/run_results.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string ShardText(int index, int count) { return std::to_string(index) + "/" + std::to_string(count); }

void ExpectOneLine(const ProgramResult& result, int exit_code, const std::vector<std::string>& words) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& word : words) EXPECT_THAT(result.err, HasSubstr(word));
}

class MergeRuns : public ::testing::Test {
 protected:
  fs::path data() const { return folder_.path() / "data"; }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  Arguments Run(const std::string& output, const Arguments& more = {}) const {
    return Arguments{"run",      data().string(),    "--set", "matching_cost.num_disparities=24",
                     "--output", at(output).string()} +
           more;
  }
  TemporaryFolder folder_;
};

TEST_F(MergeRuns, ShardsOfOneToSevenGiveTheFilesJournalAndSummaryOfOneProcess) {
  MakeKittiFolder(data(), 9);
  WriteText(data() / "image_1" / (KittiName(4) + ".png"), "no image");  // fails wherever it is
  const ProgramResult alone = RunParallax(Run("alone", {"--cloud-clean", "6,1.5"}));
  ASSERT_EQ(alone.exit_code, 1);
  ASSERT_THAT(alone.err, HasSubstr("1 of 9 frames failed: frame 000004_10: "));
  for (const int count : {1, 2, 3, 7}) {
    const std::string out = "out" + std::to_string(count);
    for (int i = count - 1; i >= 0; --i) {  // in any order
      const ProgramResult shard =
          RunParallax(Run(out, {"--cloud-clean", "6,1.5", "--shard", ShardText(i, count)}));
      EXPECT_EQ(shard.exit_code, 4 % count == i ? 1 : 0) << shard.err;
    }
    const ProgramResult merged = RunParallax({"merge", at(out).string()});
    EXPECT_EQ(merged.exit_code, 1);
    EXPECT_THAT(merged.err, HasSubstr("1 of 9 frames failed: frame 000004_10: "));
    EXPECT_EQ(ResultFiles(at(out)), ResultFiles(at("alone"))) << count;
    EXPECT_EQ(FinishedLines(at(out)), FinishedLines(at("alone"))) << count;
    EXPECT_EQ(WithoutTimes(ReadText(at(out) / "summary.json")),
              WithoutTimes(ReadText(at("alone") / "summary.json")))
        << count;
  }
  // What was merged is a run's folder as any other.
  fs::remove(data() / "image_1" / (KittiName(4) + ".png"));
  fs::copy_file(data() / "image_0" / (KittiName(4) + ".png"), data() / "image_1" / (KittiName(4) + ".png"));
  const ProgramResult resumed = RunParallax(Run("out7", {"--cloud-clean", "6,1.5", "--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("9 frames: 1 done, 8 skipped, 0 failed"));
}

TEST_F(MergeRuns, FoldersOfSeveralMachinesAreNamedOneByOne) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(RunParallax(Run("alone", {"--max-frames", "2"})).exit_code, 0);
  ASSERT_EQ(RunParallax(Run("a", {"--max-frames", "2", "--shard", "0/2"})).exit_code, 0);
  ASSERT_EQ(RunParallax(Run("b", {"--max-frames", "2", "--shard", "1/2"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("a").string(), at("b").string()}), 2, {"--output"});
  const Arguments merge{"merge", at("a").string(), at("b").string(), "--output", at("all").string()};
  ASSERT_EQ(RunParallax(merge).exit_code, 0);
  EXPECT_EQ(ResultFiles(at("all")), ResultFiles(at("alone")));
  // As with every folder of results.
  ExpectOneLine(RunParallax(merge), 2, {"holds results already", "--overwrite"});
  EXPECT_EQ(RunParallax(merge + Arguments{"--overwrite"}).exit_code, 0);
  EXPECT_EQ(ResultFiles(at("all")), ResultFiles(at("alone")));
  EXPECT_TRUE(fs::exists(at("a") / "shard-0-of-2/disparity" / (KittiName(0) + ".png")));
}

TEST_F(MergeRuns, ShardsThatAreMissingDoubleForeignOrUnfinishedAreNamedWithTheRemedy) {
  MakeKittiFolder(data(), 4);
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/3"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1, {"shards 1/3, 2/3 are missing: run them"});
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "1/3"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1, {"shard 2/3 is missing: run it"});
  ASSERT_EQ(RunParallax(Run("other", {"--shard", "2/3", "--set", "aggregation.p1=5"})).exit_code, 0);
  const std::string to = at("all").string();
  ExpectOneLine(RunParallax({"merge", at("out").string(), at("other").string(), "--output", to}), 1,
                {"other", "another run", "aggregation.p1 5, not"});
  ASSERT_EQ(RunParallax(Run("four", {"--shard", "2/4"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string(), at("four").string(), "--output", to}), 1,
                {"shard 2/4, not one of 3"});
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "2/3"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string(), at("out").string(), "--output", to}), 1,
                {"shard 0/3 is there twice", "leave one out"});
  ExpectOneLine(RunParallax({"merge", data().string()}), 1, {"contains no shards"});
  ASSERT_EQ(RunParallax(Run("plain")).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("plain").string(), "--output", to}), 1,
                {"contains no shard", "--shard"});

  const fs::path journal = at("out") / "shard-1-of-3/journal.tsv";
  const std::string whole = ReadText(journal);
  const std::size_t end = whole.rfind("\tend\t");
  WriteText(journal, whole.substr(0, whole.rfind('\n', end) + 1));  // as after a kill
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1, {"shard 1/3", "did not finish", "--resume"});
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "1/3", "--resume"})).exit_code, 0);
  fs::remove(at("out") / "shard-2-of-3/color" / (KittiName(2) + ".png"));
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1,
                {KittiName(2) + ".png", "shard 2/3", "--resume"});
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "2/3", "--resume"})).exit_code, 0);
  const ProgramResult merged = RunParallax({"merge", at("out").string(), "--overwrite"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("4 frames: 4 done, 0 skipped, 0 failed"));  // none was left to --resume
  EXPECT_EQ(ResultFiles(at("out")), ResultFiles(at("plain")));
}

TEST_F(MergeRuns, AnotherListOfFramesIsRefused) {
  MakeKittiFolder(data(), 4);
  for (const char* image : {"image_0", "image_1"})
    fs::rename(data() / image / (KittiName(0) + ".png"), at(std::string(image) + ".png"));
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/2"})).exit_code, 0);  // of the second to the fourth
  for (const char* image : {"image_0", "image_1"})
    fs::rename(at(std::string(image) + ".png"), data() / image / (KittiName(0) + ".png"));
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "1/2"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1,
                {"shard 1/2 saw 4 frames, and shard 0/2 saw 3", "--overwrite"});
  EXPECT_FALSE(fs::exists(at("out") / "summary.json"));
  // As many, but others.
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/2", "--overwrite"})).exit_code, 0);
  for (const char* image : {"image_0", "image_1"})
    fs::rename(data() / image / (KittiName(1) + ".png"), data() / image / (KittiName(9) + ".png"));
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "1/2", "--overwrite"})).exit_code, 0);
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1, {"saw 4 with other names"});
}

TEST_F(MergeRuns, AFrameThatIsThereTwiceIsRefused) {
  MakeKittiFolder(data(), 3);
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/2"})).exit_code, 0);  // of the first and the third
  for (const char* image : {"image_0", "image_1"}) fs::remove(data() / image / (KittiName(1) + ".png"));
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/2", "--resume"})).exit_code, 0);
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "1/2"})).exit_code, 0);  // of the third, now the second
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1,
                {"frame " + KittiName(2), "twice", "--overwrite"});
  EXPECT_FALSE(fs::exists(at("out") / "summary.json"));
}

TEST_F(MergeRuns, AResultThatChangedIsRefusedEvenIfItsSizeIsTheSame) {
  MakeKittiFolder(data(), 2);
  for (const char* shard : {"0/2", "1/2"})
    ASSERT_EQ(RunParallax(Run("out", {"--shard", shard})).exit_code, 0);
  const fs::path file = at("out") / "shard-1-of-2/disparity" / (KittiName(1) + ".png");
  const std::size_t size = fs::file_size(file);
  WriteText(file, std::string(size, 'x'));
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1,
                {file.string(), "was changed after shard 1/2 wrote it", "--resume"});
  EXPECT_FALSE(fs::exists(at("out") / "disparity"));
}

TEST_F(MergeRuns, ShardsOfAnotherVersionAreRefused) {
  MakeKittiFolder(data(), 1);
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/1"})).exit_code, 0);
  const fs::path journal = at("out") / "shard-0-of-1/journal.tsv";
  std::string lines;
  for (app::JournalRecord record : app::ReadJournal(journal)) {
    for (auto& [key, value] : record.fields) {
      if (key == "parallax") value = "0.1.0";
    }
    lines += app::JournalLine(record) + '\n';
  }
  WriteText(journal, lines);
  ExpectOneLine(RunParallax({"merge", at("out").string()}), 1, {"was made by parallax 0.1.0"});
}

TEST_F(MergeRuns, AShardsFolderIsGoneOnWithByTheSameShardAlone) {
  MakeKittiFolder(data(), 2);
  ASSERT_EQ(RunParallax(Run("out", {"--shard", "0/2"})).exit_code, 0);
  ExpectOneLine(RunParallax(Run("out/shard-0-of-2", {"--resume"})), 2, {"--shard 0/2, not no --shard"});
  ExpectOneLine(RunParallax(Run("out", {"--shard", "2/2"})), 2, {"there is no shard 2 of 2"});
  ExpectOneLine(RunParallax(Run("out", {"--shard", "auto/2"})), 2,
                {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"});
  ExpectOneLine(RunParallax(Run("t", {"--shard", "0/2", "--set", "live.temporal=true"})), 2,
                {"live.temporal"});
  EXPECT_EQ(RunParallax(Run("out", {"--shard", "0/2", "--resume"})).exit_code, 0);
  // More shards than frames: some have none.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(RunParallax(Run("three", {"--shard", ShardText(i, 3)})).exit_code, 0);
  EXPECT_EQ(RunParallax({"merge", at("three").string()}).exit_code, 0);
}

class MergeScores : public ::testing::Test {
 protected:
  static constexpr const char* kScene = "synthetic:drive,frames=7,width=160,height=60,samples=1";
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  static Arguments Eval(const Arguments& more) {
    return Arguments{"eval", kScene, "--set", "matching_cost.num_disparities=32"} + more;
  }
  TemporaryFolder folder_;
};

TEST_F(MergeScores, ShardsOfOneToSevenGiveTheFiguresFilesAndReportOfOneProcess) {
  ASSERT_EQ(RunParallax({"run", kScene, "--set", "matching_cost.num_disparities=32", "--write", "pfm",
                         "--output", at("run")})
                .exit_code,
            0);
  fs::remove(fs::path(at("run")) / "pfm/000003_10.pfm");                   // is skipped
  WriteText(fs::path(at("run")) / "pfm/000005_10.pfm", "no disparities");  // fails
  const Arguments scored{"--estimates", at("run"), "--cloud", "--emd-points", "64"};
  const auto outputs = [&](const std::string& name) {
    return Arguments{"--json", at(name + ".json"), "--csv", at(name + ".csv"), "--report", at(name)};
  };
  const ProgramResult alone = RunParallax(Eval(scored + outputs("alone")));
  ASSERT_EQ(alone.exit_code, 1);
  for (const int count : {1, 2, 3, 7}) {
    const std::string name = "all" + std::to_string(count);
    for (int i = 0; i < count; ++i) {
      const ProgramResult shard =
          RunParallax(Eval(scored + Arguments{"--scores", at("scores" + name), "--report", at(name),
                                              "--shard", ShardText(i, count)}));
      EXPECT_EQ(shard.exit_code, 5 % count == i ? 1 : 0) << shard.err;
    }
    const ProgramResult merged = RunParallax(Arguments{"merge", at("scores" + name)} + outputs(name));
    EXPECT_EQ(merged.exit_code, 1);
    EXPECT_THAT(merged.err, HasSubstr("1 of 7 frames failed, first 000005_10: "));
    const auto same = [&](const std::string& ending) {
      return WithoutTimes(ReadText(at(name + ending))) == WithoutTimes(ReadText(at("alone" + ending)));
    };
    EXPECT_TRUE(same(".json")) << count;
    // A page names its command, and the last cell of a row may be a time.
    const auto page = [&](const std::string& folder) {
      const std::string text = std::regex_replace(WithoutTimes(ReadText(at(folder) + "/index.html")),
                                                  std::regex("<p><code>parallax .*</code></p>"), "");
      return std::regex_replace(text, std::regex("<td[^>]*>[0-9.]+</td></tr>"), "");
    };
    EXPECT_TRUE(page(name) == page("alone")) << count;
    EXPECT_EQ(ResultFiles(at(name) + "/frames"), ResultFiles(at("alone") + "/frames"));
  }
  // Drawn elsewhere, the pictures are fetched.
  EXPECT_EQ(RunParallax({"merge", at("scoresall3"), "--report", at("elsewhere")}).exit_code, 1);
  EXPECT_EQ(ResultFiles(at("elsewhere") + "/frames"), ResultFiles(at("alone") + "/frames"));
  ExpectOneLine(RunParallax({"merge", at("scoresall3"), "--report", at("page.html")}), 2, {"a folder, too"});
}

TEST_F(MergeScores, FiguresAreThoseOfOneProcessWhereTheMatcherRan) {
  ASSERT_EQ(RunParallax(Eval({"--json", at("alone.json")})).exit_code, 0);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(RunParallax(Eval({"--scores", at("scores"), "--shard", ShardText(i, 3)})).exit_code, 0);
  ASSERT_EQ(RunParallax({"merge", at("scores"), "--json", at("all.json")}).exit_code, 0);
  EXPECT_EQ(WithoutTimes(ReadText(at("all.json"))), WithoutTimes(ReadText(at("alone.json"))));
  ExpectOneLine(RunParallax({"merge", at("scores"), "--report", at("r")}), 2, {"without --report"});
  ExpectOneLine(RunParallax({"merge", at("scores"), "--output", at("r")}), 2, {"of eval"});
  fs::remove_all(at("scores") + "/shard-1-of-3");
  ExpectOneLine(RunParallax({"merge", at("scores")}), 1, {"shard 1/3 is missing"});
  ExpectOneLine(RunParallax(Eval({"--shard", "1/3"})), 2, {"--scores DIR"});
  ExpectOneLine(RunParallax(Eval({"--shard", "1/3", "--scores", at("scores"), "--csv", at("x.csv")})), 2,
                {"leave out --csv and --json"});
}

TEST_F(MergeScores, KeptScoresAreGoneOnWith) {
  ASSERT_EQ(RunParallax(Eval({"--json", at("alone.json")})).exit_code, 0);
  const Arguments kept{"--scores", at("scores"), "--json", at("kept.json")};
  ASSERT_EQ(RunParallax(Eval(kept + Arguments{"--max-frames", "7"})).exit_code, 0);
  EXPECT_EQ(WithoutTimes(ReadText(at("kept.json"))), WithoutTimes(ReadText(at("alone.json"))));
  ExpectOneLine(RunParallax(Eval(kept)), 2, {"holds scores already", "--overwrite", "--resume"});
  // As after a kill: some frames are there, the last line is cut short.
  const std::string all = ReadText(at("scores") + "/scores.tsv");
  std::size_t cut = 0;
  for (int i = 0; i < 5; ++i) cut = all.find('\n', cut) + 1;
  WriteText(at("scores") + "/scores.tsv", all.substr(0, cut + 100));
  const ProgramResult resumed = RunParallax(Eval(kept + Arguments{"--max-frames", "7", "--resume"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(WithoutTimes(ReadText(at("kept.json"))), WithoutTimes(ReadText(at("alone.json"))));
  const std::string again = ReadText(at("scores") + "/scores.tsv");
  EXPECT_TRUE(again.starts_with(all.substr(0, cut)));  // nothing was scored twice
  EXPECT_EQ(std::count(again.begin(), again.end(), '\n'), std::count(all.begin(), all.end(), '\n'));
  ExpectOneLine(
      RunParallax(Eval(kept + Arguments{"--max-frames", "7", "--resume", "--set", "aggregation.p1=5"})), 2,
      {"the scores there were made with", "--overwrite"});
  EXPECT_EQ(RunParallax(Eval(kept + Arguments{"--overwrite"})).exit_code, 0);
}

}  // namespace
}  // namespace parallax::test
