// The official figures of one frame.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "pipeline/metrics/eth3d.h"
#include "pipeline/metrics/kitti2012.h"
#include "pipeline/metrics/kitti2015.h"
#include "pipeline/metrics/kitti_quantization.h"
#include "pipeline/metrics/middlebury.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

using namespace py::literals;

py::dict DictOf(const ErrorQuantiles& quantiles) {
  return py::dict("a50"_a = quantiles.a50, "a90"_a = quantiles.a90, "a95"_a = quantiles.a95,
                  "a99"_a = quantiles.a99);
}

py::dict Kitti2012(const py::object& estimate, const py::object& truth, const py::object& mask) {
  const FloatImageArgument is = FloatImageOf(estimate, "estimate"), wanted = FloatImageOf(truth, "truth");
  const ByteImageArgument where = ByteImageOf(mask, "mask");
  Kitti2012Scores scores;
  {
    const py::gil_scoped_release release;
    scores = EvaluateKitti2012(QuantizeAsKittiPng(is.view).ConstView(), wanted.view, where.view);
  }
  return py::dict("outliers"_a = scores.outliers, "outliers_estimated"_a = scores.outliers_estimated,
                  "outliers_or_holes"_a = scores.outliers_or_holes, "mean_error_px"_a = scores.mean_error_px,
                  "mean_error_estimated_px"_a = scores.mean_error_estimated_px, "density"_a = scores.density,
                  "num_truth"_a = scores.num_truth, "num_estimated"_a = scores.num_estimated);
}

py::dict Kitti2015(const py::object& estimate, const py::object& truth, const py::object& objects,
                   const py::object& mask) {
  const FloatImageArgument is = FloatImageOf(estimate, "estimate"), wanted = FloatImageOf(truth, "truth");
  const ByteImageArgument foreground = ByteImageOf(objects, "objects"), where = ByteImageOf(mask, "mask");
  Kitti2015Counts counts;
  {
    const py::gil_scoped_release release;
    counts =
        EvaluateKitti2015(QuantizeAsKittiPng(is.view).ConstView(), wanted.view, foreground.view, where.view);
  }
  return py::dict("d1_all"_a = counts.all.Rate(), "d1_background"_a = counts.background.Rate(),
                  "d1_foreground"_a = counts.foreground.Rate(),
                  "d1_all_estimated"_a = counts.all_estimated.Rate(),
                  "d1_background_estimated"_a = counts.background_estimated.Rate(),
                  "d1_foreground_estimated"_a = counts.foreground_estimated.Rate(),
                  "d1_all_or_holes"_a = counts.AllOrHolesRate(), "density"_a = counts.Density(),
                  "num_errors"_a = counts.all.num_errors, "num_truth"_a = counts.all.num_pixels);
}

py::dict Middlebury(const py::object& estimate, const py::object& truth, const py::object& mask,
                    float max_disparity, bool round, std::vector<float> thresholds) {
  const FloatImageArgument is = FloatImageOf(estimate, "estimate"), wanted = FloatImageOf(truth, "truth");
  const ByteImageArgument where = ByteImageOf(mask, "mask");
  MiddleburyScores scores;
  {
    const py::gil_scoped_release release;
    scores = EvaluateMiddlebury(
        is.view, wanted.view, where.view,
        {.max_disparity_px = max_disparity, .round = round, .thresholds_px = std::move(thresholds)});
  }
  return py::dict("bad"_a = scores.bad, "totbad"_a = scores.totbad, "bad_estimated"_a = scores.bad_estimated,
                  "invalid"_a = scores.invalid, "evaluated"_a = scores.evaluated,
                  "mean_error_px"_a = scores.mean_error_px, "rms_error_px"_a = scores.rms_error_px,
                  "quantiles_px"_a = DictOf(scores.quantiles_px), "num_evaluated"_a = scores.num_evaluated,
                  "num_invalid"_a = scores.num_invalid);
}

py::dict Eth3d(const py::object& estimate, const py::object& truth, const py::object& mask) {
  const FloatImageArgument is = FloatImageOf(estimate, "estimate"), wanted = FloatImageOf(truth, "truth");
  const ByteImageArgument where = ByteImageOf(mask, "mask");
  Eth3dScores scores;
  {
    const py::gil_scoped_release release;
    scores = EvaluateEth3d(is.view, wanted.view, where.view);
  }
  return py::dict("bad"_a = scores.bad, "bad_or_holes"_a = scores.bad_or_holes,
                  "coverage"_a = scores.coverage, "mean_error_px"_a = scores.mean_error_px,
                  "rms_error_px"_a = scores.rms_error_px, "quantiles_px"_a = DictOf(scores.quantiles_px),
                  "num_truth"_a = scores.num_truth, "num_estimated"_a = scores.num_estimated);
}

}  // namespace

void BindMetrics(py::module_& module) {
  const MiddleburyOptions usual;
  module.def("kitti2012", &Kitti2012, py::arg("estimate"), py::arg("truth"), py::arg("mask") = py::none());
  module.def("kitti2015", &Kitti2015, py::arg("estimate"), py::arg("truth"), py::arg("objects") = py::none(),
             py::arg("mask") = py::none());
  module.def("middlebury", &Middlebury, py::arg("estimate"), py::arg("truth"), py::arg("mask") = py::none(),
             py::kw_only(), py::arg("max_disparity") = usual.max_disparity_px, py::arg("round") = usual.round,
             py::arg("thresholds") = usual.thresholds_px);
  module.def("eth3d", &Eth3d, py::arg("estimate"), py::arg("truth"), py::arg("mask") = py::none());
}

}  // namespace parallax::python
