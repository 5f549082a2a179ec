// Rigs, depth from disparity, and pictures of disparities.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "app/pictures/colormap.h"
#include "app/pictures/robust_range.h"
#include "parallax/error.h"
#include "parallax/rig.h"
#include "pipeline/cloud/reprojection.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

StereoRig MakeStereoRig(double fx, double cx, double cy, double baseline, double doffs) {
  if (!(fx > 0) || !std::isfinite(fx)) {
    throw InvalidArgument("fx_px is " + std::to_string(fx) + ": a focal length in px is above 0");
  }
  if (!(baseline > 0) || !std::isfinite(baseline)) {
    throw InvalidArgument("baseline_m is " + std::to_string(baseline) + ": a distance in metres is above 0");
  }
  return {.fx_px = fx, .cx_px = cx, .cy_px = cy, .baseline_m = baseline, .doffs_px = doffs};
}

std::string RigText(const StereoRig& rig) {
  std::ostringstream text;
  text << "StereoRig(fx_px=" << rig.fx_px << ", cx_px=" << rig.cx_px << ", cy_px=" << rig.cy_px
       << ", baseline_m=" << rig.baseline_m << ", doffs_px=" << rig.doffs_px << ")";
  return text.str();
}

std::unique_ptr<RectifiedPair> Rectify(const Rig& rig, const py::object& left, const py::object& right) {
  const PairArgument pair = PairOf(left, right);
  const py::gil_scoped_release release;
  return std::make_unique<RectifiedPair>(rig.Rectify(pair.left.view, pair.right.view));
}

py::array Depth(const py::object& disparity, const StereoRig& rig, float min_depth, float max_depth) {
  const FloatImageArgument from = FloatImageOf(disparity, "disparity");
  return ArrayFrom([&] {
    HostImage<float> depth(from.view.width, from.view.height);
    DepthFromDisparity(from.view, rig, {.min_depth_m = min_depth, .max_depth_m = max_depth}, depth.View());
    return depth;
  });
}

py::array ColorDisparity(const py::object& disparity, std::optional<float> min_px,
                         std::optional<float> max_px, const py::object& validity) {
  const FloatImageArgument from = FloatImageOf(disparity, "disparity");
  const ByteImageArgument filled = ByteImageOf(validity, "validity");
  if (!filled.view.Empty() &&
      (filled.view.width != from.view.width || filled.view.height != from.view.height))
    throw InvalidArgument("validity and disparity differ in size: give both as H x W");
  CameraImage picture;
  {
    const py::gil_scoped_release release;
    const app::ValueRange range = app::RobustRange(from.view);
    picture =
        app::ColorDisparity(from.view, min_px.value_or(range.low), max_px.value_or(range.high), filled.view);
  }
  const CameraImageView view = ViewOf(picture);
  return ArrayOf(view, OwnerOf(std::move(picture)));
}

}  // namespace

void BindGeometry(py::module_& module) {
  py::class_<StereoRig>(module, "StereoRig")
      .def(py::init(&MakeStereoRig), py::arg("fx_px"), py::arg("cx_px"), py::arg("cy_px"),
           py::arg("baseline_m"), py::arg("doffs_px") = 0.0)
      .def_readonly("fx_px", &StereoRig::fx_px)
      .def_readonly("cx_px", &StereoRig::cx_px)
      .def_readonly("cy_px", &StereoRig::cy_px)
      .def_readonly("baseline_m", &StereoRig::baseline_m)
      .def_readonly("doffs_px", &StereoRig::doffs_px)
      .def("__repr__", &RigText);
  py::class_<RectifiedPair>(module, "RectifiedPair")
      .def_property_readonly(
          "left", [](py::object self) { return ImageOrNone(ViewOf(self.cast<RectifiedPair&>().left), self); })
      .def_property_readonly(
          "right",
          [](py::object self) { return ImageOrNone(ViewOf(self.cast<RectifiedPair&>().right), self); })
      .def_property_readonly("rig", [](const RectifiedPair& pair) {
        return pair.rig.fx_px == 0 ? std::nullopt : std::optional(pair.rig);
      });
  py::class_<Rig>(module, "Rig")
      .def(py::init<const StereoRig&>(), py::arg("rectified"))
      .def_static(
          "load",
          [](const py::object& name, int width, int height, double zoom) {
            const std::string file = PathText(name);
            const py::gil_scoped_release release;
            return Rig::Load(file, {.width_px = width, .height_px = height, .zoom = zoom});
          },
          py::arg("name"), py::kw_only(), py::arg("width_px") = 0, py::arg("height_px") = 0,
          py::arg("zoom") = 1.0)
      .def("is_raw", &Rig::IsRaw, py::arg("width"), py::arg("height"))
      .def("rectified", &Rig::Rectified, py::arg("width"), py::arg("height"))
      .def("rectify", &Rectify, py::arg("left"), py::arg("right"));
  py::implicitly_convertible<StereoRig, Rig>();

  const ReprojectionParameters usual;
  module.def("depth", &Depth, py::arg("disparity"), py::arg("rig"), py::kw_only(),
             py::arg("min_depth_m") = usual.min_depth_m, py::arg("max_depth_m") = usual.max_depth_m);
  module.def("color_disparity", &ColorDisparity, py::arg("disparity"), py::arg("min_px") = py::none(),
             py::arg("max_px") = py::none(), py::kw_only(), py::arg("validity") = py::none());
}

}  // namespace parallax::python
