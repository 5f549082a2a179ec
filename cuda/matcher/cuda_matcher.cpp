#include "cuda/matcher/cuda_matcher.h"

#include <algorithm>
#include <memory>
#include <string>

#include "cuda/device/device.h"
#include "cuda/device/step_timer.h"
#include "cuda/matcher/frame_queue.h"
#include "cuda/matcher/frame_slot.h"
#include "cuda/matcher/tuned_matcher.h"
#include "cuda/sgm/aggregation.h"

namespace parallax {
namespace {

template <typename T>
void CopyInto(const HostImageView<const T>& from, HostImage<T>& to) {
  if (to.width() != from.width || to.height() != from.height) to = HostImage<T>(from.width, from.height);
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, to.Row(y));
}

// Downloads intermediate results as the frame passes; waits at every step.
class StageCollector {
 public:
  StageCollector(cuda::FrameSlot& slot, StageResults& stages) : slot_(slot), stages_(stages) {}

  void Collect(cuda::Step step) {
    const bool is_sgm = slot_.pipeline().parameters().method == Method::kSgm;
    is_sgm ? CollectSgm(step) : CollectAdCensus(step);
  }

 private:
  void CollectSgm(cuda::Step step) {
    const cuda::StereoPipeline& pipeline = slot_.pipeline();
    switch (step) {
      case cuda::Step::kCensusTransform:
        Census(pipeline.sgm().census());
        break;
      case cuda::Step::kAggregation:
        Sums([&](auto to) { cuda::SumPaths(pipeline.sgm().volumes(), to, slot_.stream()); });
        break;
      case cuda::Step::kJudgement:
        stages_.Add("judged", Map());
        break;
      case cuda::Step::kFill:
        stages_.Add("filled", Map());
        break;
      case cuda::Step::kPlanes:
        stages_.Add("planes", Map());
        break;
      case cuda::Step::kChoice:
        stages_.Add("chosen", Map());
        break;
      case cuda::Step::kMedian:
        if (pipeline.parameters().refinement.smoothing_passes > 0) stages_.Add("median", Map());
        break;
      default:
        CollectShared(step);
        break;
    }
  }
  void CollectAdCensus(cuda::Step step) {
    const cuda::ad_census::AdCensusStages& stages = slot_.pipeline().ad_census();
    switch (step) {
      case cuda::Step::kCensusTransform:
        Census(stages.views().census);
        stages_.Add("arms_left", Arms(stages.views().left));
        stages_.Add("arms_right", Arms(stages.views().right));
        break;
      case cuda::Step::kMatchingCost:
        Costs("costs");
        break;
      case cuda::Step::kAggregation:
        Costs("aggregated");
        Sums([&](auto to) {
          cuda::ad_census::AddPathSums(stages.sums(), stages.shape(), to, slot_.stream());
        });
        break;
      case cuda::Step::kVoting:
        stages_.Add("voted", Map());
        break;
      case cuda::Step::kFill:
        stages_.Add("filled", Map());
        break;
      case cuda::Step::kDiscontinuities:
        stages_.Add("adjusted", Map());
        break;
      case cuda::Step::kSubpixel:
        stages_.Add("refined", Map());
        break;
      default:
        CollectShared(step);
        break;
    }
  }
  void CollectShared(cuda::Step step) {
    const cuda::MapStages& map_stages = slot_.pipeline().map_stages();
    if (step == cuda::Step::kSelection) {
      stages_.Add("winner_left", Image(AsConst(map_stages.winners().left)));
      stages_.Add("winner_right", Image(AsConst(map_stages.winners().right)));
      stages_.Add("selected", Map());
    } else if (step == cuda::Step::kConsistency) {
      stages_.Add("consistent", Map());
    } else if (step == cuda::Step::kSpeckle) {
      stages_.Add("without_speckles", Map());
    }
  }

  template <typename T>
  HostImage<T> Image(DeviceImageView<const T> from) {
    HostImage<T> to(from.width, from.height);
    cuda::DownloadAsync(from, to.View(), slot_.stream());
    cuda::Check(cudaStreamSynchronize(slot_.stream()), "cudaStreamSynchronize");
    return to;
  }
  DisparityMap Map() {
    const cuda::DeviceDisparityMap& map = slot_.pipeline().map_stages().map();
    return {Image(AsConst(map.disparity)), Image(AsConst(map.validity)), Image(AsConst(map.confidence))};
  }
  void Census(const cuda::CensusImages& census) {
    stages_.Add("census_left", Codes(census.left32, census.left64));
    stages_.Add("census_right", Codes(census.right32, census.right64));
  }
  HostImage<std::uint64_t> Codes(DeviceImageView<std::uint32_t> code32,
                                 DeviceImageView<std::uint64_t> code64) {
    if (code32.data == nullptr) return Image(AsConst(code64));
    cuda::DeviceImage<std::uint64_t> wide(code32.width, code32.height);
    cuda::WidenCensus(AsConst(code32), wide.View(), slot_.stream());
    return Image(wide.ConstView());
  }
  // A byte an arm: left, right, up, down.
  HostImage<std::uint64_t> Arms(const cuda::ad_census::View& view) {
    const cuda::ad_census::CostShape& shape = slot_.pipeline().ad_census().shape();
    const auto image = [&](const std::uint16_t* data) {
      return Image(DeviceImageView<const std::uint16_t>{data, shape.width, shape.height});
    };
    const HostImage<std::uint16_t> rows = image(view.row_arms), columns = image(view.column_arms);
    HostImage<std::uint64_t> arms(shape.width, shape.height);
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) arms(x, y) = rows(x, y) | std::uint64_t{columns(x, y)} << 16;
    }
    return arms;
  }
  void Costs(const char* name) {
    const cuda::ad_census::AdCensusStages& stages = slot_.pipeline().ad_census();
    const cuda::ad_census::CostShape& shape = stages.shape();
    auto& host =
        stages_.Add(name, HostCostVolume<std::uint16_t>(shape.width, shape.height, shape.num_disparities));
    const auto bytes = [](int count) { return static_cast<std::size_t>(count) * sizeof(std::uint16_t); };
    cuda::Check(cudaMemcpy2DAsync(host.View().data, bytes(shape.num_disparities), stages.costs(),
                                  bytes(shape.padded), bytes(shape.num_disparities), shape.num_pixels(),
                                  cudaMemcpyDeviceToHost, slot_.stream()),
                "cudaMemcpy2DAsync");
    cuda::Check(cudaStreamSynchronize(slot_.stream()), "cudaStreamSynchronize");
  }
  // add(view): writes the sums of path costs.
  template <typename Add>
  void Sums(const Add& add) {
    const cuda::DeviceDisparityMap& map = slot_.pipeline().map_stages().map();
    const int width = map.disparity.width, height = map.disparity.height,
              num_disparities = slot_.pipeline().parameters().matching_cost.num_disparities;
    cuda::DeviceCostVolume<std::uint16_t> sums(width, height, num_disparities);
    add(sums.View());
    auto& host = stages_.Add("sums", HostCostVolume<std::uint16_t>(width, height, num_disparities));
    cuda::Check(cudaMemcpyAsync(host.View().data, sums.data(), sums.size() * sizeof(std::uint16_t),
                                cudaMemcpyDeviceToHost, slot_.stream()),
                "cudaMemcpyAsync");
    cuda::Check(cudaStreamSynchronize(slot_.stream()), "cudaStreamSynchronize");
  }

  cuda::FrameSlot& slot_;
  StageResults& stages_;
};

class CudaMatcher final : public StereoMatcher {
 public:
  CudaMatcher(const Parameters& parameters, const MatcherOptions& options, const CudaTuning& tuning)
      : device_(options.device),
        slot_(parameters, options.width, options.height, tuning,
              std::make_shared<cuda::SharedBySlots>(options.width, options.height)) {}

  std::string_view backend() const override { return "cuda"; }
  std::size_t memory_bytes() const override { return slot_.memory_bytes(); }

  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    cuda::Check(cudaSetDevice(device_),
                "cudaSetDevice");  // the caller may be another thread than the last time
    if (times == nullptr && stages == nullptr) {
      slot_.Start(left, right);
    } else {
      if (times != nullptr) *times = {};
      if (stages != nullptr) stages->Clear();
      timer_.Begin(slot_.stream());
      const auto observe = [&](cuda::Step step) {
        timer_.End(step, slot_.stream());
        if (stages != nullptr) StageCollector(slot_, *stages).Collect(step);
      };
      slot_.StartObserved(left, right, {}, observe, stages != nullptr);
    }
    slot_.Wait();
    if (times != nullptr) timer_.AddTo(*times);
    const DisparityMapView map = slot_.result();
    CopyInto(map.disparity, result.disparity);
    CopyInto(map.validity, result.validity);
    CopyInto(map.confidence, result.confidence);
  }

 private:
  int device_;
  cuda::FrameSlot slot_;
  cuda::StepTimer timer_;
};

void Prepare(const Parameters& parameters, const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  SelectCudaDevice(options.device);
}

}  // namespace

std::unique_ptr<StereoMatcher> MakeTunedCudaMatcher(const Parameters& parameters,
                                                    const MatcherOptions& options, const CudaTuning& tuning) {
  Prepare(parameters, options);
  return std::make_unique<CudaMatcher>(parameters, options, tuning);
}

std::unique_ptr<MatcherQueue> MakeTunedCudaFrameQueue(const Parameters& parameters,
                                                      const MatcherOptions& options, int num_in_flight,
                                                      const CudaTuning& tuning) {
  Prepare(parameters, options);
  if (num_in_flight < 1) {
    throw InvalidArgument("frames in flight " + std::to_string(num_in_flight) + ": use 1 or more");
  }
  return cuda::MakeFrameQueue(parameters, options, num_in_flight, tuning);
}

std::unique_ptr<StereoMatcher> MakeCudaMatcher(const Parameters& parameters, const MatcherOptions& options) {
  return MakeTunedCudaMatcher(parameters, options, {});
}

std::unique_ptr<MatcherQueue> MakeCudaFrameQueue(const Parameters& parameters, const MatcherOptions& options,
                                                 int num_in_flight) {
  return MakeTunedCudaFrameQueue(parameters, options, num_in_flight, {});
}

}  // namespace parallax
