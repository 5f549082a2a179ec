// The Python module parallax._calibrate: what needs OpenCV. parallax._native loads it when it is asked for, and has
// the classes of what it returns.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>

#include "calibrate/board_session.h"
#include "calibrate/calibration_figures.h"
#include "calibrate/pair_fault.h"
#include "parallax/error.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

// The boards of a calibration, pair by pair.
class Boards {
 public:
  Boards(const std::string& board, double square_m, const std::string& lens, std::optional<double> baseline_m,
         bool is_stream)
      : session_(ParseBoard(board, square_m),
                 is_stream ? BoardSession::Takes::kNewPlaces : BoardSession::Takes::kEveryPair) {
    if (baseline_m && !(*baseline_m > 0)) {
      throw InvalidArgument("baseline_m is " + std::to_string(*baseline_m) +
                            ": a distance in metres is above 0");
    }
    input_.board = ParseBoard(board, square_m);
    input_.lens = ParseLens(lens);
    input_.expected_baseline_m = baseline_m;
  }

  bool Add(const std::string& name, const py::object& left, const py::object& right,
           std::optional<double> time_s) {
    const PairArgument pair = PairOf(left, right);
    const py::gil_scoped_release release;
    return session_.Look(name, pair.left.view, pair.right.view, time_s).is_taken;
  }

  StereoCalibration Calibrate() {
    input_.width_px = session_.width_px();
    input_.height_px = session_.height_px();
    input_.views = session_.taken();
    if (input_.views.empty())
      throw Error(input_.width_px == 0 ? "there are no pairs to calibrate from: give at least 10"
                                       : "no pair shows the board in both images: check the board's name");
    return Interruptible([input = input_] { return CalibrateStereo(input); });
  }

 private:
  CalibrationInput input_;
  BoardSession session_;
};

std::string RemedyOf(const PairFault& fault) {
  using Kind = PairFault::Kind;
  const auto number = [&] { return std::to_string(static_cast<int>(fault.remedy)); };
  switch (fault.kind) {
    case Kind::kEmptyImage:
      return ": look at that camera";
    case Kind::kTwoScenes:
      return ": do the two belong together?";
    case Kind::kRowsOfRig:
      return "; calibrate again (parallax.calibrate)";
    case Kind::kRows:
      return "; calibrate the cameras (parallax.calibrate) and give compute() the rig";
    case Kind::kRigSize:
      return ": take the calibration of this size, or scale fx_px, cx_px and cy_px by " +
             std::to_string(fault.remedy).substr(0, 4);
    case Kind::kExchanged:
      return "; give the other image first";
    case Kind::kBelowRange:
      return "; give compute() the rig of raw images, or use Matcher(matching_cost_min_disparity=" +
             number() + ")";
    case Kind::kAboveRange:
      return ": use Matcher(matching_cost_num_disparities=" + number() + ")";
    case Kind::kBrightness:
      return ": use one exposure for both cameras";
    case Kind::kNone:
    case Kind::kTopBottom:  // of pictures that were cut, which no array tells
    case Kind::kSideBySide:
      break;
  }
  return "";
}

// Calls judge(left, right, facts) with what is judged of a pair.
template <typename Judge>
auto Judged(const Judge& judge, const py::object& left, const py::object& right, const StereoRig* rig,
            bool is_rectified_here, int min_disparity, int num_disparities) {
  const PairArgument pair = PairOf(left, right);
  const PairFacts facts{.rig = rig != nullptr ? std::optional(*rig) : std::nullopt,
                        .is_rectified_here = is_rectified_here,
                        .min_disparity = min_disparity,
                        .num_disparities = num_disparities};
  const py::gil_scoped_release release;
  const int num_threads = cv::getNumThreads();
  cv::setNumThreads(1);  // a pool of threads would not survive a fork
  const auto judged = judge(Shrunk(pair.left.view), Shrunk(pair.right.view), facts);
  cv::setNumThreads(num_threads);
  return judged;
}

// The fault of a pair with its remedy; empty if the pair is right, nullopt if the pair does not show it.
std::optional<std::string> FaultLineOf(const py::object& left, const py::object& right, const StereoRig* rig,
                                       bool is_rectified_here, int min_disparity, int num_disparities) {
  const auto fault = Judged(FaultOf, left, right, rig, is_rectified_here, min_disparity, num_disparities);
  return fault ? std::optional(fault->text + RemedyOf(*fault)) : std::nullopt;
}

// (min_disparity, num_disparities); nullopt if the pair does not show them.
std::optional<std::pair<int, int>> RangeOfPair(const py::object& left, const py::object& right,
                                               const StereoRig* rig, bool is_rectified_here,
                                               int min_disparity, int num_disparities) {
  const auto range = Judged(RangeOf, left, right, rig, is_rectified_here, min_disparity, num_disparities);
  return range ? std::optional(std::pair(range->min_disparity, range->num_disparities)) : std::nullopt;
}

}  // namespace
}  // namespace parallax::python

PYBIND11_MODULE(_calibrate, module) {
  namespace py = pybind11;
  using parallax::python::Boards;
  py::class_<Boards>(module, "Boards")
      .def(py::init<const std::string&, double, const std::string&, std::optional<double>, bool>())
      .def("add", &Boards::Add)
      .def("calibrate", &Boards::Calibrate);
  module.def("fault_line_of", &parallax::python::FaultLineOf);
  module.def("range_of", &parallax::python::RangeOfPair);
}
