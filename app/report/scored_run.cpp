#include "app/report/scored_run.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/report/eval_report.h"
#include "parallax/error.h"

namespace parallax::app {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr const char* kRemedy =
    ": name a file of `parallax eval --json`, a page of `parallax eval --report` or a folder of `parallax "
    "run`";

// The JSON that a page of a report holds.
Json ReadJson(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw Error(file.string() + ": cannot be read");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (IsSingleFile(file)) {
    const std::size_t begin = text.find(EvalReport::kFiguresBegin);
    if (begin == std::string::npos) throw Error(file.string() + ": contains no figures" + kRemedy);
    text.erase(0, begin + EvalReport::kFiguresBegin.size());
    text.resize(std::min(text.size(), text.find(EvalReport::kFiguresEnd)));
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw Error(file.string() + ": is not JSON" + kRemedy);
  }
}

Scores ReadScores(const Json& object) {
  Scores scores;
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) scores.Add(key, value.get<double>());
    if (value.is_null()) scores.Add(key, std::nan(""));
  }
  return scores;
}

ScoredRun RunOfEval(const fs::path& file, const Json& json) {
  ScoredRun run;
  run.metric = MetricNamed(json.at("metric").get<std::string>());
  if (json.contains("estimates")) {
    run.what = "estimates of " + json.at("estimates").get<std::string>();
  } else {
    run.what = json.value("backend", "") + " with " + json.value("config", "");
  }
  for (const Json& frame : json.at("frames")) {
    run.frames.push_back({frame.at("name").get<std::string>(), ReadScores(frame)});
  }
  run.total = ReadScores(json.at("total"));
  if (run.frames.empty()) throw Error(file.string() + ": no frames in it");
  return run;
}

ScoredRun RunOfFolder(const fs::path& folder, const Json& json) {
  ScoredRun run;
  run.source = json.at("source").get<std::vector<std::string>>();
  run.what = json.value("backend", "") + " with " + json.value("config", "");
  for (const Json& assignment : json.value("set", Json::array()))
    run.what += " " + assignment.get<std::string>();
  if (run.source.empty()) throw Error(folder.string() + ": its summary.json names no source");
  return run;
}

}  // namespace

ScoredRun ReadRun(const fs::path& path) {
  const bool is_report = fs::is_directory(path) && fs::exists(PageFile(path));
  const bool is_folder = fs::is_directory(path) && !is_report;
  const fs::path file = is_report ? PageFile(path) : is_folder ? path / "summary.json" : path;
  if (!fs::exists(file)) {
    throw Error(is_folder ? path.string() + ": no summary.json in it: name an output folder of `parallax run`"
                          : path.string() + ": no such file or folder");
  }
  const Json json = ReadJson(file);
  try {
    ScoredRun run = is_folder ? RunOfFolder(path, json) : RunOfEval(path, json);
    run.name = path.string();
    return run;
  } catch (const Json::exception&) {
    throw Error(file.string() + ": lacks what `parallax " +
                (is_folder ? "run` writes" : "eval --json` writes") + kRemedy);
  }
}

double FigureOf(const ScoredRun& run, const std::string& frame, const std::string& key) {
  const auto found = std::find_if(run.frames.begin(), run.frames.end(),
                                  [&](const FrameScores& scores) { return scores.name == frame; });
  return found == run.frames.end() ? std::nan("") : found->scores.Find(key).value_or(std::nan(""));
}

}  // namespace parallax::app
