#include "app/scores/frame_numbers.h"

#include "parallax/error.h"

namespace parallax::app {

double NumberReader::Next() {
  if (next_ == numbers_.size())
    throw Error(
        "the stored scores of a frame have other metrics: there "
        "are too few numbers");
  return numbers_[next_++];
}

std::size_t NumberReader::NextCount() {
  const double count = Next();
  if (!(count >= 0 && count <= static_cast<double>(numbers_.size() - next_)))
    throw Error("the stored scores of a frame have other metrics: a count is missing");
  return static_cast<std::size_t>(count);
}

void NumberReader::End() const {
  if (next_ != numbers_.size())
    throw Error("the stored scores of a frame have other metrics: there are too many numbers");
}

}  // namespace parallax::app
