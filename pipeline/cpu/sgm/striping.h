// The order of a pixel's disparities in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallax::cpu {

// A pixel's D costs fill `stripes` vectors of `lanes` bytes: disparity d is lane d / stripes of vector d %
// stripes (after Farrar 2007). The neighbours d - 1 and d + 1 of a vector are then the vectors before and
// after it, and only the first and the last vector need lanes shifted, however large D is. 16-bit values keep
// the order with twice the vectors of half the lanes: the even bytes of the 8-bit vectors are the first
// `stripes` of them, the odd the others.
struct Striping {
  int num_disparities = 0;
  int lanes = 0;    // of a vector of bytes
  int stripes = 0;  // vectors of bytes of a pixel

  Striping() = default;
  Striping(int num_disparities_, int lanes_)
      : num_disparities(num_disparities_), lanes(lanes_), stripes((num_disparities_ + lanes_ - 1) / lanes_) {}

  int Padded() const { return lanes * stripes; }  // D and the lanes without a disparity
  int Stripes16() const { return 2 * stripes; }   // vectors of 16-bit values
  int At16(int d) const {
    return d % Stripes16() * (lanes / 2) + d / Stripes16();
  }  // place among 16-bit values
};

// The start of a pixel's costs against the right image's row. The row is kept mirrored and distributed to as
// many phases as there are stripes, so the partners of one vector's disparities are adjacent. With vectors of
// half a cache line, a second copy of the row follows at an odd multiple of their length: a vector that lies in
// two lines in one copy lies in one line in the other.
class PhasedRow {
 public:
  PhasedRow() = default;
  // planes: values kept for each pixel, in separate runs. lanes: bytes of a vector; as many elements are readable
  // past the end of each phase.
  PhasedRow(int width, int padded_disparities, int stripes, int planes, int lanes);

  int phase_length() const { return phase_length_; }
  int stripes() const { return stripes_; }
  std::ptrdiff_t phase_stride() const { return static_cast<std::ptrdiff_t>(planes_) * phase_length_; }
  int last() const { return last_; }  // index, in its phase, of place 0: places grow towards the front
  int row_length() const { return row_length_; }  // elements, of all phases and planes
  int num_places() const { return static_cast<int>(start_.size()) - 1; }
  // The element of a place in plane 0 of the first copy.
  int At(int place) const {
    return static_cast<int>(place % stripes_ * phase_stride()) + last_ - place / stripes_;
  }
  // Writes the second copy of a row, if there is one, from the first. row: aligned to a cache line.
  void Duplicate(std::uint8_t* row) const;
  // The start of each place, in the copy in which a vector from there lies in one cache line. The pixel at
  // (x, stripe 0, lane 0) has place x + padded - 1; stripe s is at place - s. The last place is there twice: code
  // that looks a pixel ahead may read past it.
  const std::int32_t* start() const { return start_.data(); }

 private:
  int stripes_ = 0, planes_ = 0, last_ = 0;
  int phase_length_ = 0, row_length_ = 0;
  int copy_ = 0;  // where the second copy begins; 0 without one
  std::vector<std::int32_t> start_;
};

}  // namespace parallax::cpu
