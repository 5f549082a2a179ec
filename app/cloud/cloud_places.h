// Points of a cloud as the user names them: by index ("17"), or by position ("1.5,0.2,8": the nearest point).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cloud/cloud_options.h"
#include "parallax/cloud.h"

namespace parallax::app {

// A requested place and its point.
struct Place {
  std::string asked;
  std::size_t point = 0;        // of the finite ones
  std::int32_t index = 0;       // in the file
  std::optional<float> away_m;  // from the requested coordinates, if any

  std::string Name() const;
};

// Width of the column of names, in characters.
std::size_t WidthOf(const std::vector<Place>& places);

float DistanceBetween(const Point3f& a, const Point3f& b);

class PlaceFinder {
 public:
  // input must outlive this. snap_m: the largest distance of a place from its point; 0 = a tenth of the
  // cloud's diagonal.
  PlaceFinder(const InputCloud& input, float snap_m);

  // Throws InvalidArgument for a text that is neither, a point that is not there or not finite, and a place
  // outside the cloud.
  Place Find(const std::string& asked) const;

 private:
  const std::vector<Point3f>& Points() const { return input_.cloud.points; }
  Place AtIndex(const std::string& asked, double index) const;
  Place AtPosition(const std::string& asked, const std::vector<double>& xyz) const;

  const InputCloud& input_;
  float snap_m_;
};

}  // namespace parallax::app
