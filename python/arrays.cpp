#include "python/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "parallax/error.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

std::string TypeName(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

std::string ShapeText(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += (i == 0 ? "" : " x ") + std::to_string(array.shape(i));
  }
  return array.ndim() == 0 ? "a single number" : text;
}

std::string DtypeText(const py::array& array) { return py::str(array.dtype()).cast<std::string>(); }

// Values of an image or a list of points. A view that repeats its rows can claim any number of them.
constexpr py::ssize_t kMostValues = py::ssize_t{1} << 30;

// Called before an array is copied and before its sizes are narrowed to int.
void CheckSize(const py::array& array, const char* name) {
  const bool has_channels = array.ndim() == 3;
  const py::ssize_t num_values = array.size() / (has_channels ? std::max<py::ssize_t>(array.shape(2), 1) : 1);
  if (num_values <= kMostValues) return;
  throw InvalidArgument(std::string(name) + " is " + ShapeText(array) + ": give at most " +
                        std::to_string(kMostValues) +
                        (has_channels || array.ndim() == 2 ? " pixels" : " values"));
}

// The array itself, or the array that numpy makes of an object that offers one (a PIL image, a torch tensor
// on the host). Lists are refused: numpy would copy them number by number, into a type that nobody chose.
py::array GivenArray(py::handle object, const char* name, const char* wanted) {
  if (py::isinstance<py::array>(object)) {
    auto given = py::reinterpret_borrow<py::array>(object);
    CheckSize(given, name);
    return given;
  }
  const bool offers = !object.is_none() && !PyType_Check(object.ptr()) &&
                      (py::hasattr(object, "__array_interface__") || py::hasattr(object, "__array__") ||
                       (PyObject_CheckBuffer(object.ptr()) != 0 && !PyBytes_Check(object.ptr())));
  if (!offers) {
    throw py::type_error(std::string(name) + " is " + TypeName(object) + ": give a numpy array, " + wanted);
  }
  const py::array array = py::array::ensure(object);
  if (!array)
    throw py::type_error(std::string(name) + " is " + TypeName(object) + ": not an array after all");
  CheckSize(array, name);
  return array;
}

py::array ContiguousCopy(const py::array& array) {
  py::module_ numpy = py::module_::import("numpy");
  return numpy.attr("array")(array, py::arg("order") = "C", py::arg("copy") = true);
}

py::array AsType(const py::array& array, const char* type) {
  return array.attr("astype")(type, py::arg("order") = "C");
}

bool IsAligned(const py::array& array, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(array.data()) % alignment == 0;
}

// Whether rows of width pixels of pixel_bytes can be borrowed as they stand. The last axis is within a pixel
// where there are three.
bool HasRows(const py::array& array, py::ssize_t pixel_bytes, std::size_t alignment) {
  const bool has_channels = array.ndim() == 3;
  if (has_channels && array.strides(2) != array.itemsize()) return false;
  if (array.shape(1) > 1 && array.strides(1) != pixel_bytes) return false;
  if (!IsAligned(array, alignment)) return false;
  if (array.shape(0) <= 1) return true;
  const py::ssize_t stride = array.strides(0);
  return std::abs(stride) >= array.shape(1) * pixel_bytes &&
         stride % static_cast<py::ssize_t>(alignment) == 0;
}

template <typename T>
HostImageView<const T> ViewOfRows(const py::array& array) {
  const auto height = static_cast<int>(array.shape(0)), width = static_cast<int>(array.shape(1));
  const std::ptrdiff_t stride =
      height > 1 ? array.strides(0) : static_cast<std::ptrdiff_t>(width * sizeof(T));
  return {static_cast<const T*>(array.data()), width, height, stride};
}

template <typename T>
HostImageView<const T> Borrow(py::array& array) {
  if (!HasRows(array, sizeof(T), alignof(T))) array = ContiguousCopy(array);
  return ViewOfRows<T>(array);
}

bool IsNative(const py::array& array) { return array.dtype().attr("isnative").cast<bool>(); }

py::array FloatArray(py::array array, const char* name) {
  if (array.dtype().kind() != 'f') {
    throw InvalidArgument(std::string(name) + " has dtype " + DtypeText(array) +
                          ": give floating-point numbers (values of KITTI's 16-bit PNG: divided by 256)");
  }
  if (array.itemsize() != 4 || !IsNative(array)) array = AsType(array, "=f4");
  return array;
}

}  // namespace

CameraImageArgument CameraImageOf(py::handle object, const char* name) {
  constexpr const char* kWanted = "uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)";
  CameraImageArgument argument{GivenArray(object, name, kWanted), {}};
  py::array& array = argument.array;
  if (array.ndim() == 3 && array.shape(2) == 1) {  // one channel
    array = array.attr("reshape")(array.shape(0), array.shape(1));
  }
  const bool is_color = array.ndim() == 3 && array.shape(2) == 3;
  if (array.ndim() != 2 && !is_color) {
    const bool has_alpha = array.ndim() == 3 && array.shape(2) == 4;
    throw InvalidArgument(std::string(name) + " is " + ShapeText(array) + ": give " +
                          (has_alpha ? "it without its fourth channel, image[..., :3]" : kWanted));
  }
  const char kind = array.dtype().kind();
  const py::ssize_t item_bytes = array.itemsize();
  if (kind != 'u' || item_bytes > (is_color ? 1 : 2)) {
    throw InvalidArgument(std::string(name) + " has dtype " + DtypeText(array) + ": give " + kWanted);
  }
  if (!IsNative(array)) array = AsType(array, "=u2");
  if (is_color) {
    argument.view = Borrow<Rgb8>(array);
  } else if (item_bytes == 2) {
    argument.view = Borrow<std::uint16_t>(array);
  } else {
    argument.view = Borrow<std::uint8_t>(array);
  }
  return argument;
}

FloatImageArgument FloatImageOf(py::handle object, const char* name) {
  FloatImageArgument argument{FloatArray(GivenArray(object, name, "float32 (H x W)"), name), {}};
  if (argument.array.ndim() != 2) {
    throw InvalidArgument(std::string(name) + " is " + ShapeText(argument.array) + ": give float32 (H x W)");
  }
  argument.view = Borrow<float>(argument.array);
  return argument;
}

ByteImageArgument ByteImageOf(py::handle object, const char* name) {
  ByteImageArgument argument;
  if (object.is_none()) return argument;
  py::array& array = argument.array = GivenArray(object, name, "uint8 or bool (H x W), or None");
  const char kind = array.dtype().kind();
  if (array.ndim() != 2 || (kind != 'b' && !(kind == 'u' && array.itemsize() == 1))) {
    throw InvalidArgument(std::string(name) + " has dtype " + DtypeText(array) + ", " + ShapeText(array) +
                          ": give uint8 or bool (H x W), or None");
  }
  if (kind == 'b')
    array = AsType(array, "u1").attr("__mul__")(py::module_::import("numpy").attr("uint8")(255));
  argument.view = Borrow<std::uint8_t>(array);
  return argument;
}

PointsArgument PointsOf(py::handle object, const char* name) {
  if (py::isinstance<PointCloud>(object)) {
    return {py::reinterpret_borrow<py::object>(object), object.cast<const PointCloud&>().points};
  }
  py::array array = FloatArray(GivenArray(object, name, "float32 (N x 3), or a Cloud"), name);
  if (array.ndim() != 2 || array.shape(1) != 3) {
    throw InvalidArgument(std::string(name) + " is " + ShapeText(array) + ": give float32 (N x 3), metres");
  }
  const bool is_dense = (array.flags() & py::array::c_style) != 0 && IsAligned(array, alignof(Point3f));
  if (!is_dense) array = ContiguousCopy(array);
  const auto* first = static_cast<const Point3f*>(array.data());
  return {array, {first, static_cast<std::size_t>(array.shape(0))}};
}

std::vector<std::int32_t> IndicesOf(py::handle object, const char* name) {
  const py::array array = py::array::ensure(object);
  if (array) CheckSize(array, name);
  const bool is_empty = array && array.size() == 0;
  if (!array || object.is_none() || array.ndim() > 1 ||
      (!is_empty && array.dtype().kind() != 'i' && array.dtype().kind() != 'u')) {
    throw InvalidArgument(std::string(name) + " is " + (array ? DtypeText(array) : TypeName(object)) +
                          ": give indices of points, whole numbers");
  }
  const auto values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  std::vector<std::int32_t> indices;
  for (const std::int64_t value : std::span(values.data(), static_cast<std::size_t>(values.size()))) {
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
      throw InvalidArgument(std::string(name) + " holds " + std::to_string(value) +
                            ": indices of points start at 0");
    }
    indices.push_back(static_cast<std::int32_t>(value));
  }
  return indices;
}

py::array ArrayOf(const CameraImageView& image, py::handle owner) {
  if (const auto* color = std::get_if<HostImageView<const Rgb8>>(&image)) {
    if (color->Empty()) return py::array_t<std::uint8_t>({color->height, color->width, 3});
    return py::array_t<std::uint8_t>({py::ssize_t{color->height}, py::ssize_t{color->width}, py::ssize_t{3}},
                                     {color->stride_bytes, py::ssize_t{3}, py::ssize_t{1}},
                                     reinterpret_cast<const std::uint8_t*>(color->data), owner);
  }
  if (const auto* wide = std::get_if<HostImageView<const std::uint16_t>>(&image)) {
    return ArrayOf(*wide, owner);
  }
  return ArrayOf(std::get<HostImageView<const std::uint8_t>>(image), owner);
}

}  // namespace parallax::python
