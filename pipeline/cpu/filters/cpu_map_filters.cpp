#include "pipeline/cpu/filters/cpu_map_filters.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "pipeline/cpu/filters/cpu_candidate_choice.h"
#include "pipeline/cpu/filters/filter_kernels.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "pipeline/cpu/filters/hole_filling.h"
#include "pipeline/cpu/filters/judgement.h"
#include "pipeline/cpu/filters/plane_filling.h"
#include "pipeline/cpu/filters/smoothing.h"
#include "pipeline/simd/row_tasks.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerBlock = HoleFilling::kRowsPerBlock;

std::size_t WholeLines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Rows of a framed map to those of an image, each the median of side x side values; 0 = as it is.
void CopyOut(const FramedMap& framed, int side, HostImage<float>& to, ThreadPool& threads) {
  ForRowBlocks(framed.height(), kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const float* rows[5];
      for (int i = 0; i < side; ++i) rows[i] = framed.Row(y - side / 2 + i);
      if (side > 1) {
        MedianRow(rows, side, framed.width(), to.Row(y));
      } else {
        std::copy_n(framed.Row(y), framed.width(), to.Row(y));
      }
    }
  });
}

// Workspace for islands and holes.
std::size_t FillWorkspaceBytes(int width, int height, int num_threads) {
  return WholeLines(SpeckleFilter::WorkspaceBytes(width, height)) +
         WholeLines(FramedMap::SizeBytes(width, height)) +
         WholeLines(HoleFilling::WorkspaceBytes(width, height, num_threads));
}

// Up to the median.
void FilterAndFill(const Parameters& all_parameters, HostImageView<const std::uint8_t> guide,
                   HostImageView<const float> selected, SpeckleFilter& speckles, DisparityMap& map,
                   std::uint8_t* workspace, ThreadPool& threads, StageResults* stages) {
  const int width = map.disparity.width(), height = map.disparity.height();
  const FilterParameters& parameters = all_parameters.filter;
  const bool has_planes = all_parameters.refinement.planes;
  const bool judges = HasTrees(all_parameters) && !selected.Empty();
  speckles.FindIslands(parameters, map, workspace, threads);
  if (!parameters.fill && parameters.median <= 1 && !has_planes && !judges) {
    ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
      SpeckleFilter::RowMemory memory(speckles);
      for (int y = begin; y < end; ++y)
        speckles.CopyRow(y, map.disparity.Row(y), map.disparity.Row(y), map.validity.Row(y), memory);
    });
    if (stages != nullptr) {
      stages->Add("without_speckles", Clone(map));
      stages->Add("filled", Clone(map));
    }
    return;
  }
  std::uint8_t* frame_memory = workspace + WholeLines(SpeckleFilter::WorkspaceBytes(width, height));
  const FramedMap framed(width, height, frame_memory);
  std::optional<HoleFilling> filling;
  if (parameters.fill)
    filling.emplace(framed, frame_memory + WholeLines(FramedMap::SizeBytes(width, height)),
                    threads.num_threads());
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    SpeckleFilter::RowMemory memory(speckles);
    for (int y = begin; y < end; ++y) {
      speckles.CopyRow(y, map.disparity.Row(y), framed.Row(y), map.validity.Row(y), memory);
      framed.RestoreMargin(y);
    }
    if (filling && !judges) filling->Gather(begin / kRowsPerBlock);
  });
  if (stages != nullptr) {
    DisparityMap& without_speckles = stages->Add("without_speckles", Clone(map));
    CopyOut(framed, 0, without_speckles.disparity, threads);
  }
  std::uint8_t* more_memory = workspace + FillWorkspaceBytes(width, height, threads.num_threads());
  if (judges) {
    JudgePixels(all_parameters, guide, selected, framed, map.validity, more_memory, threads);
    if (stages != nullptr) {
      DisparityMap& judged = stages->Add("judged", Clone(map));
      CopyOut(framed, 0, judged.disparity, threads);
    }
    if (filling) {
      ForRowBlocks(height, kRowsPerBlock, threads,
                   [&](int begin, int) { filling->Gather(begin / kRowsPerBlock); });
    }
  }
  if (filling) filling->Fill(map.validity, threads);
  if (stages != nullptr) {
    DisparityMap& filled = stages->Add("filled", Clone(map));
    CopyOut(framed, 0, filled.disparity, threads);
  }
  if (!has_planes) {
    CopyOut(framed, parameters.median, map.disparity, threads);
    return;
  }
  const FramedMap from_planes(width, height, more_memory);
  const TilePlanes tiles =
      FillFromPlanes(all_parameters, guide, framed, from_planes, map.validity,
                     more_memory + WholeLines(FramedMap::SizeBytes(width, height)), threads);
  if (stages != nullptr) {
    DisparityMap& planes = stages->Add("planes", Clone(map));
    CopyOut(from_planes, 0, planes.disparity, threads);
  }
  if (judges) {
    ChooseCandidates(all_parameters, guide, framed, map.validity, tiles, from_planes, threads);
    if (stages != nullptr) {
      DisparityMap& chosen = stages->Add("chosen", Clone(map));
      CopyOut(from_planes, 0, chosen.disparity, threads);
    }
  }
  CopyOut(from_planes, parameters.median, map.disparity, threads);
}

}  // namespace

std::size_t FilterWorkspaceBytes(const Parameters& parameters, int width, int height, int num_threads) {
  const RefinementParameters& refinement = parameters.refinement;
  std::size_t more_bytes = 0;
  if (refinement.planes) {
    more_bytes =
        WholeLines(FramedMap::SizeBytes(width, height)) + PlaneWorkspaceBytes(refinement, width, height);
  }
  if (HasTrees(parameters))
    more_bytes = std::max(more_bytes, JudgementWorkspaceBytes(refinement, width, height));
  const std::size_t bytes = FillWorkspaceBytes(width, height, num_threads) + more_bytes;
  return refinement.smoothing_passes > 0 ? std::max(bytes, SmoothingWorkspaceBytes(width, height)) : bytes;
}

void FilterMap(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
               HostImageView<const float> selected, SpeckleFilter& speckles, DisparityMap& map,
               std::uint8_t* workspace, ThreadPool& threads, StageResults* stages) {
  FilterAndFill(parameters, guide, selected, speckles, map, workspace, threads, stages);
  if (parameters.refinement.smoothing_passes > 0) {
    if (stages != nullptr) stages->Add("median", Clone(map));
    Smooth(parameters.refinement, map.disparity, workspace, threads);
  }
}

}  // namespace parallax::cpu
