#include "pipeline/cpu/sgm/striping.h"

namespace parallax::cpu {

PhasedRow::PhasedRow(int width, int padded_disparities, int stripes, int planes, int lane_pad)
    : stripes_(stripes), planes_(planes) {
  const int places = width + padded_disparities - 1;
  const int blocks = (places + stripes - 1) / stripes;
  last_ = blocks - 1;
  phase_length_ = (blocks + lane_pad + 63) / 64 * 64;
  row_length_ = phase_length_ * planes * stripes;
  start_.resize(static_cast<std::size_t>(places) + 1);
  for (int place = 0; place < places; ++place) {
    start_[static_cast<std::size_t>(place)] =
        place % stripes * planes * phase_length_ + (last_ - place / stripes);
  }
  start_.back() = start_[static_cast<std::size_t>(places) - 1];
}

}  // namespace parallax::cpu
