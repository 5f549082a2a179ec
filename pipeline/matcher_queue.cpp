#include "pipeline/matcher_queue.h"

#include <algorithm>

namespace parallax {
namespace {

template <typename T>
HostImage<T> CloneImage(const HostImageView<const T>& from) {
  HostImage<T> to(from.width, from.height);
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, to.Row(y));
  return to;
}

}  // namespace

DisparityMap Clone(const DisparityMapView& view) {
  return {CloneImage(view.disparity), CloneImage(view.validity), CloneImage(view.confidence)};
}

}  // namespace parallax
