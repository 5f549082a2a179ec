// The weighted mean of Middlebury v3's official table.
#pragma once

#include <optional>
#include <span>

#include "app/scores/scores.h"

namespace parallax::app {

// The number of training scenes in the official table.
inline constexpr int kNumMiddleburyTrainingScenes = 15;

// Returns the weighted mean of every Middlebury figure (keys that end in _nonocc or _all): PianoL, Playroom,
// Playtable, Shelves and Vintage count half, the other ten training scenes whole. A mean of fewer scenes takes
// the weights of those scenes. A figure is NaN if it is undefined in one of them. Returns nothing if there are
// no frames, if a frame is not one of the training scenes, or if a scene appears twice.
std::optional<Scores> MiddleburyWeightedMean(std::span<const FrameScores> frames);

}  // namespace parallax::app
