// The named figures of one frame or of all frames together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// The matcher's time of a frame: no metric, but a score like the others.
inline constexpr const char* kTimeKey = "time_ms";

// A figure in the unit that docs/metrics.md states for its key (%, px, m, ms); NaN if it is not defined.
struct NamedScore {
  std::string key;
  double value = 0;
};

// Figures in the order in which they were added; keys are unique.
class Scores {
 public:
  // Keeps the first value of a key.
  void Add(std::string key, double value) {
    if (!Find(key)) scores_.push_back({std::move(key), value});
  }
  void Add(const Scores& other) {
    for (const NamedScore& score : other.scores_) Add(score.key, score.value);
  }
  std::optional<double> Find(std::string_view key) const {
    for (const NamedScore& score : scores_) {
      if (score.key == key) return score.value;
    }
    return std::nullopt;
  }
  bool empty() const { return scores_.empty(); }
  auto begin() const { return scores_.begin(); }
  auto end() const { return scores_.end(); }

 private:
  std::vector<NamedScore> scores_;
};

struct FrameScores {
  std::string name;
  Scores scores;
};

}  // namespace parallax::app
