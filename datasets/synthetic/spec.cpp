#include "datasets/synthetic/spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <variant>

#include "parallax/error.h"

namespace parallax::synthetic {
namespace {

struct Key {
  std::string_view name;
  std::variant<int SyntheticSpec::*, std::int64_t SyntheticSpec::*, double SyntheticSpec::*> member;
  double min, max;
  std::string_view meaning;
};

using S = SyntheticSpec;
constexpr double kMaxSide_px = 16384;
const std::vector<Key>& Keys() {
  static const std::vector<Key> keys = {
      {"width", &S::width, 1, kMaxSide_px, "image width, px; default 640, drive 1242"},
      {"height", &S::height, 1, kMaxSide_px, "image height, px; default 480, drive 375"},
      {"seed", &S::seed, 0, 2147483647, "seed of arrangement, texture and noise; default 1"},
      {"frames", &S::frames, 1, 1000000, "number of frames; default 1, drive 10"},
      {"disparities", &S::disparities, 1, 1024,
       "true disparities (plus doffs) are below this; default 128 per 1242 px of width, in steps of 16"},
      {"objects", &S::objects, 0, 200,
       "objects in front of the background (planes, slanted, spheres, "
       "boxes)"},
      {"shift", &S::shift, -1024, 1024, "disparity of the scene shift, px; default a third of disparities"},
      {"noise", &S::noise, 0, 64, "gaussian noise of both cameras, standard deviation in 8-bit gray levels"},
      {"gain", &S::gain, 0.1, 10, "brightness gain of the right camera"},
      {"offset", &S::offset, -255, 255, "brightness offset of the right camera, 8-bit gray levels"},
      {"doffs", &S::doffs, -1024, 1024, "cx_right - cx_left of the rig, px"},
      {"color", &S::color, 0, 1, "1 = 8-bit colour, 0 = gray"},
      {"bits", &S::bits, 8, 16, "bits of gray: 8 or 16"},
      {"still", &S::still, 0, 1, "1 = every frame shows the first one's scene with new noise"},
      {"samples", &S::samples, 1, 16, "rays per pixel and direction; default 4"},
      {"threads", &S::threads, 0, 1024, "threads that render, 0 = all; the result is the same"},
  };
  return keys;
}

std::string Number(double value) {
  if (value == std::floor(value)) return std::to_string(static_cast<std::int64_t>(value));
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

template <typename List>
std::string NamesOf(const List& list) {
  std::string names;
  for (const auto& entry : list) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

void Assign(SyntheticSpec& spec, const Key& key, std::string_view text) {
  const auto fail = [&](const std::string& why) {
    throw InvalidArgument("synthetic scene: " + std::string(key.name) + "=" + std::string(text) + " " + why);
  };
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) fail("is not a number");
  if (!(value >= key.min && value <= key.max)) {
    fail("is out of range " + Number(key.min) + ".." + Number(key.max));
  }
  std::visit(
      [&](auto member) {
        using T = std::decay_t<decltype(spec.*member)>;
        if (!std::is_same_v<T, double> && value != std::floor(value)) fail("is not a whole number");
        spec.*member = static_cast<T>(value);
      },
      key.member);
}

}  // namespace

const std::vector<Named>& Scenes() {
  static const std::vector<Named> scenes = {
      {"planes", "textured rectangles parallel to the images, in front of a plane"},
      {"slanted", "slanted rectangles in front of a slanted plane (objects=0: only the plane)"},
      {"spheres", "spheres in front of a slanted plane"},
      {"boxes", "rotated boxes in front of a slanted plane"},
      {"drive", "a street with cars, buildings and trees, seen from a moving car with a KITTI-like rig"},
      {"shift", "the right image is the left one shifted by a whole number of pixels"},
  };
  return scenes;
}

const std::vector<Named>& KeyHelp() {
  static const std::vector<Named> lines = [] {
    std::vector<Named> list;
    for (const Key& key : Keys()) {
      list.push_back({std::string(key.name),
                      std::string(key.meaning) + " (" + Number(key.min) + ".." + Number(key.max) + ")"});
    }
    return list;
  }();
  return lines;
}

SyntheticSpec ParseSpec(std::string_view text) {
  const auto next_part = [&text] {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    return part;
  };
  SyntheticSpec spec;
  spec.scene = next_part();
  const auto is_named = [](std::string_view name) {
    return [name](const auto& e) { return e.name == name; };
  };
  if (std::none_of(Scenes().begin(), Scenes().end(), is_named(spec.scene))) {
    throw InvalidArgument("no synthetic scene \"" + spec.scene + "\"; there are " + NamesOf(Scenes()));
  }
  if (spec.scene == "drive") spec.width = 1242, spec.height = 375, spec.frames = 10;
  bool has_shift = false;
  while (!text.empty()) {
    const std::string_view part = next_part();
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const auto key = std::find_if(Keys().begin(), Keys().end(), is_named(name));
    if (key == Keys().end()) {
      throw InvalidArgument("no key \"" + std::string(name) + "\" of synthetic scenes; use one of " +
                            NamesOf(Keys()));
    }
    if (equals == part.size()) {
      throw InvalidArgument("synthetic scene: " + std::string(name) + " has no value; write " +
                            std::string(name) + "=NUMBER");
    }
    Assign(spec, *key, part.substr(equals + 1));
    has_shift |= name == "shift";
  }
  if (spec.bits != 8 && spec.bits != 16) {
    throw InvalidArgument("synthetic scene: bits=" + std::to_string(spec.bits) + " is neither 8 nor 16");
  }
  if (spec.bits == 16 && spec.color == 1) {
    throw InvalidArgument("synthetic scene: colour has 8 bits; leave out color=1 or bits=16");
  }
  if (spec.disparities == 0) {
    const int steps = static_cast<int>(std::ceil(spec.width * 128.0 / 1242 / 16));
    spec.disparities = std::min(1024, 16 * std::max(1, steps));
  }
  if (!has_shift) spec.shift = spec.disparities / 3;
  return spec;
}

}  // namespace parallax::synthetic
