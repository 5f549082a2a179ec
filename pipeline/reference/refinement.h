// Stages that refine a filled map; a map with holes is refined as well and keeps them. docs/matching.md,
// "refinement".
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/trees/candidate_choice.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::reference {

// --- trees --------------------------------------------------------------------
// One image for each PixelFeature (pipeline/trees/pixel_trees.h). selected: the map before consistency; map:
// after removal of speckles.
std::vector<HostImage<std::uint8_t>> PixelFeatures(const Parameters& parameters,
                                                   HostImageView<const std::uint8_t> guide,
                                                   HostImageView<const float> selected,
                                                   const DisparityMap& map, ThreadPool& threads);
// Rejects kept pixels whose winner the trees consider wrong, as kMismatched, and gives rejected ones their
// selected disparity back if the trees consider it right.
void JudgePixels(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                 HostImageView<const float> selected, DisparityMap& map, ThreadPool& threads);

// --- planes -------------------------------------------------------------------
// Fits to each tile the plane that its samples lie on; a tile without a plane has the value kNoValue.
HostImage<DisparityPlane> FitPlanes(const Parameters& parameters, const DisparityMap& map,
                                    ThreadPool& threads);
// Gives rejected pixels the value of one of the planes of the surrounding tiles: the one that the
// neighbouring pixels lie on (robust fits by iterated weighted least squares). Sets kFilled for the changed
// pixels.
void FillFromPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide, DisparityMap& map,
                    ThreadPool& threads);

// --- choice -------------------------------------------------------------------
// guide and filled, the map before FillFromPlanes, must outlive the view, as planes must.
CandidateView ViewOfCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                               const DisparityMap& filled, const HostImage<DisparityPlane>& planes);
// Trees choose the values of rejected pixels among candidates (pipeline/trees/candidate_choice.h). map: the
// result of FillFromPlanes for `filled`.
void ChooseCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                      const DisparityMap& filled, DisparityMap& map, ThreadPool& threads);

// --- smoothing ----------------------------------------------------------------
// Takes bilateral means along rows, then along columns (separable: Pham & van Vliet 2005), in place.
void Smooth(const RefinementParameters& parameters, HostImageView<float> disparity, ThreadPool& threads);

}  // namespace parallax::reference
