// The weights of the matching costs, one for each tile of the left image (docs/matching.md, "matching_cost").
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/cpu/sgm/census_transform.h"
#include "pipeline/rules/cost_weights.h"
#include "pipeline/threads/parallel.h"

namespace parallax::cpu {

class CostWeights {
 public:
  CostWeights(const WeightRule& rule, int width, int height);
  // Sets the size of the image, at most that of construction.
  void SetSize(int width, int height) { width_ = width, height_ = height; }

  void Compute(const PaddedImage<std::uint8_t>& guide, ThreadPool& threads);

  // The weight of pixel (x, y)'s tile is data()[y / kWeightTile_px * stride() + x / kWeightTile_px]; null if
  // all costs count whole.
  const std::uint16_t* data() const { return rule_.weighs() ? weights_.data() : nullptr; }
  std::ptrdiff_t stride() const { return NumWeightTiles(width_); }
  static std::size_t BytesOf(const WeightRule& rule, int width, int height);

 private:
  WeightRule rule_;
  int width_, height_;
  std::vector<std::uint32_t> differences_;  // of each tile's pixels
  std::vector<std::uint16_t> weights_;
};

}  // namespace parallax::cpu
