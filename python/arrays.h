// Converts numpy arrays to the library's views, borrowed if the type fits, and its results to arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parallax/cloud.h"
#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax::python {

namespace py = pybind11;

// --- arguments ----------------------------------------------------------------

// The view lives as long as array, which is the caller's own, or a copy if its type or strides do not fit.
// name: for messages, "left image". All throw TypeError for anything but an array, InvalidArgument for an
// unsuitable array.

struct CameraImageArgument {
  py::array array;
  CameraImageView view;
};
// uint8 or uint16, H x W; uint8, H x W x 3 (RGB). Rows may have gaps or be upside down.
CameraImageArgument CameraImageOf(py::handle object, const char* name);

struct PairArgument {
  CameraImageArgument left, right;
};
inline PairArgument PairOf(py::handle left, py::handle right) {
  return {CameraImageOf(left, "left image"), CameraImageOf(right, "right image")};
}

struct FloatImageArgument {
  py::array array;
  HostImageView<const float> view;
};
// Floating-point numbers, H x W; float32 is borrowed.
FloatImageArgument FloatImageOf(py::handle object, const char* name);

struct ByteImageArgument {
  py::array array;
  HostImageView<const std::uint8_t> view;
};
// Takes None (an empty view), or an H x W array of uint8, or of bool, whose True counts as 255.
ByteImageArgument ByteImageOf(py::handle object, const char* name);

struct PointsArgument {
  py::object owner;
  std::span<const Point3f> points;
};
// A Cloud, or floating-point numbers, N x 3; float32 without gaps is borrowed.
PointsArgument PointsOf(py::handle object, const char* name);

// Whole numbers, N (or one number): indices of points.
std::vector<std::int32_t> IndicesOf(py::handle object, const char* name);

// --- results ------------------------------------------------------------------
// An array of the view's pixels, which owner keeps alive.
template <typename T>
py::array ArrayOf(HostImageView<T> view, py::handle owner) {
  using Value = std::remove_const_t<T>;
  if (view.Empty()) return py::array_t<Value>(std::vector<py::ssize_t>{view.height, view.width});
  return py::array_t<Value>({py::ssize_t{view.height}, py::ssize_t{view.width}},
                            {view.stride_bytes, static_cast<py::ssize_t>(sizeof(Value))},
                            const_cast<Value*>(view.data), owner);
}
py::array ArrayOf(const CameraImageView& image, py::handle owner);
inline py::object ImageOrNone(const CameraImageView& image, py::handle owner) {
  return WidthOf(image) == 0 ? py::none() : py::object(ArrayOf(image, owner));
}

template <typename T>
py::capsule OwnerOf(T&& value) {
  using Value = std::remove_cvref_t<T>;
  return py::capsule(new Value(std::forward<T>(value)),
                     [](void* pointer) { delete static_cast<Value*>(pointer); });
}

// Takes the image along.
template <typename T>
py::array ArrayOf(HostImage<T>&& image) {
  const HostImageView<T> view = image.View();
  return ArrayOf(view, OwnerOf(std::move(image)));
}

// The image that function makes without Python's lock.
template <typename Function>
py::array ArrayFrom(Function function) {
  HostImage<float> image;
  {
    const py::gil_scoped_release release;
    image = function();
  }
  return ArrayOf(std::move(image));
}

// Takes the values along.
template <typename T>
py::array ArrayOf(std::vector<T>&& values, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* pointer) { delete static_cast<std::vector<T>*>(pointer); });
  return py::array_t<T>(std::move(shape), kept->data(), owner);
}
template <typename T>
py::array ArrayOf(std::vector<T>&& values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return ArrayOf(std::move(values), {size});
}

}  // namespace parallax::python
