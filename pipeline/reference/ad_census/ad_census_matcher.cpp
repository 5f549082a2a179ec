// The straight line: the stages of AD-Census one after the other, nothing between the calls.
#include <algorithm>
#include <string>
#include <utility>

#include "pipeline/matchers/stage_watch.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/reference/ad_census/reference_stages.h"
#include "pipeline/reference/refinement.h"
#include "pipeline/reference/stages.h"
#include "pipeline/rules/pixel_color.h"
#include "pipeline/rules/texture.h"

namespace parallax {
namespace {

using reference::ad_census::Arms;

// The two images of a frame as the stages want them.
struct Views {
  HostImage<Rgb8> color_left, color_right;
  HostImage<std::uint64_t> census_left, census_right;
  HostImage<Arms> arms_left, arms_right;
};

template <typename T>
HostImage<T> Mirrored(HostImageView<const T> image) {
  HostImage<T> mirrored(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    std::reverse_copy(image.Row(y), image.Row(y) + image.width, mirrored.Row(y));
  return mirrored;
}

// Arms as one number an image can hold for a comparison: left + 2^8 right + 2^16 up + 2^24 down.
HostImage<std::uint64_t> Packed(const HostImage<Arms>& arms) {
  HostImage<std::uint64_t> packed(arms.width(), arms.height());
  for (int y = 0; y < arms.height(); ++y) {
    std::transform(arms.Row(y), arms.Row(y) + arms.width(), packed.Row(y), [](const Arms& a) {
      return std::uint64_t{a.left} | std::uint64_t{a.right} << 8 | std::uint64_t{a.up} << 16 |
             std::uint64_t{a.down} << 24;
    });
  }
  return packed;
}

class ReferenceAdCensusMatcher final : public StereoMatcher {
 public:
  ReferenceAdCensusMatcher(const Parameters& parameters, const MatcherOptions& options)
      : parameters_(parameters),
        tables_(MakeAdCensusTables(parameters)),
        threads_(options.num_threads),
        width_(options.width),
        height_(options.height) {}

  std::string_view backend() const override { return "reference"; }

  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    CheckMatcherInput(left, right, width_, height_);
    if (times != nullptr) *times = {};
    if (stages != nullptr) stages->Clear();
    const int width = WidthOf(left), height = HeightOf(left);
    const int min_disparity = parameters_.matching_cost.min_disparity;
    const int num_disparities = parameters_.matching_cost.num_disparities;
    StageWatch watch(times);

    const Views views = MakeViews(left, right);
    if (stages != nullptr) {
      stages->Add("census_left", views.census_left.Clone());
      stages->Add("census_right", views.census_right.Clone());
      stages->Add("arms_left", Packed(views.arms_left));
      stages->Add("arms_right", Packed(views.arms_right));
    }
    watch.Lap(Stage::kCensusTransform);
    const HostCostVolume<std::uint16_t> sums = MakeSums(views, stages, watch);

    DisparityMap map{{width, height}, {width, height}, {width, height}};
    HostImage<std::uint16_t> winner_left(width, height), winner_right(width, height);
    SelectionParameters whole = parameters_.selection;
    whole.subpixel = Subpixel::kNone;
    reference::SelectDisparities(sums.View(), min_disparity, whole, winner_left.View(), map, threads_);
    watch.Lap(Stage::kSelection);
    if (parameters_.ad_census.right_winner == RightWinner::kOwn) {
      winner_right = OwnRightWinners(left, right, watch);
    } else {
      reference::SelectRightWinners(sums.View(), min_disparity, winner_right.View(), threads_);
    }
    if (stages != nullptr) {
      stages->Add("winner_left", winner_left.Clone());
      stages->Add("winner_right", winner_right.Clone());
      stages->Add("selected", Clone(map));
    }
    watch.Lap(Stage::kSelection);

    reference::CheckConsistency(winner_left.ConstView(), winner_right.ConstView(), min_disparity,
                                num_disparities, parameters_.consistency, map, threads_);
    if (stages != nullptr) stages->Add("consistent", Clone(map));
    watch.Lap(Stage::kConsistency);

    Refine(views, sums, map, stages);
    ClearConfidenceOfConstantImages(left, right, map.confidence.View());
    watch.Lap(Stage::kFilter);
    result = std::move(map);
  }

 private:
  Views MakeViews(const CameraImageView& left, const CameraImageView& right) {
    Views views;
    for (const bool is_left : {true, false}) {
      const CameraImageView& image = is_left ? left : right;
      HostImage<Rgb8> color = RgbImage(image);
      HostImage<Arms> arms(color.width(), color.height());
      reference::ad_census::GrowArms(color.ConstView(), parameters_.ad_census, arms.View(), threads_);
      (is_left ? views.census_left : views.census_right) = Census(image);
      (is_left ? views.color_left : views.color_right) = std::move(color);
      (is_left ? views.arms_left : views.arms_right) = std::move(arms);
    }
    return views;
  }

  HostImage<std::uint64_t> Census(const CameraImageView& image) {
    HostImage<std::uint64_t> census(WidthOf(image), HeightOf(image));
    const CensusWindow window = parameters_.census_transform.window;
    if (const auto* color = std::get_if<HostImageView<const Rgb8>>(&image)) {
      reference::CensusTransform(reference::GrayFromColor(*color).ConstView(), window, census.View(),
                                 threads_);
    } else if (const auto* gray16 = std::get_if<HostImageView<const std::uint16_t>>(&image)) {
      reference::CensusTransform(*gray16, window, census.View(), threads_);
    } else {
      reference::CensusTransform(std::get<HostImageView<const std::uint8_t>>(image), window, census.View(),
                                 threads_);
    }
    return census;
  }

  HostCostVolume<std::uint16_t> MakeSums(const Views& views, StageResults* stages, StageWatch& watch) {
    const AdCensusParameters& parameters = parameters_.ad_census;
    const int min_disparity = parameters_.matching_cost.min_disparity;
    HostCostVolume<std::uint16_t> costs(views.color_left.width(), views.color_left.height(),
                                        parameters_.matching_cost.num_disparities);
    reference::ad_census::MatchingCost(views.color_left.ConstView(), views.color_right.ConstView(),
                                       views.census_left.ConstView(), views.census_right.ConstView(),
                                       min_disparity, parameters.color_difference, tables_, costs.View(),
                                       threads_);
    if (stages != nullptr) stages->Add("costs", costs.Clone());
    watch.Lap(Stage::kMatchingCost);

    const HostImageView<const Arms> no_arms;
    reference::ad_census::AggregateOverCrosses(
        views.arms_left.ConstView(),
        parameters.support == SupportRegion::kBoth ? views.arms_right.ConstView() : no_arms, min_disparity,
        parameters.iterations, costs.View(), threads_);
    if (stages != nullptr) stages->Add("aggregated", costs.Clone());
    HostCostVolume<std::uint16_t> sums = costs.Clone();
    if (parameters.scanlines) {
      reference::ad_census::OptimizeScanlines(costs.ConstView(), views.color_left.ConstView(),
                                              views.color_right.ConstView(), min_disparity,
                                              parameters.step_threshold, tables_, sums.View(), threads_);
    }
    if (stages != nullptr) stages->Add("sums", sums.Clone());
    watch.Lap(Stage::kAggregation);
    return sums;
  }

  // The right image becomes the left one when both are mirrored and change places.
  HostImage<std::uint16_t> OwnRightWinners(const CameraImageView& left, const CameraImageView& right,
                                           StageWatch& watch) {
    const auto mirrored_image = [](const auto& view) -> CameraImage { return Mirrored(view); };
    const CameraImage mirrored_right = std::visit(mirrored_image, right);
    const CameraImage mirrored_left = std::visit(mirrored_image, left);
    const Views mirrored = MakeViews(ViewOf(mirrored_right), ViewOf(mirrored_left));
    const HostCostVolume<std::uint16_t> sums = MakeSums(mirrored, nullptr, watch);
    const int width = WidthOf(left), height = HeightOf(left);
    HostImage<std::uint16_t> winners(width, height);
    DisparityMap unused{{width, height}, {width, height}, {width, height}};
    reference::SelectDisparities(sums.View(), parameters_.matching_cost.min_disparity, {}, winners.View(),
                                 unused, threads_);
    return Mirrored(winners.ConstView());
  }

  void Refine(const Views& views, const HostCostVolume<std::uint16_t>& sums, DisparityMap& map,
              StageResults* stages) {
    const int min_disparity = parameters_.matching_cost.min_disparity;
    const auto hand_out = [&](std::string_view name) {
      if (stages != nullptr) stages->Add(name, Clone(map));
    };
    reference::RemoveSpeckles(parameters_.filter, map);
    hand_out("without_speckles");
    reference::ad_census::VoteInRegions(views.arms_left.ConstView(), min_disparity,
                                        parameters_.matching_cost.num_disparities, parameters_.ad_census, map,
                                        threads_);
    hand_out("voted");
    if (parameters_.filter.fill)
      reference::ad_census::Interpolate(views.color_left.ConstView(), map, threads_);
    hand_out("filled");
    if (parameters_.ad_census.discontinuities)
      reference::ad_census::AdjustDiscontinuities(sums.View(), min_disparity, map, threads_);
    hand_out("adjusted");
    reference::ad_census::RefineSubpixel(sums.View(), min_disparity, parameters_.selection.subpixel, map,
                                         threads_);
    hand_out("refined");
    if (parameters_.refinement.planes)
      reference::FillFromPlanes(
          parameters_, reference::GrayFromColor(views.color_left.ConstView()).ConstView(), map, threads_);
    reference::MedianFilter(parameters_.filter.median, map, threads_);
    if (parameters_.refinement.smoothing_passes > 0)
      reference::Smooth(parameters_.refinement, map.disparity.View(), threads_);
  }

  Parameters parameters_;
  AdCensusTables tables_;
  ThreadPool threads_;
  int width_, height_;
};

}  // namespace

std::unique_ptr<StereoMatcher> MakeReferenceAdCensusMatcher(const Parameters& parameters,
                                                            const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  return std::make_unique<ReferenceAdCensusMatcher>(parameters, options);
}

}  // namespace parallax
