// Calibrations in YAML: ours, Kalibr's camchain, ROS's camera_info, EuRoC's sensor.yaml, OpenCV's yml.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>

#include "datasets/calibration/calibration_text.h"
#include "datasets/calibration/ros_calibration.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax::calibration {
namespace {

// A map of YAML, and the file that it is from.
class Node {
 public:
  Node(YAML::Node node, std::string file) : node_(std::move(node)), file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  bool Has(const char* key) const { return node_.IsMap() && node_[key].IsDefined(); }
  Node At(const char* key) const {
    if (!Has(key)) Fail(file_, std::string("there is no ") + key + " in it");
    return {node_[key], file_};
  }
  std::string Text(const char* key) const {
    const YAML::Node value = At(key).node_;
    if (!value.IsScalar()) Fail(file_, std::string(key) + " must be a word");
    return value.Scalar();
  }
  double Number(const char* key) const { return NumberOf(At(key).node_, key); }
  // Reads a list of numbers, a list of such lists, or a map with such a list as `data`.
  std::vector<double> Numbers(const char* key) const {
    std::vector<double> numbers;
    Append(At(key).node_, key, 3, numbers);
    return numbers;
  }
  YAML::Node yaml() const { return node_; }

 private:
  double NumberOf(const YAML::Node& value, const char* key) const {
    const auto number = value.IsScalar() ? ParseNumber(value.Scalar()) : std::nullopt;
    if (!number || !std::isfinite(*number)) {
      Fail(file_, std::string(key) +
                      (value.IsScalar() ? " holds '" + Printable(value.Scalar()) + "', which" : "") +
                      " is not a number");
    }
    return *number;
  }
  void Append(const YAML::Node& value, const char* key, int depth, std::vector<double>& numbers) const {
    if (value.IsMap() && value["data"].IsDefined()) return Append(value["data"], key, depth - 1, numbers);
    if (!value.IsSequence()) return numbers.push_back(NumberOf(value, key));
    if (depth == 0) Fail(file_, std::string(key) + " is nested too deeply");
    for (const auto& part : value) {
      if (numbers.size() > 64) Fail(file_, std::string(key) + " contains too many numbers");
      Append(part, key, depth - 1, numbers);
    }
  }

  YAML::Node node_;
  std::string file_;
};

// OpenCV's files start with "%YAML:1.0", which is not valid YAML.
std::string WithoutDirective(const std::string& text) {
  if (!text.starts_with("%YAML:")) return text;
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? "" : text.substr(end + 1);
}

std::optional<Node> Parse(const NamedText& file) {
  try {
    YAML::Node node = YAML::Load(WithoutDirective(file.text));
    if (!node.IsMap()) return std::nullopt;
    return Node(std::move(node), file.name);
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

// A pose "p_to = R p_from + t" of 4x4 or 3x4 numbers.
void SetPose(PlacedCamera& camera, const std::vector<double>& t, const std::string& file) {
  if (t.size() != 16 && t.size() != 12) Fail(file, "a pose has 16 numbers, not " + std::to_string(t.size()));
  camera.rotation = RotationFrom({t[0], t[1], t[2], t[4], t[5], t[6], t[8], t[9], t[10]}, file);
  camera.translation_m = {t[3], t[7], t[11]};
}

void SetPinhole(CameraModel& camera, const std::vector<double>& intrinsics, const std::string& file) {
  if (intrinsics.size() != 4)
    Fail(file, "intrinsics are fx, fy, cx, cy: 4 numbers, not " + std::to_string(intrinsics.size()));
  camera.fx_px = intrinsics[0];
  camera.fy_px = intrinsics[1];
  camera.cx_px = intrinsics[2];
  camera.cy_px = intrinsics[3];
}

void SetResolution(CameraModel& camera, const std::vector<double>& size, const std::string& file) {
  if (size.size() != 2)
    Fail(file, "a resolution is width and height, not " + std::to_string(size.size()) + " numbers");
  camera.width_px = ImageSize(size[0], file);
  camera.height_px = ImageSize(size[1], file);
}

// --- ours
// -------------------------------------------------------------------------------------------------------
CameraModel OurCamera(const Node& node) {
  CameraModel camera;
  const std::string& file = node.file();
  const std::vector<double> focal = node.Numbers("focal_px"), centre = node.Numbers("principal_point_px");
  if (focal.size() != 2 || centre.size() != 2)
    Fail(file, "focal_px and principal_point_px have two numbers each");
  camera.fx_px = focal[0];
  camera.fy_px = focal[1];
  camera.cx_px = centre[0];
  camera.cy_px = centre[1];
  SetResolution(camera, node.Numbers("image_size_px"), file);
  const std::string lens = node.Text("lens");
  const std::vector<double> k = node.Has("distortion") ? node.Numbers("distortion") : std::vector<double>{};
  if (lens != "pinhole" && lens != "plumb_bob" && lens != "fisheye")
    Fail(file, "lens '" + Printable(lens) + "' is not pinhole, plumb_bob or fisheye");
  SetDistortion(camera, lens == "fisheye", k, file);
  if (lens == "plumb_bob") camera.lens = LensModel::kPlumbBob;
  if (lens == "pinhole" && camera.lens != LensModel::kPinhole) Fail(file, "a pinhole has no distortion");
  return camera;
}

Calibration ReadOurs(const Node& node) {
  Calibration calibration;
  calibration.format = "parallax";
  const std::string& file = node.file();
  if (node.Number("parallax_rig") != 1)
    Fail(file, "parallax_rig " + node.Text("parallax_rig") + " is of a newer version; this program reads 1");
  if (node.Has("left") || node.Has("right")) {
    RawRig rig;
    rig.left = OurCamera(node.At("left"));
    rig.right = OurCamera(node.At("right"));
    const Node pose = node.At("right_from_left");
    rig.right_from_left = RotationFrom(pose.Numbers("rotation"), file);
    const std::vector<double> t = pose.Numbers("translation_m");
    if (t.size() != 3) Fail(file, "translation_m has 3 numbers, not " + std::to_string(t.size()));
    rig.translation_m = {t[0], t[1], t[2]};
    calibration.raw = rig;
  }
  if (node.Has("rectified")) {
    const Node pair = node.At("rectified");
    RectifiedCalibration rectified;
    rectified.rig.fx_px = pair.Number("focal_px");
    const std::vector<double> centre = pair.Numbers("principal_point_px");
    if (centre.size() != 2) Fail(file, "principal_point_px has two numbers");
    rectified.rig.cx_px = centre[0];
    rectified.rig.cy_px = centre[1];
    rectified.rig.baseline_m = pair.Number("baseline_m");
    if (pair.Has("doffs_px")) rectified.rig.doffs_px = pair.Number("doffs_px");
    if (pair.Has("image_size_px")) {
      CameraModel size;
      SetResolution(size, pair.Numbers("image_size_px"), file);
      rectified.width_px = size.width_px;
      rectified.height_px = size.height_px;
    }
    calibration.rectified = rectified;
  }
  if (!calibration.raw && !calibration.rectified) Fail(file, "it has neither left and right nor rectified");
  if (node.Has("quality")) {
    for (const auto& entry : node.At("quality").yaml()) {
      const auto number = entry.first.IsScalar() && entry.second.IsScalar()
                              ? ParseNumber(entry.second.Scalar())
                              : std::nullopt;
      if (!number) Fail(file, "quality must contain names and numbers");
      calibration.quality.emplace_back(Printable(entry.first.Scalar(), 60), *number);
    }
  }
  return calibration;
}

// --- Kalibr
// -----------------------------------------------------------------------------------------------------
PlacedCamera KalibrCamera(const Node& node) {
  PlacedCamera placed;
  const std::string& file = node.file();
  if (const std::string model = node.Text("camera_model"); model != "pinhole") {
    Fail(file, "camera_model " + Printable(model) +
                   " is not supported, only pinhole: calibrate with pinhole-radtan or pinhole-equi");
  }
  SetPinhole(placed.camera, node.Numbers("intrinsics"), file);
  const std::string distortion = node.Has("distortion_model") ? node.Text("distortion_model") : "none";
  if (distortion != "radtan" && distortion != "equidistant" && distortion != "none")
    Fail(file, "distortion_model " + Printable(distortion) + " is not radtan, equidistant or none");
  SetDistortion(placed.camera, distortion == "equidistant",
                distortion == "none" ? std::vector<double>{} : node.Numbers("distortion_coeffs"), file);
  SetResolution(placed.camera, node.Numbers("resolution"), file);
  return placed;
}

Calibration ReadKalibr(const Node& node) {
  const PlacedCamera left = KalibrCamera(node.At("cam0"));
  const Node second = node.At("cam1");
  PlacedCamera right = KalibrCamera(second);
  SetPose(right, second.Numbers("T_cn_cnm1"), node.file());
  Calibration calibration;
  calibration.format = "kalibr";
  calibration.raw = RigOf(left, right);
  return calibration;
}

// --- EuRoC
// ------------------------------------------------------------------------------------------------------
PlacedCamera EurocCamera(const Node& node) {
  PlacedCamera placed;
  const std::string& file = node.file();
  SetPinhole(placed.camera, node.Numbers("intrinsics"), file);
  const std::string distortion = node.Text("distortion_model");
  if (distortion != "radial-tangential" && distortion != "equidistant")
    Fail(file, "distortion_model " + Printable(distortion) + " is not radial-tangential or equidistant");
  SetDistortion(placed.camera, distortion == "equidistant", node.Numbers("distortion_coefficients"), file);
  SetResolution(placed.camera, node.Numbers("resolution"), file);
  // T_BS takes points of the camera to the body.
  PlacedCamera body;
  SetPose(body, node.Numbers("T_BS"), file);
  placed.rotation = Transposed(body.rotation);
  placed.translation_m = -(placed.rotation * body.translation_m);
  return placed;
}

// --- ROS
// --------------------------------------------------------------------------------------------------------
RosCameraInfo ReadRosCamera(const Node& node) {
  RosCameraInfo info;
  const std::string& file = node.file();
  const bool yaml_file = node.Has("camera_matrix");  // else a message printed by `ros2 topic echo`
  info.width = ImageSize(node.Number(node.Has("image_width") ? "image_width" : "width"), file);
  info.height = ImageSize(node.Number(node.Has("image_height") ? "image_height" : "height"), file);
  const auto key = [&](const char* in_file, const char* lower, const char* upper) {
    return yaml_file ? in_file : node.Has(lower) ? lower : upper;
  };
  const auto read_matrix = [&](const char* name, auto& numbers, const char* what) {
    const std::vector<double> read = node.Numbers(name);
    if (read.size() != numbers.size()) {
      Fail(file, std::string(what) + " matrix has " + std::to_string(numbers.size()) + " numbers, not " +
                     std::to_string(read.size()));
    }
    std::copy(read.begin(), read.end(), numbers.begin());
  };
  read_matrix(key("camera_matrix", "k", "K"), info.k, "a camera");
  info.model = node.Text("distortion_model");
  info.distortion = node.Numbers(key("distortion_coefficients", "d", "D"));
  read_matrix(key("rectification_matrix", "r", "R"), info.r, "a rectification");
  read_matrix(key("projection_matrix", "p", "P"), info.p, "a projection");
  return info;
}

Calibration ReadRos(const Node& left, const Node& right) {
  return CalibrationOf(ReadRosCamera(left), ReadRosCamera(right), left.file(), right.file());
}

// --- OpenCV
// -----------------------------------------------------------------------------------------------------
void AppendOpenCv(const Node& node, OpenCvValues& values) {
  for (const auto& entry : node.yaml()) {
    if (!entry.first.IsScalar() || values.values.size() > 200) continue;
    const std::string key = entry.first.Scalar();
    const bool list = entry.second.IsSequence() && entry.second.size() <= 32;
    const bool matrix = entry.second.IsMap() && entry.second["data"].IsDefined();
    const bool number = entry.second.IsScalar() && ParseNumber(entry.second.Scalar());
    if (!list && !matrix && !number) continue;
    try {
      values.values.emplace_back(key, node.Numbers(key.c_str()));
    } catch (const Error&) {  // a list of words, a large matrix: nothing of a calibration
      continue;
    }
  }
}

bool LooksLikeOpenCv(const Node& node) {
  for (const char* key :
       {"M1", "K1", "cameraMatrix1", "camera_matrix_1", "cameraMatrixL", "leftCameraMatrix"}) {
    if (node.Has(key)) return true;
  }
  return false;
}

}  // namespace

std::optional<Calibration> ReadYamlCalibration(const std::vector<NamedText>& files) {
  std::vector<Node> nodes;
  for (const NamedText& file : files) {
    constexpr std::size_t kMost_bytes = 1 << 20;  // yaml-cpp takes 80 bytes and half a microsecond for each
    if (file.text.size() > kMost_bytes) {
      Fail(file.name, "has " + std::to_string(file.text.size()) +
                          " bytes, too many for a calibration in YAML (at most 1 MiB): remove tables "
                          "and images");
    }
    std::optional<Node> node = Parse(file);
    if (!node) return std::nullopt;
    nodes.push_back(std::move(*node));
  }
  try {
    const Node& first = nodes.front();
    if (nodes.size() == 1) {
      if (first.Has("parallax_rig")) return ReadOurs(first);
      if (first.Has("cam0")) return ReadKalibr(first);
    }
    if (LooksLikeOpenCv(first)) {
      OpenCvValues values;
      for (const Node& node : nodes) AppendOpenCv(node, values);
      return CalibrationFromOpenCv(values, files.front().name);
    }
    const bool ros = first.Has("projection_matrix") ||
                     ((first.Has("k") || first.Has("K")) && first.Has("distortion_model"));
    const bool euroc = first.Has("T_BS");
    if ((ros || euroc) && nodes.size() == 1) {
      Fail(first.file(), "this is one camera of a pair: name both, LEFT,RIGHT");
    }
    if (ros) return ReadRos(first, nodes[1]);
    if (euroc) {
      Calibration calibration;
      calibration.format = "euroc";
      calibration.raw = RigOf(EurocCamera(first), EurocCamera(nodes[1]));
      return calibration;
    }
  } catch (const YAML::Exception& error) {
    Fail(files.front().name, "YAML: " + Printable(error.msg, 120));
  }
  return std::nullopt;
}

}  // namespace parallax::calibration
