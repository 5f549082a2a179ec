#include "app/view/cloud/label_room.h"

#include <cstddef>
#include <optional>

namespace parallax::app {
namespace {

// px of the pane.
struct TextPlace {
  float x0, y0, x1, y1;
  bool Overlaps(const TextPlace& other) const {
    return x0 < other.x1 && other.x0 < x1 && y0 < other.y1 && other.y0 < y1;
  }
  bool Contains(const PanePoint& point) const {
    return point.x >= x0 && point.x < x1 && point.y >= y0 && point.y < y1;
  }
};

// Open3D places a text at its upper left corner. A small margin is added around it.
TextPlace PlaceOf(const CloudText& text, const PanePoint& at, float scaling) {
  constexpr float kCharacter_px = 8, kLine_px = 18, kAround_px = 3;
  const float width = kCharacter_px * scaling * static_cast<float>(text.text.size());
  const float around = kAround_px * scaling;
  return {at.x - around, at.y - around, at.x + width + around, at.y + kLine_px * scaling + around};
}

}  // namespace

std::vector<bool> HaveRoom(std::span<const WantedText> texts, std::span<const Point3f> points,
                           const CloudProjection& projection, float scaling) {
  constexpr int kMostPoints = 2;  // under a text: single ones far from the cloud do not count
  std::vector<std::optional<TextPlace>> places;
  for (const WantedText& wanted : texts) {
    const std::optional<PanePoint> at = Project(projection, wanted.text.at);
    places.push_back(at ? std::optional(PlaceOf(wanted.text, *at, scaling)) : std::nullopt);
  }
  std::vector<int> num_points(texts.size());
  for (const Point3f& point : points) {
    const std::optional<PanePoint> at = Project(projection, point);
    if (!at) continue;
    for (std::size_t i = 0; i < texts.size(); ++i)
      num_points[i] += places[i] && places[i]->Contains(*at) ? 1 : 0;
  }
  std::vector<bool> have_room(texts.size());
  std::vector<TextPlace> taken;
  for (const bool gives_way : {false, true}) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].gives_way != gives_way) continue;
      bool has_room = true;
      if (gives_way) {
        has_room = places[i] && num_points[i] <= kMostPoints && places[i]->x0 >= 0 && places[i]->y0 >= 0 &&
                   places[i]->x1 <= static_cast<float>(projection.width) &&
                   places[i]->y1 <= static_cast<float>(projection.height);
        for (const TextPlace& other : taken) has_room = has_room && !places[i]->Overlaps(other);
      }
      have_room[i] = has_room;
      if (has_room && places[i]) taken.push_back(*places[i]);
    }
  }
  return have_room;
}

}  // namespace parallax::app
