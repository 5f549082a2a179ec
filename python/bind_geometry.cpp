// Rigs, and depth from disparity.
#include <pybind11/pybind11.h>

#include <cmath>
#include <sstream>

#include "parallax/error.h"
#include "pipeline/cloud/reprojection.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

StereoRig MakeRig(double fx, double cx, double cy, double baseline, double doffs) {
  if (!(fx > 0) || !std::isfinite(fx)) {
    throw InvalidArgument("fx is " + std::to_string(fx) + ": a focal length in px is above 0");
  }
  if (!(baseline > 0) || !std::isfinite(baseline)) {
    throw InvalidArgument("baseline is " + std::to_string(baseline) + ": a distance in metres is above 0");
  }
  return {.fx_px = fx, .cx_px = cx, .cy_px = cy, .baseline_m = baseline, .doffs_px = doffs};
}

std::string RigText(const StereoRig& rig) {
  std::ostringstream text;
  text << "Rig(fx=" << rig.fx_px << ", cx=" << rig.cx_px << ", cy=" << rig.cy_px
       << ", baseline=" << rig.baseline_m << ", doffs=" << rig.doffs_px << ")";
  return text.str();
}

py::array Depth(const py::object& disparity, const StereoRig& rig, float min_depth, float max_depth) {
  const FloatImageArgument from = FloatImageOf(disparity, "disparity");
  HostImage<float> depth(from.view.width, from.view.height);
  {
    const py::gil_scoped_release release;
    DepthFromDisparity(from.view, rig, {.min_depth_m = min_depth, .max_depth_m = max_depth}, depth.View());
  }
  return ArrayOf(std::move(depth));
}

}  // namespace

void BindGeometry(py::module_& module) {
  const ReprojectionParameters usual;
  py::class_<StereoRig>(module, "Rig", R"(The geometry of a rectified pair.

Depth of a pixel: fx * baseline / (disparity + doffs).

fx: focal length of both cameras, px. cx, cy: principal point of the left camera, px.
baseline: distance between the cameras, metres. doffs: cx of the right camera less cx, px.)")
      .def(py::init(&MakeRig), py::arg("fx"), py::arg("cx"), py::arg("cy"), py::arg("baseline"),
           py::arg("doffs") = 0.0)
      .def_readonly("fx", &StereoRig::fx_px, "px")
      .def_readonly("cx", &StereoRig::cx_px, "px")
      .def_readonly("cy", &StereoRig::cy_px, "px")
      .def_readonly("baseline", &StereoRig::baseline_m, "metres")
      .def_readonly("doffs", &StereoRig::doffs_px, "px")
      .def("__repr__", &RigText);
  module.def("depth", &Depth, py::arg("disparity"), py::arg("rig"), py::kw_only(),
             py::arg("min_depth") = usual.min_depth_m, py::arg("max_depth") = usual.max_depth_m,
             R"(Depth in metres, float32 (H x W).

disparity: px, float (H x W), NaN = no value. NaN where there is no disparity and outside
min_depth .. max_depth (metres).)");
}

}  // namespace parallax::python
