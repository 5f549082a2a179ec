// What the official evaluators printed for stored estimates (eval_truth/TRUTHS.txt of the real data), as
// cases.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "app/eval/truth_files.h"

namespace parallax::app {

// The value of a key of docs/metrics.md, over the one pair.
using Lookup = std::function<double(const std::string& key)>;

// One estimate, and a text that an official tool printed about it.
struct OfficialCase {
  std::string heading;  // line of the file that it stands under
  std::string metric;
  TruthFiles truth;  // absolute file names
  std::string estimate;
  float max_disparity_px = 0;                       // Middlebury; 0 = none
  bool round = false;                               // Middlebury
  std::string expected;                             // as printed, runs of blanks reduced to one
  std::function<std::string(const Lookup&)> print;  // our figures in the same form
};

inline std::string Printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// Words joined by single blanks.
inline std::string Normalised(const std::string& line) {
  std::istringstream words(line);
  std::string word, text;
  while (words >> word) text += (text.empty() ? "" : " ") + word;
  return text;
}

inline std::string PrintKitti2012(const Lookup& value) {
  std::string text;
  for (const char* t : {"1", "2", "3", "4", "5"}) {
    const std::string key = std::string("out") + t;
    text += std::string("out>") + t + " all=" + Printed("%f", value(key + "_all") / 100) +
            " est_only=" + Printed("%f", value(key + "_est") / 100) + "\n";
  }
  return text + "density=" + Printed("%f", value("density") / 100) +
         " avg_all=" + Printed("%f", value("mean_all")) +
         " avg_est_only=" + Printed("%f", value("mean_est")) + "\n";
}

inline std::string PrintKitti2015(const Lookup& value) {
  std::string text;
  const auto count = [&](const std::string& key) {
    return Printed("%.0f", value(key + "_errors")) + "/" + Printed("%.0f", value(key + "_pixels"));
  };
  for (const char* part : {"bg", "fg", "all"}) {
    const std::string key = std::string("d1_") + part;
    text += std::string("D1-") + part + " all: " + count(key) + " est_only: " + count(key + "_est") + "\n";
  }
  return text + "density=" + Printed("%f", value("density") / 100) +
         " D1-all=" + Printed("%.4f", value("d1_all")) + "% D1-est=" + Printed("%.4f", value("d1_all_est")) +
         "%\n";
}

// threshold: "0.5", "1.0", ...; region: "all" or "nonocc".
inline std::string PrintMiddlebury(const Lookup& value, const std::string& threshold,
                                   const std::string& region) {
  const std::map<std::string, std::string> names = {{"0.5", "05"}, {"1.0", "1"}, {"2.0", "2"}, {"4.0", "4"}};
  const std::string name = names.at(threshold) + "_" + region;
  return Printed("%.1f", value("evaluated_" + region)) + Printed(" %.2f", value("bad" + name)) +
         Printed(" %.2f", value("invalid_" + region)) + Printed(" %.2f", value("totbad" + name)) +
         Printed(" %.2f", value("avgerr_" + region)) + "\n";
}

inline std::string PrintEth3d(const Lookup& value, const std::string& region) {
  std::string text = "coverage: " + Printed("%g", value("coverage_" + region) / 100) + "\n";
  for (const char* t : {"05", "1", "2", "4"}) {
    const std::string name = std::string(t) == "05" ? "0_5" : std::string(t) + "_0";
    text += "bad_" + name + ": " + Printed("%g", value(std::string("bad") + t + "_" + region) / 100) + "\n";
  }
  for (const char* key : {"avgerr", "rms", "a50", "a90", "a95", "a99"}) {
    text += std::string(key) + ": " + Printed("%g", value(std::string(key) + "_" + region)) + "\n";
  }
  return text;
}

// Reads the lines up to the next empty one, normalised.
inline std::string ReadBlock(std::istream& file) {
  std::string text, line;
  while (std::getline(file, line) && !line.empty()) text += Normalised(line) + "\n";
  return text;
}

inline OfficialCase KittiCase(std::istream& file, const std::string& heading, const std::string& data) {
  OfficialCase result;
  result.heading = heading;
  const bool is_2012 = heading.starts_with("[KITTI 2012");
  result.metric = is_2012 ? "kitti2012" : "kitti2015";
  std::istringstream files(heading.substr(heading.find(']') + 1));
  std::string truth, estimate;
  files >> truth >> estimate;
  result.truth.disparity = data + "/" + truth;
  result.estimate = data + "/" + estimate;
  if (heading.find("synthetic object map") != std::string::npos) {
    result.truth.objects = data + "/eval_truth/objmap_synthetic_1242x375.png";
  }
  result.expected = ReadBlock(file);
  if (is_2012) {
    result.print = PrintKitti2012;
  } else {
    result.print = PrintKitti2015;
  }
  return result;
}

// "[Middlebury SDK evaldisp] Teddy bad0.5 all maxdisp=64 round=0: (legend) 97.7 13.18 9.03 22.21 0.86"
inline OfficialCase MiddleburyCase(const std::string& line, const std::string& data) {
  OfficialCase result;
  result.heading = line;
  result.metric = "middlebury";
  std::istringstream words(line.substr(line.find(']') + 1));
  std::string scene, threshold, region, max_disparity, round;
  words >> scene >> threshold >> region >> max_disparity >> round;
  const std::string folder = data + "/middlebury/MiddEval3/trainingQ/" + scene;
  result.truth.disparity = folder + "/disp0GT.pfm";
  result.truth.nonoccluded = folder + "/mask0nocc.png";
  result.estimate = data + "/eval_truth/middlebury_est_" + scene + "_disp0SGBM.pfm";
  result.max_disparity_px = std::stof(max_disparity.substr(max_disparity.find('=') + 1));
  result.round = round.starts_with("round=1");
  const std::size_t legend_end = line.rfind(')'), colon = line.rfind(':');
  result.expected =
      Normalised(line.substr((legend_end == std::string::npos ? colon : legend_end) + 1)) + "\n";
  result.print = [threshold = threshold.substr(3), region](const Lookup& value) {
    return PrintMiddlebury(value, threshold, region);
  };
  return result;
}

inline OfficialCase Eth3dCase(std::istream& file, const std::string& heading, const std::string& data) {
  OfficialCase result;
  result.heading = heading;
  result.metric = "eth3d";
  result.truth.disparity = data + "/eth3d/two_view_training_gt/playground_1l/disp0GT.pfm";
  result.truth.nonoccluded = data + "/eval_truth/eth3d_mask_synthetic_playground_1l.png";
  result.estimate = data + "/eval_truth/eth3d_est_playground_1l.pfm";
  result.expected = ReadBlock(file);  // ends where "All:" begins
  std::string all;
  std::getline(file, all);
  result.expected += ReadBlock(file);
  result.print = [](const Lookup& value) { return PrintEth3d(value, "nonocc") + PrintEth3d(value, "all"); };
  return result;
}

// Folder of the real data (PARALLAX_DATA), empty when it is not there.
inline std::string RealDataFolder() {
  const char* folder = std::getenv("PARALLAX_DATA");
  return folder != nullptr && std::filesystem::is_directory(folder) ? folder : "";
}

inline std::vector<OfficialCase> ReadOfficialCases(const std::string& data) {
  std::vector<OfficialCase> cases;
  std::ifstream file(data + "/eval_truth/TRUTHS.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("[KITTI")) cases.push_back(KittiCase(file, line, data));
    if (line.starts_with("[Middlebury")) cases.push_back(MiddleburyCase(line, data));
    if (line.starts_with("[ETH3D")) cases.push_back(Eth3dCase(file, line, data));
  }
  return cases;
}

}  // namespace parallax::app
