#include "pipeline/cpu/sgm/striping.h"

#include <algorithm>

namespace parallax::cpu {

PhasedRow::PhasedRow(int width, int padded_disparities, int stripes, int planes, int lanes)
    : stripes_(stripes), planes_(planes) {
  constexpr int kLine_bytes = 64;
  const int places = width + padded_disparities - 1;
  const int blocks = (places + stripes - 1) / stripes;
  last_ = blocks - 1;
  phase_length_ = (blocks + lanes + kLine_bytes - 1) / kLine_bytes * kLine_bytes;
  row_length_ = phase_length_ * planes * stripes;
  if (2 * lanes == kLine_bytes) {
    copy_ = row_length_ + lanes;
    row_length_ = 2 * copy_;
  }
  start_.resize(static_cast<std::size_t>(places) + 1);
  for (int place = 0; place < places; ++place) {
    const int at = At(place);
    start_[static_cast<std::size_t>(place)] = at % kLine_bytes > kLine_bytes - lanes ? at + copy_ : at;
  }
  start_.back() = start_[static_cast<std::size_t>(places) - 1];
}

void PhasedRow::Duplicate(std::uint8_t* row) const {
  if (copy_ > 0) std::copy_n(row, copy_, row + copy_);
}

}  // namespace parallax::cpu
