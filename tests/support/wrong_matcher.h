// A matcher that errs, to see that who compares matchers finds it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "pipeline/matchers/stereo_matcher.h"

namespace parallax::test {

class WrongMatcher final : public StereoMatcher {
 public:
  // damage: what is done to the results of a right one; stages is null where nobody asked for them.
  using Damage = std::function<void(DisparityMap& result, StageResults* stages)>;
  WrongMatcher(std::unique_ptr<StereoMatcher> matcher, Damage damage)
      : matcher_(std::move(matcher)), damage_(std::move(damage)) {}
  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    matcher_->Compute(left, right, result, times, stages);
    damage_(result, stages);
  }
  std::string_view backend() const override { return "wrong"; }

 private:
  std::unique_ptr<StereoMatcher> matcher_;
  Damage damage_;
};

}  // namespace parallax::test
