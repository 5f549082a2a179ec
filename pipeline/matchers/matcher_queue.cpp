#include "pipeline/matchers/matcher_queue.h"

#include <utility>

#include "parallax/error.h"
#include "pipeline/matchers/queue_of_one.h"
#include "pipeline/types/clone_image.h"

namespace parallax {
namespace {

class QueueOfMatcher final : public QueueOfOne {
 public:
  QueueOfMatcher(std::unique_ptr<StereoMatcher> matcher, bool with_times)
      : matcher_(std::move(matcher)), with_times_(with_times) {}

  void Submit(const CameraImageView& left, const CameraImageView& right) override {
    MatchNext([&](MatchedPair& next) {
      matcher_->Compute(left, right, next.map.Own(), with_times_ ? &next.times : nullptr);
    });
  }
  std::size_t memory_bytes() const override { return matcher_->memory_bytes(); }

 private:
  const std::unique_ptr<StereoMatcher> matcher_;
  const bool with_times_;
};

}  // namespace

void MatcherQueue::SubmitWith(const CameraImageView& left, const CameraImageView& right,
                              const ExtraWork& work) {
  if (work.rectifier) throw InvalidArgument("this matcher does not take raw images: rectify them first");
  Submit(left, right);
}

std::unique_ptr<MatcherQueue> MakeQueueOfOne(std::unique_ptr<StereoMatcher> matcher, bool with_times) {
  return std::make_unique<QueueOfMatcher>(std::move(matcher), with_times);
}

DisparityMap Clone(const DisparityMapView& view) {
  return {CloneImage(view.disparity), CloneImage(view.validity), CloneImage(view.confidence)};
}

}  // namespace parallax
