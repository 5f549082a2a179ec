// The program's frame: commands, help, version, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

std::size_t NumLines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Main, PrintsItsVersion) {
  const ProgramResult result = RunParallax({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("parallax "));
  EXPECT_THAT(result.out, HasSubstr("\nbuild: "));
  EXPECT_THAT(result.out, HasSubstr("\nback ends: "));
  EXPECT_EQ(result.err, "");
}

TEST(Main, HelpNamesTheCommands) {
  const ProgramResult result = RunParallax({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("info"));
  EXPECT_EQ(result.err, "");
}

TEST(Main, WrongUsageIsOneLineAndTwo) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"no-such-command"}, {"info", "--no-such-option"}}) {
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("parallax: "));
    EXPECT_THAT(result.err, HasSubstr("--help"));
    EXPECT_EQ(NumLines(result.err), 1U) << result.err;
  }
}

TEST(Main, AMisspeltOptionIsNamedWithTheOneThatWasMeant) {
  EXPECT_EQ(RunParallax({"run", "l.png", "r.png", "--conifg=kitti"}).err,
            "parallax: unknown option '--conifg': did you mean --config? (see parallax run --help)\n");
  EXPECT_EQ(RunParallax({"cloud", "emd", "a.ply", "b.ply", "-gap", "1"}).err,
            "parallax: unknown option '-gap': did you mean --gap? (see parallax cloud emd --help)\n");
  EXPECT_EQ(
      RunParallax({"--config", "kitti", "run", "l.png", "r.png"}).err,
      "parallax: unknown option '--config' there: options follow the command (see parallax run --help)\n");
}

// `--output "$UNSET"` in a script.
TEST(Main, AnEmptyArgumentIsNamed) {
  const ProgramResult option = RunParallax({"run", "synthetic:drive", "--output", ""});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_EQ(option.err,
            "parallax: argument 4, after '--output', is empty: give it a value, or leave it out\n");
  const ProgramResult command = RunParallax({""});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_EQ(command.err, "parallax: argument 1 is empty: give it a value, or leave it out\n");
}

// Standard output to a full device, which fails when it is flushed at the end.
TEST(Main, OutputThatIsLostIsToldAndOne) {
  const TemporaryFolder folder;
  const std::string cloud = (folder.path() / "c.ply").string();
  WriteText(cloud,
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
            "property float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"},
        {"run", "--help"},
        {"--version"},
        {"info"},
        {"info", "--json"},
        {"cloud", "density", cloud, "--k", "1"},
        {"run", "synthetic:planes,width=40,height=20,frames=1", "--output", (folder.path() / "out").string()},
        {"synth", "planes,width=40,height=20,frames=1", "--output", (folder.path() / "set").string()}}) {
    const fs::path err = folder.path() / "err";
    const int exit_code = WaitForProgram(StartProgram(kProgram, arguments, "/dev/full", err));
    EXPECT_EQ(exit_code, 1) << arguments.front();
    const std::string text = ReadText(err);
    EXPECT_THAT(text, StartsWith("parallax: standard output cannot be written")) << arguments.front();
    EXPECT_EQ(NumLines(text), 1U) << text;
  }
  EXPECT_TRUE(fs::exists(folder.path() / "out/disparity/000000_10.png"));  // the work was done
}

// The program copied without its modules: what needs none works, the others say what is missing.
TEST(Main, AMissingModuleIsNamed) {
  const TemporaryFolder folder;
  const std::string program = (folder.path() / "bin/parallax").string();
  fs::create_directories(folder.path() / "bin");
  fs::copy_file(kProgram, program);
  const auto run = [&](const std::vector<std::string>& arguments) {
    const int exit_code = WaitForProgram(
        StartProgram(program, arguments, (folder.path() / "out").string(), (folder.path() / "err").string()));
    return std::make_pair(exit_code, ReadText(folder.path() / "err"));
  };
  EXPECT_THAT(run({"run", "synthetic:planes,width=40,height=20,frames=1", "--output",
                   (folder.path() / "pngs").string()}),
              Pair(0, ""));
  const std::string image = (folder.path() / "image.pgm").string();
  WriteText(image, "P5\n3 2\n255\nabcdef");
  EXPECT_THAT(run({"run", image, image, "--output", (folder.path() / "results").string()}),
              Pair(1, AllOf(HasSubstr("libparallax_media.so"), HasSubstr("build and install"))));
  EXPECT_THAT(
      run({"eval", "synthetic:planes,width=40,height=20,frames=2", "--report",
           (folder.path() / "page.html").string()}),
      Pair(1, AllOf(StartsWith("parallax: a report in one file holds WebP pictures, and this program "
                               "lacks"),
                    HasSubstr("libparallax_media.so"), EndsWith("or name a folder for the report\n"))));
}

TEST(Main, NamesCannotSteerTheTerminal) {
  const ProgramResult result = RunParallax({"view", "\x1b[31mred\xff\x07.ply"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
  EXPECT_THAT(result.err, HasSubstr("\\x1b[31mred\\xff\\x07.ply"));
}

TEST(Main, ALoopOfLinksIsNamed) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder.path() / "a");
  fs::create_symlink("a", folder.path() / "b");
  const ProgramResult result =
      RunParallax({"run", (folder.path() / "a").string(), "--output", (folder.path() / "out").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, StartsWith("parallax: " + (folder.path() / "a").string() + ": Too many levels"));
}

TEST(Main, AnUnknownCommandIsToldWithThoseThereAre) {
  EXPECT_THAT(RunParallax({"rum"}).err,
              ::testing::AllOf(HasSubstr("unknown command 'rum'"), HasSubstr("run")));
}

}  // namespace
}  // namespace parallax::test
