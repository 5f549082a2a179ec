#include "app/view/controls/parameter_session.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "config/parameter_text.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMostUndone = 1000;

template <typename T>
void StepValue(const ParameterInfo& info, int direction, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    const int num = static_cast<int>(std::size(EnumNames(T{})));
    value = static_cast<T>((static_cast<int>(value) + num + direction) % num);
  } else if constexpr (std::is_same_v<T, int>) {
    const int step = std::max(1, std::abs(value) >= 100 ? std::abs(value) / 10 : 1);
    value = static_cast<int>(std::clamp(static_cast<double>(value) + direction * step, info.min, info.max));
  } else {
    const double step = value == 0 ? std::min(0.1, info.max) : 0.1 * std::fabs(static_cast<double>(value));
    value = static_cast<T>(std::clamp(static_cast<double>(value) + direction * step, info.min, info.max));
  }
}

}  // namespace

ParameterSession::ParameterSession(ChosenParameters chosen, std::string preset)
    : at_first_(chosen.parameters), preset_(std::move(preset)), sets_{chosen, chosen} {}

ChosenParameters ParameterSession::Get(bool of_b) const {
  const std::scoped_lock lock(mutex_);
  return of_b ? sets_.b : sets_.a;
}

long ParameterSession::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

bool ParameterSession::compares() const {
  const std::scoped_lock lock(mutex_);
  return compares_;
}

std::string_view ParameterSession::WhyFixed(std::string_view key) {
  return key == "live.decimation" ? "images are read in this size: start again with --set" : "";
}

void ParameterSession::Changed() {
  {
    const std::scoped_lock lock(mutex_);
    ++version_;
  }
  if (on_change) on_change();
}

std::optional<std::string> ParameterSession::Set(bool of_b, std::string_view key, std::string_view text) {
  {
    const std::scoped_lock lock(mutex_);
    ChosenParameters changed = of_b ? sets_.b : sets_.a;
    if (const auto wrong = SetParameter(changed.parameters, key, text))
      return std::string(key) + " " + *wrong;
    if (const auto faults = Validate(changed.parameters); !faults.empty()) {
      return faults.front().key + " " + faults.front().message;
    }
    changed.chosen_keys.insert(std::string(key));
    if (changed.parameters == SetOf(of_b).parameters) return std::nullopt;
    if (before_.size() == kMostUndone) before_.erase(before_.begin());
    before_.push_back(sets_);
    SetOf(of_b) = std::move(changed);
  }
  Changed();
  return std::nullopt;
}

std::optional<std::string> ParameterSession::Step(bool of_b, std::string_view key, int direction) {
  // Some values between do not go, or not with the other parameters (4 or 8 paths): the next that does.
  constexpr int kMostTries = 64;
  Parameters parameters = Get(of_b).parameters;
  std::optional<std::string> wrong;
  for (int i = 0; i < kMostTries; ++i) {
    const std::string before = ParameterText(parameters, key);
    VisitParameters(parameters, [&](const ParameterInfo& info, auto& value) {
      if (info.key == key) StepValue(info, direction, value);
    });
    const std::string text = ParameterText(parameters, key);
    if (text == before) break;  // the end of its range
    const auto fault = Set(of_b, key, text);
    if (!fault) return std::nullopt;
    if (!wrong) wrong = fault;
  }
  return wrong;
}

bool ParameterSession::Undo() {
  {
    const std::scoped_lock lock(mutex_);
    if (before_.empty()) return false;
    sets_ = std::move(before_.back());
    before_.pop_back();
  }
  Changed();
  return true;
}

void ParameterSession::Reset(bool of_b) {
  {
    const std::scoped_lock lock(mutex_);
    if (SetOf(of_b).parameters == at_first_) return;
    before_.push_back(sets_);
    SetOf(of_b).parameters = at_first_;
  }
  Changed();
}

void ParameterSession::Compare(bool compares) {
  {
    const std::scoped_lock lock(mutex_);
    if (compares_ == compares) return;
    compares_ = compares;
  }
  Changed();
}

std::vector<ParameterSession::Difference> ParameterSession::DifferencesOf(bool of_b) const {
  const Parameters now = Get(of_b).parameters;
  std::vector<Difference> differences;
  for (const std::string& key : ParameterKeys()) {
    std::string was = ParameterText(at_first_, key), is = ParameterText(now, key);
    if (was != is) differences.push_back({key, std::move(was), std::move(is)});
  }
  return differences;
}

}  // namespace parallax::app
