// Calibrations of lines: KITTI's calib_cam_to_cam.txt ("K_00: 9 numbers") and Middlebury's calib.txt
// ("cam0=[...]").
#include <array>
#include <cmath>
#include <string_view>

#include "datasets/calibration/calibration_text.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax::calibration {
namespace {

// The numbers of the line "NAME: ..."; nullopt if there is no such line.
std::optional<std::vector<double>> LineOf(const NamedText& file, const std::string& name, std::size_t count) {
  for (const std::string_view line : SplitLines(file.text)) {
    if (!line.starts_with(name + ":")) continue;
    WordReader words(line.substr(name.size() + 1));
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = ParseNumber(words.Next());
      if (!number || !std::isfinite(*number))
        Fail(file.name, "line " + name + ": needs " + std::to_string(count) + " numbers");
      numbers.push_back(*number);
    }
    return numbers;
  }
  return std::nullopt;
}

std::optional<PlacedCamera> RawCamera(const NamedText& file, const std::string& number) {
  const auto size = LineOf(file, "S_" + number, 2), matrix = LineOf(file, "K_" + number, 9);
  const auto distortion = LineOf(file, "D_" + number, 5), rotation = LineOf(file, "R_" + number, 9);
  const auto translation = LineOf(file, "T_" + number, 3);
  if (!size || !matrix || !distortion || !rotation || !translation) return std::nullopt;
  PlacedCamera placed;
  placed.camera.width_px = ImageSize((*size)[0], file.name);
  placed.camera.height_px = ImageSize((*size)[1], file.name);
  SetMatrix(placed.camera, *matrix, file.name);
  SetDistortion(placed.camera, false, *distortion, file.name);
  placed.rotation = RotationFrom(*rotation, file.name);
  placed.translation_m = {(*translation)[0], (*translation)[1], (*translation)[2]};
  return placed;
}

std::optional<RectifiedCalibration> CalibrationOfPair(const NamedText& file, const std::string& left_number,
                                                      const std::string& right_number) {
  const auto left = LineOf(file, "P_rect_" + left_number, 12),
             right = LineOf(file, "P_rect_" + right_number, 12);
  if (!left || !right) return std::nullopt;
  RectifiedCalibration pair;
  pair.rig.fx_px = (*left)[0];
  pair.rig.cx_px = (*left)[2];
  pair.rig.cy_px = (*left)[6];
  pair.rig.baseline_m = ((*left)[3] - (*right)[3]) / (*left)[0];
  pair.rig.doffs_px = (*right)[2] - (*left)[2];
  if (const auto size = LineOf(file, "S_rect_" + left_number, 2)) {
    pair.width_px = ImageSize((*size)[0], file.name);
    pair.height_px = ImageSize((*size)[1], file.name);
  }
  return pair;
}

std::optional<RawRig> RawPair(const NamedText& file, const std::string& left, const std::string& right) {
  const auto raw_left = RawCamera(file, left), raw_right = RawCamera(file, right);
  if (!raw_left || !raw_right) return std::nullopt;
  return RigOf(*raw_left, *raw_right);
}

}  // namespace

std::optional<Calibration> ReadKittiCamToCam(const std::vector<NamedText>& files) {
  const NamedText& file = files.front();
  if (file.text.find("P_rect_0") == std::string::npos && file.text.find("K_0") == std::string::npos)
    return std::nullopt;
  // The gray cameras, then the colour ones.
  for (const auto& [left, right] : {std::pair{"00", "01"}, std::pair{"02", "03"}}) {
    Calibration calibration;
    calibration.format = "kitti";
    calibration.raw = RawPair(file, left, right);
    calibration.rectified = CalibrationOfPair(file, left, right);
    if (calibration.raw || calibration.rectified) return calibration;
  }
  Fail(file.name, "it has neither K, D, R, T and S nor P_rect of two cameras");
}

std::optional<Calibration> ReadMiddlebury(const std::vector<NamedText>& files) {
  const NamedText& file = files.front();
  if (file.text.find("cam0=") == std::string::npos) return std::nullopt;
  const auto value_of = [&](const std::string& key) -> std::optional<std::string> {
    for (const std::string_view line : SplitLines(file.text)) {
      if (!line.starts_with(key + "=")) continue;
      std::string value(line.substr(key.size() + 1));
      for (char& c : value) c = c == '[' || c == ']' || c == ';' || c == ',' ? ' ' : c;
      return value;
    }
    return std::nullopt;
  };
  const auto numbers_of = [&](const std::string& key, std::size_t count) {
    const auto value = value_of(key);
    if (!value) Fail(file.name, "line " + key + "= is missing");
    std::vector<double> numbers;
    WordReader words(*value);
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = ParseNumber(words.Next());
      if (!number || !std::isfinite(*number))
        Fail(file.name, key + "=" + Printable(*value) + " needs " + std::to_string(count) +
                            (count == 1 ? " number" : " numbers"));
      numbers.push_back(*number);
    }
    return numbers;
  };
  const std::vector<double> matrix = numbers_of("cam0", 9);
  RectifiedCalibration pair;
  constexpr double kMetresPerMillimetre = 1e-3;
  pair.rig = {matrix[0], matrix[2], matrix[5], numbers_of("baseline", 1)[0] * kMetresPerMillimetre,
              numbers_of("doffs", 1)[0]};
  if (value_of("width") && value_of("height")) {
    pair.width_px = ImageSize(numbers_of("width", 1)[0], file.name);
    pair.height_px = ImageSize(numbers_of("height", 1)[0], file.name);
  }
  Calibration calibration;
  calibration.format = "middlebury";
  calibration.rectified = pair;
  return calibration;
}

}  // namespace parallax::calibration

namespace parallax {

std::optional<RawRig> ReadKittiRawRig(const std::filesystem::path& file, const std::string& left,
                                      const std::string& right) {
  const auto rig = calibration::RawPair({file.string(), ReadCalibrationText(file)}, left, right);
  try {
    if (rig) CheckRawRig(*rig, file.string());
  } catch (const InvalidArgument& error) {
    throw Error(error.what());
  }
  return rig;
}

}  // namespace parallax
