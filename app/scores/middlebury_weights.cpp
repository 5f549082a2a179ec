#include "app/scores/middlebury_weights.h"

#include <limits>
#include <map>
#include <string>

namespace parallax::app {

std::optional<Scores> MiddleburyWeightedMean(std::span<const FrameScores> frames) {
  std::map<std::string, double> weights = {
      {"Adirondack", 1}, {"ArtL", 1},    {"Jadeplant", 1}, {"Motorcycle", 1}, {"MotorcycleE", 1},
      {"Piano", 1},      {"PianoL", .5}, {"Pipes", 1},     {"Playroom", .5},  {"Playtable", .5},
      {"PlaytableP", 1}, {"Recycle", 1}, {"Shelves", .5},  {"Teddy", 1},      {"Vintage", .5}};
  std::map<std::string, double> sums;
  double sum_of_weights = 0;
  for (const FrameScores& frame : frames) {
    // An extracted scene is not found a second time.
    const auto scene = weights.extract(frame.name);
    if (scene.empty()) return std::nullopt;
    sum_of_weights += scene.mapped();
    for (const NamedScore& figure : frames.front().scores) {
      if (!figure.key.ends_with("_nonocc") && !figure.key.ends_with("_all")) continue;
      sums[figure.key] +=
          scene.mapped() * frame.scores.Find(figure.key).value_or(std::numeric_limits<double>::quiet_NaN());
    }
  }
  if (frames.empty()) return std::nullopt;
  Scores mean;
  for (const auto& [key, sum] : sums) mean.Add(key, sum / sum_of_weights);
  return mean;
}

}  // namespace parallax::app
