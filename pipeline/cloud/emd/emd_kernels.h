// The two inner loops of the auction, in vectors: the bid of a person, and the persons that a lower price
// reaches. Both examine a box of 32 points only if its bound requires it.
#pragma once

#include <cstdint>

#include "pipeline/cloud/emd/emd_problem.h"

namespace parallax::emd {

struct Choice {
  std::int32_t object = -1;          // of the least cost + price; the first such
  std::int32_t value = kFar;         // its cost + price
  std::int32_t second_value = kFar;  // the least of the other objects, at most kFar
};

// The best and second best object of the person at (x, y, z) units. price: of objects, padded with kFar.
// box_min_price: at most the least price of every box, padded with kFar; updated for examined boxes. bounds:
// room for padded boxes. hint: the box to examine first.
Choice FindBestTwo(const Side& objects, const std::int32_t* price, std::int32_t* box_min_price,
                   std::int32_t* bounds, int num_boxes, int hint, float x, float y, float z);

// best[i] = min(best[i], cost(i, object) + label) for every person i but `except`, for the object at (x, y,
// z) units. Returns the number of improved persons and lists them in improved (room for all persons).
// box_max_best: at least the largest best of every box, padded with -kFar; updated likewise.
int LowerBest(const Side& persons, std::int32_t* best, std::int32_t* box_max_best, std::int32_t* bounds,
              int num_boxes, float x, float y, float z, std::int32_t label, std::int32_t except,
              std::int32_t* improved);

}  // namespace parallax::emd
