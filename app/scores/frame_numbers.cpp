#include "app/scores/frame_numbers.h"

#include "parallax/error.h"

namespace parallax::app {

double NumberReader::Next() {
  if (next_ == numbers_.size()) throw Error("scores of a frame are those of other metrics: too few numbers");
  return numbers_[next_++];
}

std::size_t NumberReader::NextCount() {
  const double count = Next();
  if (!(count >= 0 && count <= static_cast<double>(numbers_.size() - next_)))
    throw Error("scores of a frame are those of other metrics: a count is missing");
  return static_cast<std::size_t>(count);
}

void NumberReader::End() const {
  if (next_ != numbers_.size())
    throw Error("scores of a frame are those of other metrics: numbers are left over");
}

}  // namespace parallax::app
