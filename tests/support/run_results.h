// What two runs have to have in common whoever made them: files, journal, summary and scores without their
// times.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/run_program.h"

namespace parallax::test {

// Every file below a folder with its bytes, but the summary and the journal, whose times and order differ,
// and the folders of shards.
inline std::map<std::string, std::string> ResultFiles(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  for (fs::recursive_directory_iterator it(folder), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && name.starts_with("shard-")) it.disable_recursion_pending();
    if (!it->is_regular_file() || name == "summary.json" || name == "journal.tsv") continue;
    files[fs::relative(it->path(), folder).string()] = ReadText(it->path());
  }
  return files;
}

// The last line of every frame that the journal calls finished.
inline std::set<std::string> FinishedLines(const std::filesystem::path& folder) {
  std::set<std::string> lines;
  std::istringstream journal(ReadText(folder / "journal.tsv"));
  for (std::string line; std::getline(journal, line);) {
    if (line.find("\tframe\t") == 8) lines.insert(line);
  }
  return lines;
}

// JSON without its times and rates, which no two runs share. Which stages are timed depends on the cores.
inline std::string WithoutTimes(std::string json) {
  const std::size_t times = json.find("\n  \"ms\": {"), after = json.find("\n  \"frames\": [");
  if (times != std::string::npos && after != std::string::npos && times < after)
    json.erase(times, after - times);
  std::string kept;
  std::istringstream lines(json);
  for (std::string line; std::getline(lines, line);) {
    static const std::regex time(R"re(^\s*"(\w+_ms|elapsed_s|frames_per_s|mean|median)": [-0-9.e+]+,?$)re");
    if (!std::regex_match(line, time)) kept += line + '\n';
  }
  return kept;
}

}  // namespace parallax::test
