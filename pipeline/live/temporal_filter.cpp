#include "pipeline/live/temporal_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "parallax/disparity_map.h"

namespace parallax {
namespace {

constexpr int kRowsPerMapTask = 16;

// How many of how many frames; in the order of the enumerators.
struct PersistenceRow {
  int least, of;
};
constexpr PersistenceRow kPersistences[] = {{9, 8}, {8, 8}, {2, 3}, {2, 4}, {2, 8},
                                            {1, 2}, {1, 5}, {1, 8}, {0, 8}};
static_assert(std::size(kPersistences) == std::size(kPersistenceNames));

}  // namespace

bool IsPersistent(Persistence persistence, std::uint8_t history) {
  const PersistenceRow row = kPersistences[static_cast<std::size_t>(persistence)];
  const unsigned asked = history & ((1U << row.of) - 1U);
  return std::popcount(asked) >= row.least;
}

void TemporalFilter::Apply(const LiveParameters& parameters, HostImage<float>& map,
                           HostImage<std::uint8_t>& validity, ThreadPool& threads) {
  if (!SameSize(last_.ConstView(), map.ConstView()) || !(parameters == parameters_)) {
    last_ = HostImage<float>(map.width(), map.height(), std::numeric_limits<float>::quiet_NaN());
    history_ = HostImage<std::uint8_t>(map.width(), map.height(), std::uint8_t{0});
    parameters_ = parameters;
  }
  const float alpha = parameters.temporal_alpha;
  const float delta_px = static_cast<float>(parameters.temporal_delta) / 32.0F;
  std::array<bool, 256> is_persistent;
  for (std::size_t h = 0; h < is_persistent.size(); ++h) {
    is_persistent[h] = IsPersistent(parameters.persistence, static_cast<std::uint8_t>(h));
  }
  const auto filter_row = [&](int y) {
    float *values = map.Row(y), *last = last_.Row(y);
    std::uint8_t *history = history_.Row(y), *flags = validity.Row(y);
    for (int x = 0; x < map.width(); ++x) {
      const auto older = static_cast<std::uint8_t>(history[x] << 1);
      if (std::isnan(values[x])) {
        if (!std::isnan(last[x]) && is_persistent[history[x]]) {
          values[x] = last[x];
          flags[x] |= kFilled;
        }
        history[x] = older;
        continue;
      }
      // If the last value is NaN, the comparison is false, as if there were none.
      const bool is_like = std::fabs(values[x] - last[x]) < delta_px;
      if (is_like) values[x] = alpha * values[x] + (1.0F - alpha) * last[x];
      history[x] = is_like ? static_cast<std::uint8_t>(older | 1U) : std::uint8_t{1};
      last[x] = values[x];
    }
  };
  threads.ParallelFor((map.height() + kRowsPerMapTask - 1) / kRowsPerMapTask, [&](int task) {
    const int end = std::min(map.height(), (task + 1) * kRowsPerMapTask);
    for (int y = task * kRowsPerMapTask; y < end; ++y) filter_row(y);
  });
}

}  // namespace parallax
