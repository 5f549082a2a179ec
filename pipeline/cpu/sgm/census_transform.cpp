#include "pipeline/cpu/sgm/census_transform.h"

#include <algorithm>
#include <cstdlib>

#include "pipeline/cpu/block_memory.h"
#include "pipeline/cpu/sgm/census_kernels.h"
#include "pipeline/rules/matching_tables.h"

namespace parallax::cpu {
namespace {

// Pixels of a 9x7 window before its centre, in reading order, with those opposite them, where takes(dx, dy).
template <typename Takes>
CensusComparisons PairsOf9x7(std::ptrdiff_t stride, const Takes& takes) {
  CensusComparisons c;
  for (int dy = -3; dy <= 0; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if (dy == 0 && dx >= 0) break;
      if (!takes(dx, dy)) continue;
      c.brighter[c.count] = dy * stride + dx;
      c.darker[c.count++] = -(dy * stride + dx);
    }
  }
  return c;
}

bool IsNextToCentre(int dx, int dy) { return std::abs(dx) <= 1 && std::abs(dy) <= 1; }

// Those of the windows of two scales: of the image itself, and of the smoothed one.
CensusComparisons NearComparisons(CensusWindow window, std::ptrdiff_t stride) {
  if (window == CensusWindow::kCenterSymmetricTwoScale) return PairsOf9x7(stride, IsNextToCentre);
  CensusComparisons c;
  for (int dy = -3; dy <= 3; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if ((dx + dy) % 2 == 0 && (dx != 0 || dy != 0)) c.darker[c.count++] = dy * stride + dx;
    }
  }
  return c;
}
CensusComparisons FarComparisons(CensusWindow window, std::ptrdiff_t stride, int first_bit) {
  CensusComparisons c;
  if (window == CensusWindow::kCenterSymmetricTwoScale) {
    c = PairsOf9x7(stride, [](int dx, int dy) { return !IsNextToCentre(dx, dy); });
    c.first_bit = first_bit;
    return c;
  }
  c.first_bit = first_bit;
  for (int dy = -4; dy <= 4; dy += 2) {
    for (int dx = -6; dx <= 6; dx += 2) {
      if (dx != 0 || dy != 0) c.darker[c.count++] = dy * stride + dx;
    }
  }
  return c;
}

CensusComparisons ComparisonsOf(CensusWindow window, std::ptrdiff_t stride) {
  if (HasTwoScales(window)) return NearComparisons(window, stride);
  if (window == CensusWindow::kCenterSymmetric9x7) return PairsOf9x7(stride, [](int, int) { return true; });
  const int radius_x = window == CensusWindow::k5x5 ? 2 : window == CensusWindow::k7x7 ? 3 : 4;
  const int radius_y = window == CensusWindow::k5x5 ? 2 : 3;
  CensusComparisons c;
  for (int dy = -radius_y; dy <= radius_y; ++dy) {
    for (int dx = -radius_x; dx <= radius_x; ++dx) {
      const std::ptrdiff_t offset = dy * stride + dx;
      if (offset == 0) continue;
      c.darker[c.count++] = offset;
    }
  }
  return c;
}

}  // namespace

template <typename T>
PaddedImage<T>::PaddedImage(int width, int height)
    : width_(width), height_(height), stride_(StrideOf(width)), buffer_(BytesOf(width, height) / sizeof(T)) {
  std::fill_n(buffer_.data(), buffer_.size(), T{0});
}

template <typename T>
void PaddedImage<T>::SetSize(int width, int height) {
  width_ = width, height_ = height, stride_ = StrideOf(width);
}

template <typename T>
void PaddedImage<T>::ExtendRow(int y) {
  T* row = Row(y);
  std::fill_n(row - kMarginX, kMarginX, row[0]);
  std::fill_n(row + width_, kMarginX, row[width_ - 1]);
  const auto copy_to = [&](int to) {
    std::copy_n(row - kMarginX, width_ + 2 * kMarginX, Row(to) - kMarginX);
  };
  for (int i = 1; i <= kMarginY; ++i) {
    if (y == 0) copy_to(-i);
    if (y == height_ - 1) copy_to(y + i);
  }
}

template class PaddedImage<std::uint8_t>;
template class PaddedImage<std::uint16_t>;

void LoadGray(const CameraImageView& image, int y_begin, int y_end, PaddedImage<std::uint8_t>& gray8,
              PaddedImage<std::uint16_t>& gray16) {
  for (int y = y_begin; y < y_end; ++y) {
    if (const auto* color = std::get_if<HostImageView<const Rgb8>>(&image)) {
      GrayRow(color->Row(y), color->width, gray8.Row(y));
      gray8.ExtendRow(y);
    } else if (const auto* deep = std::get_if<HostImageView<const std::uint16_t>>(&image)) {
      std::copy_n(deep->Row(y), deep->width, gray16.Row(y));
      gray16.ExtendRow(y);
    } else {
      const auto gray = std::get<HostImageView<const std::uint8_t>>(image);
      std::copy_n(gray.Row(y), gray.width, gray8.Row(y));
      gray8.ExtendRow(y);
    }
  }
}

void GuideFromGray16(const PaddedImage<std::uint16_t>& gray, int y_begin, int y_end,
                     PaddedImage<std::uint8_t>& guide) {
  for (int y = y_begin; y < y_end; ++y) {
    GuideRow(gray.Row(y), gray.width(), guide.Row(y));
    guide.ExtendRow(y);
  }
}

template <typename T>
void SmoothRows(const PaddedImage<T>& gray, int y_begin, int y_end, PaddedImage<std::uint16_t>& smoothed) {
  for (int y = y_begin; y < y_end; ++y) {
    SmoothRow(gray.Row(y), gray.stride(), gray.width(), smoothed.Row(y));
    smoothed.ExtendRow(y);
  }
}

template void SmoothRows(const PaddedImage<std::uint8_t>&, int, int, PaddedImage<std::uint16_t>&);
template void SmoothRows(const PaddedImage<std::uint16_t>&, int, int, PaddedImage<std::uint16_t>&);

int PlaneKind::num_code_planes() const { return (NumCensusBits(window) + plane_bits - 1) / plane_bits; }

CensusPlanes::CensusPlanes(int width, int height, const PlaneKind& kind, const PhasedRow* phases,
                           int padded_disparities, int min_disparity)
    : width_(width),
      height_(height),
      kind_(kind),
      num_planes_(kind.num_planes()),
      phases_(phases),
      first_place_(padded_disparities - 1 + min_disparity),
      stride_(StrideOf(width, num_planes_, phases)),
      buffer_(BytesOf(width, height, kind, phases)) {
  // Places without a right pixel keep this value; their cost is replaced by outside_cost.
  std::fill_n(buffer_.data(), buffer_.size(), std::uint8_t{0});
}

void CensusPlanes::SetSize(int width, int height) {
  width_ = width, height_ = height, stride_ = StrideOf(width, num_planes_, phases_);
}

std::ptrdiff_t CensusPlanes::IndexOf(int x, int plane) const {
  if (phases_ == nullptr) return static_cast<std::ptrdiff_t>(x) * num_planes_ + plane;
  const int place = x + first_place_;
  if (place < 0 || place >= phases_->num_places()) return -1;  // no disparity of the range leads there
  return phases_->At(place) + static_cast<std::ptrdiff_t>(plane) * phases_->phase_length();
}

void CensusPlanes::Transform(const PlaneInput& input, int y_begin, int y_end) {
  const bool deep = input.gray16 != nullptr;
  const CensusComparisons comparisons =
      ComparisonsOf(kind_.window, deep ? input.gray16->stride() : input.gray8->stride());
  CensusComparisons far;
  if (HasTwoScales(kind_.window))
    far = FarComparisons(kind_.window, input.smoothed->stride(), comparisons.count);
  // Right pixels that some disparity leads to.
  int x_begin = 0, x_end = width_;
  if (phases_ != nullptr) {
    x_begin = std::clamp(-first_place_, 0, width_);
    x_end = std::clamp(phases_->num_places() - first_place_, x_begin, width_);
  }
  const std::ptrdiff_t plane_stride = (width_ + 127) / 64 * 64;
  BlockMemory memory(static_cast<std::size_t>(plane_stride * (num_planes_ + 1) + 256));
  std::uint8_t* const planes = memory.data();
  std::uint8_t* const scratch = planes + plane_stride * num_planes_;
  for (int y = y_begin; y < y_end; ++y) {
    if (deep) {
      CensusRow(input.gray16->Row(y), comparisons, kind_.plane_bits, width_, planes, plane_stride);
    } else {
      CensusRow(input.gray8->Row(y), comparisons, kind_.plane_bits, width_, planes, plane_stride);
    }
    if (far.count > 0) CensusRow(input.smoothed->Row(y), far, kind_.plane_bits, width_, planes, plane_stride);
    if (kind_.has_gradient) {
      std::uint8_t* gradients = planes + kind_.num_code_planes() * plane_stride;
      GradientRow(input.gray8->Row(y), input.gray8->stride(), width_, scratch + 64, gradients, plane_stride);
    }
    std::uint8_t* row = buffer_.data() + kMargin_bytes + y * stride_;
    if (phases_ == nullptr) {
      InterleavePlanes(planes, plane_stride, num_planes_, width_, row);
      continue;
    }
    for (int p = 0; p < num_planes_; ++p) {
      DealPlane(planes + p * plane_stride, x_begin, x_end, first_place_, phases_->stripes(),
                phases_->phase_stride(), phases_->last(), row + p * phases_->phase_length());
    }
    phases_->Duplicate(row);
  }
}

std::uint64_t CensusPlanes::Code(int x, int y) const {
  std::uint64_t code = 0;
  for (int p = 0; p < kind_.num_code_planes(); ++p) {
    const std::ptrdiff_t at = IndexOf(x, p);
    if (at >= 0) code |= std::uint64_t{data()[y * stride_ + at]} << (p * kind_.plane_bits);
  }
  return code;
}

}  // namespace parallax::cpu
