// Semi-global matching on the reference: the stages one after the other, nothing between the calls.
#include <string>

#include "pipeline/matchers/stage_watch.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/reference/map_filters.h"
#include "pipeline/reference/stages.h"
#include "pipeline/rules/texture.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax {
namespace {

class ReferenceSgmMatcher final : public StereoMatcher {
 public:
  ReferenceSgmMatcher(const Parameters& parameters, const MatcherOptions& options)
      : parameters_(parameters),
        tables_(MakeMatchingTables(parameters)),
        threads_(options.num_threads),
        largest_width_(options.width),
        largest_height_(options.height) {
    SetSize(options.width, options.height);
  }

  std::string_view backend() const override { return "reference"; }

  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    CheckMatcherInput(left, right, largest_width_, largest_height_);
    SetSize(WidthOf(left), HeightOf(left));
    if (times != nullptr) *times = {};
    if (stages != nullptr) stages->Clear();
    const int min_disparity = parameters_.matching_cost.min_disparity;
    StageWatch watch(times);

    const HostImage<std::uint8_t> guide = TransformImage(left, census_left_.View());
    const HostImage<std::uint8_t> gray_right = TransformImage(right, census_right_.View());
    watch.Lap(Stage::kCensusTransform);

    HostImage<std::uint8_t> gradient_left, gradient_right;
    if (tables_.has_gradient) {
      gradient_left = reference::GradientAlongRow(guide.ConstView(), threads_);
      gradient_right = reference::GradientAlongRow(gray_right.ConstView(), threads_);
    }
    reference::MatchingCost({census_left_.ConstView(), gradient_left.ConstView()},
                            {census_right_.ConstView(), gradient_right.ConstView()}, min_disparity, tables_,
                            costs_.View(), threads_);
    if (tables_.weights.weighs()) {
      const auto weights = reference::CostWeights(guide.ConstView(), tables_.weights, threads_);
      reference::WeighCosts(weights.ConstView(), costs_.View(), threads_);
    }
    watch.Lap(Stage::kMatchingCost);

    reference::AggregateCosts(costs_.ConstView(), guide.ConstView(), tables_, sums_.View(), threads_);
    watch.Lap(Stage::kAggregation);

    DisparityMap map{{width_, height_}, {width_, height_}, {width_, height_}};
    reference::SelectDisparities(sums_.ConstView(), min_disparity, parameters_.selection, winner_left_.View(),
                                 map, threads_);
    reference::SelectRightWinners(sums_.ConstView(), min_disparity, winner_right_.View(), threads_);
    if (stages != nullptr) HandOutVolumes(*stages), stages->Add("selected", Clone(map));
    HostImage<float> selected;  // which the trees look at
    if (HasTrees(parameters_)) selected = map.disparity.Clone();
    watch.Lap(Stage::kSelection);

    reference::CheckConsistency(winner_left_.ConstView(), winner_right_.ConstView(), min_disparity,
                                parameters_.matching_cost.num_disparities, parameters_.consistency, map,
                                threads_);
    if (stages != nullptr) stages->Add("consistent", Clone(map));
    watch.Lap(Stage::kConsistency);

    reference::FilterMap(parameters_, guide.ConstView(), selected.ConstView(), map, threads_, stages);
    ClearConfidenceOfConstantImages(left, right, map.confidence.View());
    watch.Lap(Stage::kFilter);

    result = std::move(map);
  }

 private:
  // Buffers of the frame's size.
  void SetSize(int width, int height) {
    if (width == width_ && height == height_) return;
    const int num_disparities = parameters_.matching_cost.num_disparities;
    width_ = width, height_ = height;
    census_left_ = {width, height}, census_right_ = {width, height};
    costs_ = {width, height, num_disparities};
    sums_ = {width, height, num_disparities};
    winner_left_ = {width, height}, winner_right_ = {width, height};
  }

  // Census codes of one image; returns its 8-bit gray form.
  HostImage<std::uint8_t> TransformImage(const CameraImageView& image, HostImageView<std::uint64_t> census) {
    const CensusWindow window = parameters_.census_transform.window;
    if (const auto* color = std::get_if<HostImageView<const Rgb8>>(&image)) {
      HostImage<std::uint8_t> gray = reference::GrayFromColor(*color);
      reference::CensusTransform(gray.ConstView(), window, census, threads_);
      return gray;
    }
    if (const auto* gray16 = std::get_if<HostImageView<const std::uint16_t>>(&image)) {
      reference::CensusTransform(*gray16, window, census, threads_);
      return reference::GuideFromGray16(*gray16);
    }
    const auto gray = std::get<HostImageView<const std::uint8_t>>(image);
    reference::CensusTransform(gray, window, census, threads_);
    HostImage<std::uint8_t> guide(gray.width, gray.height);
    for (int y = 0; y < gray.height; ++y) std::copy_n(gray.Row(y), gray.width, guide.Row(y));
    return guide;
  }

  void HandOutVolumes(StageResults& stages) const {
    stages.Add("census_left", census_left_.Clone());
    stages.Add("census_right", census_right_.Clone());
    stages.Add("sums", sums_.Clone());
    stages.Add("winner_left", winner_left_.Clone());
    stages.Add("winner_right", winner_right_.Clone());
  }

  Parameters parameters_;
  MatchingTables tables_;
  ThreadPool threads_;
  const int largest_width_, largest_height_;
  int width_ = 0, height_ = 0;  // of the frame
  HostImage<std::uint64_t> census_left_, census_right_;
  HostCostVolume<std::uint8_t> costs_;
  HostCostVolume<std::uint16_t> sums_;
  HostImage<std::uint16_t> winner_left_, winner_right_;
};

}  // namespace

std::unique_ptr<StereoMatcher> MakeReferenceMatcher(const Parameters& parameters,
                                                    const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  return std::make_unique<ReferenceSgmMatcher>(parameters, options);
}

}  // namespace parallax
