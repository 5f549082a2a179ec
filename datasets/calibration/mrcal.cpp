// mrcal's .cameramodel: a dictionary of Python with 'lensmodel', 'intrinsics', 'extrinsics' and 'imagersize'.
#include <cmath>

#include "datasets/calibration/calibration_text.h"
#include "datasets/formats/file_bytes.h"

namespace parallax::calibration {
namespace {

// The text without comments and without the contents of byte strings, which may hold anything.
std::string WithoutComments(const std::string& text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = text.find('\n', i);
      if (i == std::string::npos) break;
      clean += '\n';
    } else if (c == 'b' && i + 1 < text.size() && text[i + 1] == '\'') {
      i = text.find('\'', i + 2);
      if (i == std::string::npos) break;
      clean += "0";
    } else if (c == '\'' || c == '"') {
      const std::size_t end = text.find(c, i + 1);
      if (end == std::string::npos) break;
      clean += '\'' + text.substr(i + 1, end - i - 1) + '\'';
      i = end;
    } else {
      clean += c;
    }
  }
  return clean;
}

// The text that follows 'key':.
std::string_view ValueOf(const std::string& text, const std::string& key, const std::string& file) {
  const std::size_t at = text.find("'" + key + "'");
  const std::size_t colon = at == std::string::npos ? at : text.find(':', at);
  if (colon == std::string::npos) Fail(file, "there is no '" + key + "' in it");
  return std::string_view(text).substr(colon + 1);
}

std::vector<double> ListOf(const std::string& text, const std::string& key, const std::string& file) {
  const std::string_view value = ValueOf(text, key, file);
  const std::size_t begin = value.find('['), end = value.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    Fail(file, "'" + key + "' is not a list");
  std::string list(value.substr(begin + 1, end - begin - 1));
  for (char& c : list) c = c == ',' ? ' ' : c;
  std::vector<double> numbers;
  WordReader words(list);
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    const auto number = ParseNumber(word);
    if (!number || !std::isfinite(*number))
      Fail(file, "'" + key + "' holds " + Printable(word) + ", which is not a number");
    numbers.push_back(*number);
  }
  return numbers;
}

PlacedCamera ReadModel(const NamedText& named) {
  const std::string text = WithoutComments(named.text);
  const std::string& file = named.name;
  const std::string_view model_text = ValueOf(text, "lensmodel", file);
  const std::size_t quote = model_text.find('\'');
  const std::string model(quote == std::string_view::npos
                              ? ""
                              : model_text.substr(quote + 1, model_text.find('\'', quote + 1) - quote - 1));
  PlacedCamera placed;
  const std::vector<double> intrinsics = ListOf(text, "intrinsics", file);
  std::size_t expected = 0;
  if (model == "LENSMODEL_PINHOLE") expected = 4;
  if (model == "LENSMODEL_OPENCV4") expected = 8;
  if (model == "LENSMODEL_OPENCV5") expected = 9;
  if (model == "LENSMODEL_OPENCV8") expected = 12;
  if (expected == 0) {
    Fail(file, "lens model " + Printable(model) +
                   " is not supported: calibrate with LENSMODEL_OPENCV5 or LENSMODEL_OPENCV8, or "
                   "convert with mrcal-convert-lensmodel");
  }
  if (intrinsics.size() != expected)
    Fail(file, model + " has " + std::to_string(expected) + " intrinsics, not " +
                   std::to_string(intrinsics.size()));
  placed.camera.fx_px = intrinsics[0];
  placed.camera.fy_px = intrinsics[1];
  placed.camera.cx_px = intrinsics[2];
  placed.camera.cy_px = intrinsics[3];
  SetDistortion(placed.camera, false, {intrinsics.begin() + 4, intrinsics.end()}, file);
  const std::vector<double> size = ListOf(text, "imagersize", file);
  if (size.size() != 2) Fail(file, "'imagersize' must be width and height");
  placed.camera.width_px = ImageSize(size[0], file);
  placed.camera.height_px = ImageSize(size[1], file);
  // rt_cam_ref: a rotation vector and a translation that take points of the reference to the camera.
  const bool newer = text.find("'extrinsics'") == std::string::npos;
  const std::vector<double> pose = ListOf(text, newer ? "rt_cam_ref" : "extrinsics", file);
  if (pose.size() != 6) Fail(file, "'extrinsics' has 6 numbers, not " + std::to_string(pose.size()));
  const Vector3 rotation{pose[0], pose[1], pose[2]};
  if (!(Length(rotation) < 100))
    Fail(file,
         "'extrinsics' rotates the camera more than a full turn: it "
         "is not a rotation vector");
  placed.rotation = RotationOf(rotation);
  placed.translation_m = {pose[3], pose[4], pose[5]};
  return placed;
}

}  // namespace

std::optional<Calibration> ReadMrcal(const std::vector<NamedText>& files) {
  if (files.front().text.find("'lensmodel'") == std::string::npos &&
      files.front().text.find("\"lensmodel\"") == std::string::npos)
    return std::nullopt;
  if (files.size() != 2) Fail(files.front().name, "this is one camera of a pair: name both, LEFT,RIGHT");
  Calibration calibration;
  calibration.format = "mrcal";
  calibration.raw = RigOf(ReadModel(files[0]), ReadModel(files[1]));
  return calibration;
}

}  // namespace parallax::calibration
