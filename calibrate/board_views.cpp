#include "calibrate/board_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "parallax/error.h"

namespace parallax {
namespace {

// Whether a board stands elsewhere than in those taken so far: most frames of a stream show nothing new.
bool IsNew(const BoardView& view, const std::vector<BoardView>& taken, int width) {
  for (const BoardView& other : taken) {
    double sum = 0;
    std::size_t count = 0;
    for (const SeenCorner& a : view.left) {
      const auto b = std::find_if(other.left.begin(), other.left.end(),
                                  [&](const SeenCorner& seen) { return seen.corner == a.corner; });
      if (b == other.left.end()) continue;
      sum += std::hypot(a.pixel.x - b->pixel.x, a.pixel.y - b->pixel.y);
      ++count;
    }
    if (count > 0 && sum / static_cast<double>(count) < 0.03 * width) return false;
  }
  return true;
}

}  // namespace

bool AddPair(CalibrationInput& input, const CornerFinder& finder, TakenPairs taken, const std::string& name,
             const CameraImageView& left, const CameraImageView& right) {
  if (input.width_px == 0) {
    input.width_px = WidthOf(left);
    input.height_px = HeightOf(left);
  }
  for (const CameraImageView& image : {left, right}) {
    if (WidthOf(image) == input.width_px && HeightOf(image) == input.height_px) continue;
    throw Error(fmt::format(
        "{}: its images are {}x{}, but earlier ones are {}x{}: calibrate one image size at a time", name,
        WidthOf(image), HeightOf(image), input.width_px, input.height_px));
  }
  BoardView view;
  view.name = name;
  view.left = finder.Find(left);
  const bool takes_all = taken == TakenPairs::kAll;
  if (takes_all || !view.left.empty()) view.right = finder.Find(right);
  if (!takes_all && (view.left.empty() || view.right.empty() || !IsNew(view, input.views, input.width_px)))
    return false;
  input.views.push_back(std::move(view));
  return true;
}

}  // namespace parallax
