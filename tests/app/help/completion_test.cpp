// Completion in bash and the manual page: they know every command and option, and bash takes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kCommands = {"run",         "eval",  "view",      "synth",          "bench",
                                            "bench cloud", "cloud", "cloud emd", "cloud geodesic", "info",
                                            "completion"};

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Every --option that the help of a command names at the beginning of a line.
std::set<std::string> OptionsOf(const std::string& command) {
  std::vector<std::string> arguments = Split(command, ' ');
  arguments.emplace_back("--help");
  const std::string help = RunParallax(arguments).out;
  std::set<std::string> options;
  const std::regex option("\n  (?:-[a-zA-Z],)?(--[a-z0-9-]+)");
  for (std::sregex_iterator found(help.begin(), help.end(), option), end; found != end; ++found)
    options.insert((*found)[1]);
  return options;
}

TEST(Completion, BashAndTheManualKnowEveryOption) {
  const std::string bash = RunParallax({"completion"}).out, manual = RunParallax({"manual"}).out;
  for (const std::string& command : kCommands) {
    const std::set<std::string> options = OptionsOf(command);
    EXPECT_THAT(options, Contains("--help")) << command;
    EXPECT_THAT(manual, HasSubstr(".SS \"parallax " + command + "\""));
    for (const std::string& option : options) {
      EXPECT_THAT(bash, HasSubstr(option)) << command;
      EXPECT_THAT(manual, HasSubstr(std::regex_replace(option, std::regex("-"), "\\-"))) << command;
    }
  }
}

// What bash offers for the words of a line, of which the last one is being written.
std::vector<std::string> Offered(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  std::string script = "source '" + (folder.path() / "completion").string() + "'\nCOMP_WORDS=(";
  for (const std::string& word : words) script += " '" + word + "'";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
            "\n_parallax\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  WriteText(folder.path() / "completion", RunParallax({"completion"}).out);
  const ProgramResult result = RunProgram("/bin/bash", {"--norc", "-c", script});
  EXPECT_EQ(result.err, "");
  return Split(result.out, '\n');
}

TEST(Completion, BashOffersCommandsOptionsAndValues) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash here";
  EXPECT_THAT(Offered({"parallax", ""}), Contains("cloud"));
  EXPECT_THAT(Offered({"parallax", "cloud", "ge"}), ElementsAre("geodesic"));
  EXPECT_THAT(Offered({"parallax", "cloud", "emd", "--ex"}), ElementsAre("--exact"));
  EXPECT_THAT(Offered({"parallax", "run", "--ex"}), Not(Contains("--exact")));
  EXPECT_THAT(Offered({"parallax", "run", "--backend", "re"}), ElementsAre("reference"));
  EXPECT_THAT(Offered({"parallax", "run", "--backend", "=", "re"}), ElementsAre("reference"));
  EXPECT_THAT(Offered({"parallax", "run", "--config", "kitti"}), ElementsAre("kitti-accurate", "kitti"));
  EXPECT_THAT(Offered({"parallax", "run", "--set", "aggregation.num"}),
              ElementsAre("aggregation.num_paths="));
  EXPECT_THAT(Offered({"parallax", "run", "--write", "disparity,cl"}), ElementsAre("disparity,cloud"));
  EXPECT_THAT(Offered({"parallax", "cloud", "density", "--kind", ""}), ElementsAre("surface", "volume"));
  EXPECT_THAT(Offered({"parallax", "run", "/etc/host"}), Contains("/etc/hosts"));
}

// The shells and man(1) themselves, where there are any.
TEST(Completion, ShellsAndManTakeTheirFiles) {
  const TemporaryFolder folder;
  const struct {
    std::vector<std::string> program, made_by;
  } readers[] = {{{"/bin/bash", "-n"}, {"completion"}},
                 {{"/usr/bin/groff", "-man", "-Tutf8", "-ww"}, {"manual"}}};
  for (const auto& reader : readers) {
    if (!std::filesystem::exists(reader.program.front())) {
      std::printf("not tried: %s is not there\n", reader.program.front().c_str());
      continue;
    }
    const std::filesystem::path file = folder.path() / reader.made_by.back();
    WriteText(file, RunParallax(reader.made_by).out);
    std::vector<std::string> arguments(reader.program.begin() + 1, reader.program.end());
    arguments.push_back(file.string());
    const ProgramResult result = RunProgram(reader.program.front(), arguments);
    EXPECT_EQ(result.exit_code, 0) << reader.program.front() << ": " << result.err;
    EXPECT_EQ(result.err, "") << reader.program.front();
  }
}

}  // namespace
}  // namespace parallax::test
