// Calibration from pictures of a board. What needs OpenCV lies in parallax._calibrate, which is loaded when it is
// asked for.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/calibration_figures.h"
#include "calibrate/stereo_calibration.h"
#include "datasets/calibration/calibration_file.h"
#include "library/rig_of.h"
#include "parallax/error.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {

py::module_ CalibrateModule(const char* what) {
  try {
    return py::module_::import("parallax._calibrate");
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    throw Error(std::string(what) + " needs OpenCV (Debian: libopencv-calib3d406, libopencv-contrib406): " +
                py::str(error.value()).cast<std::string>());
  }
}

namespace {

// --- pairs ----------------------------------------------------------------------

bool IsPath(const py::handle& object) {
  return py::isinstance<py::str>(object) || py::hasattr(object, "__fspath__");
}

// An array as it is, a path read.
py::object ImageFrom(const py::object& image) {
  return IsPath(image) ? py::module_::import("parallax._native").attr("read_image")(image) : image;
}

// One image where a list of images is expected would be read row by row.
void RefuseOneImage(const py::object& images, const char* name) {
  if (!py::isinstance<py::array>(images)) return;
  const py::array array(images);
  if (array.ndim() < 3 || (array.ndim() == 3 && array.shape(2) <= 4))
    throw InvalidArgument(std::string(name) + " is one image: give a list of at least " +
                          std::to_string(kFewestBoards));
}

py::iterator IteratorOf(const py::object& images, const char* name) {
  RefuseOneImage(images, name);
  if (!py::hasattr(images, "__iter__")) {
    throw py::type_error(std::string(name) + " is " + Py_TYPE(images.ptr())->tp_name +
                         ": give a list of images, files or frames, a Source, or what open() takes");
  }
  return py::iter(images);
}

// Hands the pairs of calibrate() to boards, one after the other.
class PairFeeder {
 public:
  // num_boards: after how many a stream ends; 0 = not a stream.
  PairFeeder(py::object boards, int num_boards) : boards_(std::move(boards)), num_boards_(num_boards) {}

  void Feed(const py::object& left, const py::object& right) {
    if (right.is_none()) return FeedPairs(IteratorOf(left, "left"));
    py::iterator a = IteratorOf(left, "left"), b = IteratorOf(right, "right");
    for (; a != py::iterator::sentinel() && b != py::iterator::sentinel(); ++a, ++b) {
      Add(IsPath(*a) ? py::str(*a) : py::str(std::to_string(num_pairs_)),
          py::reinterpret_borrow<py::object>(*a), py::reinterpret_borrow<py::object>(*b));
    }
    if (a != b)
      throw InvalidArgument("left and right differ in number: give one right image for each left one");
  }

 private:
  void FeedPairs(py::iterator pairs) {
    for (; pairs != py::iterator::sentinel(); ++pairs) {
      const auto pair = py::reinterpret_borrow<py::object>(*pairs);
      if (py::isinstance<StereoFrame>(pair)) {
        Add(pair.attr("name"), pair.attr("left"), pair.attr("right"), pair.attr("timestamp"));
      } else if (py::isinstance<py::sequence>(pair) && !IsPath(pair) && py::len(pair) == 2) {
        Add(py::str(std::to_string(num_pairs_)), pair[py::int_(0)], pair[py::int_(1)]);
      } else {
        throw py::type_error("a pair is " + std::string(Py_TYPE(pair.ptr())->tp_name) +
                             ": give frames, or (left, right)");
      }
      if (num_boards_ > 0 && num_taken_ == num_boards_) return;
    }
  }

  void Add(const py::object& name, const py::object& left, const py::object& right,
           const py::object& time_s = py::none()) {
    ++num_pairs_;
    if (boards_.attr("add")(name, ImageFrom(left), ImageFrom(right), time_s).cast<bool>()) ++num_taken_;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  const py::object boards_;
  const int num_boards_;
  int num_pairs_ = 0, num_taken_ = 0;
};

py::object Calibrate(py::object left, py::object right, const std::string& board, double square_m,
                     const std::string& lens, std::optional<double> baseline_m, int num_boards) {
  if (num_boards < kFewestBoards) {
    throw InvalidArgument("num_boards is " + std::to_string(num_boards) + ": use at least " +
                          std::to_string(kFewestBoards));
  }
  const py::module_ calibrate = CalibrateModule();
  if (IsPath(left)) {
    const py::object open = py::module_::import("parallax._native").attr("open");
    left = right.is_none() ? open(left) : open(left, right);
    right = py::none();
  }
  bool is_stream = false;
  if (py::isinstance(left, py::module_::import("parallax._native").attr("Source"))) {
    const auto kind = left.attr("kind").cast<std::string>();
    is_stream = kind == "video" || kind == "camera" || kind == "recording";
  }
  const py::object boards = calibrate.attr("Boards")(board, square_m, lens, baseline_m, is_stream);
  PairFeeder(boards, is_stream ? num_boards : 0).Feed(left, right);
  return boards.attr("calibrate")();
}

// --- the result -------------------------------------------------------------------

const StereoCalibration& Accepted(const StereoCalibration& calibration) {
  if (calibration.IsRefused()) throw Error("the calibration is refused: " + calibration.causes.front());
  return calibration;
}

void Save(const StereoCalibration& calibration, const py::object& path) {
  Calibration file;
  file.raw = Accepted(calibration).bundle.rig;
  file.quality = QualityOf(calibration);
  const std::string name = PathText(path);
  const py::gil_scoped_release release;
  WriteCalibration(file, "parallax", name);
}

py::list BoardsOf(const StereoCalibration& c) {
  py::list boards;
  for (std::size_t i = 0; i < c.bundle.views.size(); ++i) {
    py::dict board;
    board["name"] = c.bundle.views[i].name;
    board["rms_px"] = c.board_rms_px[i];
    board["tilt_degrees"] = c.tilt_degrees[i];
    board["distance_m"] = c.distance_m[i];
    boards.append(board);
  }
  return boards;
}

py::list RejectedOf(const StereoCalibration& c) {
  py::list boards;
  for (const RejectedBoard& rejected : c.rejected) {
    py::dict board;
    board["name"] = rejected.name;
    board["reason"] = rejected.reason;
    boards.append(board);
  }
  return boards;
}

py::list TrialsOf(const StereoCalibration& c) {
  py::list trials;
  for (const LensTrial& tried : c.lens_trials) {
    py::dict trial;
    trial["lens"] = TextOf(tried.lens);
    trial["held_out_px"] = tried.held_out_px;
    trial["problem"] = tried.problem;
    trials.append(trial);
  }
  return trials;
}

py::list DepthErrorsOf(const StereoCalibration& c) {
  py::list errors;
  for (const DepthError& error : c.depth_errors) {
    py::dict row;
    row["distance_m"] = error.distance_m;
    row["calibration_m"] = error.calibration_m;
    row["matching_m"] = error.matching_m;
    row["total_m"] = error.total_m;
    errors.append(row);
  }
  return errors;
}

py::dict ParametersOf(const StereoCalibration& c) {
  py::dict parameters;
  for (const RigParameter& parameter : RigParametersOf(c)) {
    py::dict row;
    row["value"] = parameter.value;
    row["sigma"] = parameter.sigma;
    parameters[py::str(parameter.name)] = row;
  }
  return parameters;
}

py::array CovarianceOf(const StereoCalibration& c) {
  const py::ssize_t n = c.bundle.covariance.empty() ? 0 : c.bundle.num_parameters;
  return ArrayOf(std::vector<double>(c.bundle.covariance), {n, n});
}

py::array CoverageOf(const CameraCoverage& coverage) {
  return ArrayOf(std::vector<int>(coverage.corners.begin(), coverage.corners.end()), {10, 10});
}

}  // namespace

void BindCalibration(py::module_& module) {
  const auto of_bundle = [](auto member) {
    return [member](const StereoCalibration& c) { return c.bundle.*member; };
  };
  py::class_<StereoCalibration>(module, "Calibration")
      .def_property_readonly("rig", [](const StereoCalibration& c) { return RigOf(Accepted(c).bundle.rig); })
      .def_readonly("verdict", &StereoCalibration::verdict)
      .def_readonly("causes", &StereoCalibration::causes)
      .def_readonly("warnings", &StereoCalibration::warnings)
      .def_readonly("width_px", &StereoCalibration::width_px)
      .def_readonly("height_px", &StereoCalibration::height_px)
      .def_readonly("rms_left_px", &StereoCalibration::mono_left_px)
      .def_readonly("rms_right_px", &StereoCalibration::mono_right_px)
      .def_property_readonly("rms_px", of_bundle(&BundleResult::rms_px))
      .def_property_readonly("corner_noise_px", of_bundle(&BundleResult::noise_px))
      .def_property_readonly("outlier_percent", &OutlierPercent)
      .def_readonly("epipolar_median_px", &StereoCalibration::epipolar_median_px)
      .def_readonly("epipolar_p95_px", &StereoCalibration::epipolar_p95_px)
      .def_property_readonly("baseline_m",
                             [](const StereoCalibration& c) { return c.bundle.rig.baseline_m(); })
      .def_property_readonly("boards", &BoardsOf)
      .def_property_readonly("rejected", &RejectedOf)
      .def_property_readonly("coverage_left", [](const StereoCalibration& c) { return CoverageOf(c.left); })
      .def_property_readonly("coverage_right", [](const StereoCalibration& c) { return CoverageOf(c.right); })
      .def_property_readonly("depth_errors", &DepthErrorsOf)
      .def_property_readonly("lens", [](const StereoCalibration& c) { return TextOf(c.lens); })
      .def_property_readonly("lens_trials", &TrialsOf)
      .def_property_readonly("parameters", &ParametersOf)
      .def_property_readonly("covariance", &CovarianceOf)
      .def("save", &Save, py::arg("path"))
      .def("__repr__", [](const StereoCalibration& c) {
        char figures[100];
        std::snprintf(figures, sizeof figures, "%zu boards, rms %.3f px, baseline %.5f m",
                      c.bundle.views.size(), c.bundle.rms_px, c.bundle.rig.baseline_m());
        std::string text = "<parallax.Calibration " + c.verdict + ": " + figures;
        for (const auto* reasons : {&c.causes, &c.warnings})
          for (const std::string& reason : *reasons) text += "; " + reason;
        return text + ">";
      });
  module.def("calibrate", &Calibrate, py::arg("left"), py::arg("right") = py::none(), py::kw_only(),
             py::arg("board"), py::arg("square_m"), py::arg("lens") = "auto",
             py::arg("baseline_m") = py::none(), py::arg("num_boards") = 40);
}

}  // namespace parallax::python
