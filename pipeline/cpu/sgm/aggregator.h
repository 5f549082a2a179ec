// Costs, aggregation and selection of whole frames: two sweeps over the image, and the memory between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallax/image.h"
#include "pipeline/cpu/sgm/census_transform.h"
#include "pipeline/cpu/sgm/selection.h"
#include "pipeline/cpu/sgm/sweep_schedule.h"
#include "pipeline/cpu/sgm/tile_weights.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/simd/large_buffer.h"

namespace parallax::cpu {

// Memory of the two sweeps for slabs of this many rows, bytes.
struct SlabPlan {
  int rows = 0;
  int num_slabs = 0;
  std::size_t volume_bytes = 0;  // sums of the first sweep, of one slab, or the workspace if that is larger
  std::size_t checkpoint_bytes = 0;  // path costs of the first sweep at the start of each slab but the first
  std::size_t total_bytes() const { return volume_bytes + checkpoint_bytes; }
};

class Aggregator {
 public:
  Aggregator(const Parameters& parameters, const MatchingTables& tables, int width, int height,
             ThreadPool& threads);
  ~Aggregator();

  // Chooses the number of slabs for a frame: the fewest within the limit (or as few bytes as possible). The
  // workspace, shared with later stages, is at least workspace_bytes. Returns the total memory, bytes.
  std::size_t Plan(std::size_t limit_bytes, std::size_t workspace_bytes);
  // Allocates the planned memory.
  void SetUp();

  // Sets the size of the frame, at most that of construction, in the same memory. Does nothing if the size is
  // the same.
  void SetSize(int width, int height);

  // Fills map with the result of selection and consistency. stages: if not null, its results sums,
  // winner_left, winner_right and selected are written. selected: receives the disparities before
  // consistency, if not empty. times: receives those of the two sweeps, if not null.
  void Compute(const CensusPlanes& left, const CensusPlanes& right, const PaddedImage<std::uint8_t>& guide,
               const CostWeights& weights, DisparityMap& map, HostImageView<float> selected,
               StageTimes* times, StageResults* stages);

  const Striping& striping() const { return striping_; }
  const PhasedRow& right_row() const { return right_row_; }
  PlaneKind plane_kind() const;
  int num_slabs() const { return plan_.num_slabs; }
  // The first sweep's sums while Compute() runs; free to use between calls.
  std::uint8_t* workspace() const { return volume_.data(); }

 private:
  class Sink;
  // Path costs of one sweep.
  struct PathState {
    AlignedBuffer<std::uint8_t> vertical, diagonal, antidiagonal, horizontal;
  };

  void Allocate(PathState& state) const;
  std::size_t PathStateBytes() const;
  PhasedRow MakeRightRow(int width) const;
  void MarkOutside();
  void Clear(PathState& state) const;
  SweepView ViewOf(PathState& state) const;
  void Save(const PathState& state, int v, std::uint8_t* checkpoint) const;
  void Restore(PathState& state, int v, const std::uint8_t* checkpoint) const;

  Parameters parameters_;
  MatchingTables tables_;
  int width_, height_;  // of the frame; during allocation, of the largest one
  ThreadPool& threads_;
  Striping striping_;
  PhasedRow right_row_;
  PathCosts path_costs_;
  SelectionTables selection_;
  std::array<std::uint8_t, 512> p2_bytes_{};  // see SweepView
  int num_p2_ = 256;
  SweepTiles tiles_;
  SweepFunction first_sweep_, last_sweep_;
  SlabPlan plan_;
  std::ptrdiff_t slot_bytes_, volume_pixel_bytes_;
  LargeBuffer volume_, checkpoints_;
  AlignedBuffer<std::uint8_t> outside_, pad_;
  AlignedBuffer<std::uint16_t> pad16_;
  PathState first_state_, last_state_;
  std::vector<BandProgress> progress_;
  std::vector<Sink> sinks_;
  std::vector<NoSink> no_sinks_;
};

}  // namespace parallax::cpu
