// Sources of frames, and files of images and disparities.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace parallax::python {

std::string PathText(py::handle path) {
  auto text = py::module_::import("os").attr("fspath")(path).cast<std::string>();
  if (text.find('\0') != std::string::npos)
    throw InvalidArgument("a path contains a null character: remove it");
  return text;
}

namespace {

// A source with its place, read by one thread at a time.
class Source {
 public:
  explicit Source(std::unique_ptr<FrameSource> source) : source_(source.release()) {}

  std::size_t Length() const {
    const auto num_frames = source_->num_frames();
    if (!num_frames) throw py::type_error("this source does not know how many frames will come");
    return *num_frames;
  }
  std::string_view Kind() const { return NameOf(source_->kind()); }

  std::unique_ptr<StereoFrame> Next() {
    std::unique_ptr<StereoFrame> frame;
    {
      const py::gil_scoped_release release;
      const std::scoped_lock lock(mutex_);
      if (source_->NextName()) frame = std::make_unique<StereoFrame>(source_->Read());
    }
    if (!frame) throw py::stop_iteration();
    return frame;
  }

 private:
  const std::unique_ptr<FrameSource, DeleteWhereMade<FrameSource>> source_;  // that of a camera has threads
  std::mutex mutex_;
};

std::unique_ptr<Source> Open(const py::args& spec, const std::string& kind, bool truth) {
  if (spec.empty()) throw InvalidArgument("no source: name a folder, files or \"synthetic:drive\"");
  std::vector<std::string> parts;
  for (const py::handle part : spec) parts.push_back(PathText(part));
  const py::gil_scoped_release release;
  return std::make_unique<Source>(OpenSource(parts, {.kind = kind, .with_truth = truth}));
}

std::unique_ptr<Source> Synthetic(const std::string& scene, bool truth, const py::kwargs& keys) {
  std::string spec = "synthetic:" + scene;
  for (const auto& [key, value] : keys) {
    spec += ',' + key.cast<std::string>() + '=';
    spec += py::isinstance<py::bool_>(value) ? (value.cast<bool>() ? "1" : "0") : py::str(value);
  }
  const py::gil_scoped_release release;
  return std::make_unique<Source>(OpenSource({spec}, {.kind = "", .with_truth = truth}));
}

// --- files --------------------------------------------------------------------

py::array ReadImageFile(const py::object& path) {
  const std::string name = PathText(path);
  auto image = std::make_unique<CameraImage>();
  {
    const py::gil_scoped_release release;
    *image = ReadImage(name);
  }
  const CameraImageView view = ViewOf(*image);
  return ArrayOf(view, OwnerOf(std::move(image)));
}

InvalidArgument UnknownEnding(const std::string& name) {
  return InvalidArgument{name + ": ends in neither .pfm nor .png: name one of these"};
}

py::array ReadDisparity(const py::object& path) {
  const std::string name = PathText(path);
  return ArrayFrom([&] {
    if (name.ends_with(".pfm")) return ReadPfm(name);
    if (name.ends_with(".png")) return ReadDisparityPng(name);
    throw UnknownEnding(name);
  });
}

void WriteDisparity(const py::object& path, const py::object& disparity) {
  const std::string name = PathText(path);
  const FloatImageArgument image = FloatImageOf(disparity, "disparity");
  const py::gil_scoped_release release;
  if (name.ends_with(".pfm")) {
    WritePfm(name, image.view);
  } else if (name.ends_with(".png")) {
    WriteDisparityPng(name, image.view);
  } else {
    throw UnknownEnding(name);
  }
}

}  // namespace

void BindSources(py::module_& module) {
  py::class_<GroundTruth>(module, "GroundTruth")
      .def_property_readonly(
          "disparity",
          [](py::object self) { return ArrayOf(self.cast<GroundTruth&>().disparity.View(), self); })
      .def_property_readonly("nonoccluded",
                             [](py::object self) {
                               return ImageOrNone(self.cast<GroundTruth&>().nonoccluded.ConstView(), self);
                             })
      .def_property_readonly("objects", [](py::object self) {
        return ImageOrNone(self.cast<GroundTruth&>().objects.ConstView(), self);
      });

  py::class_<StereoFrame>(module, "Frame")
      .def_readonly("name", &StereoFrame::name)
      .def_readonly("origin", &StereoFrame::origin)
      .def_readonly("note", &StereoFrame::note)
      .def_readonly("timestamp", &StereoFrame::timestamp_s)
      .def_property_readonly(
          "left", [](py::object self) { return ArrayOf(ViewOf(self.cast<StereoFrame&>().left), self); })
      .def_property_readonly(
          "right", [](py::object self) { return ArrayOf(ViewOf(self.cast<StereoFrame&>().right), self); })
      .def_readonly("rectified", &StereoFrame::rectified)
      .def_readonly("rig", &StereoFrame::rig)
      .def_readonly("num_disparities_hint", &StereoFrame::num_disparities_hint)
      .def_property_readonly(
          "truth", [](StereoFrame& frame) { return frame.truth ? &*frame.truth : nullptr; },
          py::return_value_policy::reference_internal)
      .def("__repr__", [](const StereoFrame& frame) { return "<parallax.Frame " + frame.name + ">"; });

  py::class_<Source>(module, "Source")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Source::Next)
      .def("__len__", &Source::Length)
      .def_property_readonly("kind", &Source::Kind);

  module.def("open", &Open, py::kw_only(), py::arg("kind") = "", py::arg("truth") = false);
  module.def("synthetic", &Synthetic, py::arg("scene") = "drive", py::kw_only(), py::arg("truth") = true);
  module.def("read_image", &ReadImageFile, py::arg("path"));
  module.def("read_disparity", &ReadDisparity, py::arg("path"));
  module.def("write_disparity", &WriteDisparity, py::arg("path"), py::arg("disparity"));
}

}  // namespace parallax::python
