// The parameters that a user changes while frames are matched: set A, and set B to compare with it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/parameters_yaml.h"

namespace parallax::app {

// All functions may be called from any thread.
class ParameterSession {
 public:
  // preset: what `chosen` was loaded from, "kitti" or a file's name. Both sets begin with it.
  ParameterSession(ChosenParameters chosen, std::string preset);

  // Called after every change, in the thread that made it. Set it before others share the session.
  std::function<void()> on_change;

  ChosenParameters Get(bool of_b) const;
  // The number of changes: equal numbers mean equal parameters.
  long version() const;

  // Sets one parameter from text. Returns the fault of the value, or of all parameters with it, in one line;
  // nothing is changed then. The key must be valid.
  std::optional<std::string> Set(bool of_b, std::string_view key, std::string_view text);
  // Sets the next or previous value (direction 1, -1): names in their order, whole numbers by 1 or, from 100
  // on, by a tenth, other numbers by a tenth. Otherwise like Set.
  std::optional<std::string> Step(bool of_b, std::string_view key, int direction);
  // Undoes the last change, of either set; false if there is none.
  bool Undo();
  // Resets all parameters of the set to their first values.
  void Reset(bool of_b);

  // Whether frames are matched with both sets.
  bool compares() const;
  void Compare(bool compares);

  struct Difference {
    std::string key, at_first, now;
  };
  std::vector<Difference> DifferencesOf(bool of_b) const;
  const std::string& preset() const { return preset_; }

  // Why a parameter cannot be changed while the frames run; empty if it can.
  static std::string_view WhyFixed(std::string_view key);

 private:
  struct Sets {
    ChosenParameters a, b;
  };
  ChosenParameters& SetOf(bool of_b) { return of_b ? sets_.b : sets_.a; }
  void Changed();

  const Parameters at_first_;
  const std::string preset_;
  mutable std::mutex mutex_;
  Sets sets_;
  std::vector<Sets> before_;
  bool compares_ = false;
  long version_ = 0;
};

}  // namespace parallax::app
