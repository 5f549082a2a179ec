#include "python/device_arrays.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>

#include "parallax/error.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/dlpack.h"

namespace parallax::python {
namespace {

// What both interfaces report about an array.
struct DeviceArrayFacts {
  std::uintptr_t data = 0;
  char kind = 0;  // 'u', 'f', ... as numpy's
  int item_bytes = 0;
  std::vector<std::int64_t> shape, strides_bytes;  // no strides: without gaps
};

std::vector<std::int64_t> StridesOf(const DeviceArrayFacts& facts) {
  if (!facts.strides_bytes.empty()) return facts.strides_bytes;
  std::vector<std::int64_t> strides(facts.shape.size());
  std::int64_t stride = facts.item_bytes;
  for (std::size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= facts.shape[i];
  }
  return strides;
}

DeviceCameraImageView ViewOfFacts(const DeviceArrayFacts& facts, const std::string& name) {
  constexpr const char* kWanted = "uint8 or uint16 (H x W), or uint8 (H x W x 3, RGB)";
  const bool is_color = facts.shape.size() == 3 && facts.shape[2] == 3;
  if ((facts.shape.size() != 2 && !is_color) || facts.kind != 'u' || facts.item_bytes > (is_color ? 1 : 2)) {
    throw InvalidArgument(name + ", on a GPU, has " + std::to_string(facts.shape.size()) + " axes of type " +
                          facts.kind + std::to_string(facts.item_bytes) + ": give " + kWanted);
  }
  const std::vector<std::int64_t> strides = StridesOf(facts);
  const std::int64_t pixel_bytes = is_color ? 3 : facts.item_bytes;
  if ((facts.shape[1] > 1 && strides[1] != pixel_bytes) || (is_color && strides[2] != 1)) {
    throw InvalidArgument(name +
                          ", on a GPU, has gaps between the pixels of a row: copy it first (contiguous())");
  }
  if (facts.shape[0] > 1 << 24 || facts.shape[1] > 1 << 24) throw InvalidArgument(name + " is too large");
  const int height = static_cast<int>(facts.shape[0]), width = static_cast<int>(facts.shape[1]);
  const std::ptrdiff_t stride = height > 1 ? strides[0] : width * pixel_bytes;
  const auto as = [&]<typename T>(const T*) -> DeviceCameraImageView {
    return DeviceImageView<const T>{reinterpret_cast<const T*>(facts.data), width, height, stride};
  };
  if (is_color) return as(static_cast<const Rgb8*>(nullptr));
  if (facts.item_bytes == 2) return as(static_cast<const std::uint16_t*>(nullptr));
  return as(static_cast<const std::uint8_t*>(nullptr));
}

DeviceImageArgument FromDlpack(py::handle object, const char* name, void* stream) {
  const py::object capsule = object.attr("__dlpack__")(py::arg("stream") = StreamNumber(stream));
  auto* managed = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  DeviceImageArgument argument;
  argument.owner = py::capsule(managed, [](void* pointer) {
    auto* kept = static_cast<dlpack::ManagedTensor*>(pointer);
    if (kept->deleter != nullptr) kept->deleter(kept);
  });
  const dlpack::Tensor& tensor = managed->tensor;
  DeviceArrayFacts facts;
  facts.data = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  facts.kind = tensor.type.code == dlpack::kUnsigned ? 'u' : tensor.type.code == dlpack::kFloat ? 'f' : 'i';
  facts.item_bytes = tensor.type.bits / 8 * tensor.type.lanes;
  facts.shape.assign(tensor.shape, tensor.shape + tensor.num_axes);
  if (tensor.strides != nullptr) {
    for (std::int32_t i = 0; i < tensor.num_axes; ++i) {
      facts.strides_bytes.push_back(tensor.strides[i] * facts.item_bytes);
    }
  }
  argument.device = tensor.device.index;
  argument.view = ViewOfFacts(facts, name);
  return argument;
}

DeviceImageArgument FromCudaArrayInterface(py::handle object, const char* name) {
  const auto interface = object.attr("__cuda_array_interface__").cast<py::dict>();
  const auto type = interface["typestr"].cast<std::string>();
  DeviceArrayFacts facts;
  facts.data = interface["data"].cast<py::tuple>()[0].cast<std::uintptr_t>();
  if (type.size() < 3 || type[0] == '>') {
    throw InvalidArgument(std::string(name) + ", on a GPU, has dtype " + type +
                          ": give little-endian numbers");
  }
  facts.kind = type[1];
  facts.item_bytes = std::stoi(type.substr(2));
  facts.shape = interface["shape"].cast<std::vector<std::int64_t>>();
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    facts.strides_bytes = interface["strides"].cast<std::vector<std::int64_t>>();
  }
  DeviceImageArgument argument;
  argument.owner = py::reinterpret_borrow<py::object>(object);
  argument.view = ViewOfFacts(facts, name);
  if (interface.contains("stream") && !interface["stream"].is_none()) {
    argument.stream = interface["stream"].cast<std::int64_t>();
  }
  return argument;
}

// --- results ------------------------------------------------------------------

// One of the three images of a result.
struct DeviceArray {
  std::shared_ptr<DeviceMatched> matched;
  void* data = nullptr;
  std::int64_t height = 0, width = 0;
  bool is_float = false;

  const char* typestr() const { return is_float ? "<f4" : "|u1"; }
};

// What has to live as long as a tensor that was handed to another library.
struct Exported {
  dlpack::ManagedTensor managed;
  std::int64_t shape[2], strides[2];
  std::shared_ptr<DeviceMatched> matched;
};

void DeleteExported(dlpack::ManagedTensor* managed) {
  const py::gil_scoped_acquire acquire;  // other libraries call this from anywhere
  delete static_cast<Exported*>(managed->context);
}

py::capsule ToDlpack(const DeviceArray& array, const py::object& stream, const py::kwargs& others) {
  if (others.contains("copy") && !others["copy"].is_none() && others["copy"].cast<bool>()) {
    throw py::buffer_error("no copy is made: leave out copy=True, or copy the result");
  }
  const std::int64_t number = stream.is_none() ? 1 : stream.cast<std::int64_t>();
  if (number != -1) {  // -1: the caller orders its work itself
    array.matched->result->OrderBefore(reinterpret_cast<void*>(static_cast<std::intptr_t>(number)));
  }
  auto exported = std::make_unique<Exported>();
  exported->matched = array.matched;
  exported->shape[0] = array.height;
  exported->shape[1] = array.width;
  exported->strides[0] = array.width;
  exported->strides[1] = 1;
  dlpack::Tensor& tensor = exported->managed.tensor;
  tensor.data = array.data;
  tensor.device = {dlpack::kCuda, array.matched->result->device()};
  tensor.num_axes = 2;
  tensor.type =
      array.is_float ? dlpack::DataType{dlpack::kFloat, 32, 1} : dlpack::DataType{dlpack::kUnsigned, 8, 1};
  tensor.shape = exported->shape;
  tensor.strides = exported->strides;
  exported->managed.context = exported.get();
  exported->managed.deleter = &DeleteExported;
  PyObject* capsule = PyCapsule_New(&exported->managed, "dltensor", [](PyObject* self) {
    // A consumer renames the capsule and calls the deleter itself.
    if (PyCapsule_IsValid(self, "dltensor") == 0) return;
    auto* managed = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(self, "dltensor"));
    managed->deleter(managed);
  });
  if (capsule == nullptr) throw py::error_already_set();
  exported.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

py::dict ToCudaArrayInterface(const DeviceArray& array) {
  py::dict interface;
  interface["shape"] = py::make_tuple(array.height, array.width);
  interface["typestr"] = array.typestr();
  interface["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(array.data), false);
  interface["strides"] = py::none();
  interface["version"] = 3;
  interface["stream"] = StreamNumber(array.matched->result->stream());
  return interface;
}

template <typename T>
DeviceArray ArrayOfView(const std::shared_ptr<DeviceMatched>& matched, const DeviceImageView<T>& view) {
  return {matched, view.data, view.height, view.width, std::is_same_v<T, float>};
}

}  // namespace

std::int64_t StreamNumber(void* stream) {
  return stream == nullptr ? 1 : static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(stream));
}

bool IsOnDevice(py::handle object) {
  if (object.is_none() || py::isinstance<py::array>(object) || PyType_Check(object.ptr())) return false;
  if (py::hasattr(object, "__dlpack_device__")) {
    const auto device = object.attr("__dlpack_device__")().cast<py::tuple>();
    const auto type = py::int_(device[0]).cast<int>();
    return type == dlpack::kCuda || type == dlpack::kCudaManaged;
  }
  return py::hasattr(object, "__cuda_array_interface__");
}

DeviceImageArgument DeviceImageOf(py::handle object, const char* name, void* stream) {
  if (!IsOnDevice(object)) {
    throw InvalidArgument(std::string(name) +
                          " is in host memory, but the other image is on a GPU: give both on one GPU");
  }
  return py::hasattr(object, "__dlpack__") ? FromDlpack(object, name, stream)
                                           : FromCudaArrayInterface(object, name);
}

void BindDeviceArrays(py::module_& module) {
  py::class_<DeviceArray>(module, "DeviceArray")
      .def_property_readonly(
          "shape", [](const DeviceArray& array) { return py::make_tuple(array.height, array.width); })
      .def_property_readonly("dtype", [](const DeviceArray& array) { return py::dtype(array.typestr()); })
      .def("__dlpack__", &ToDlpack, py::kw_only(), py::arg("stream") = py::none())
      .def("__dlpack_device__",
           [](const DeviceArray& array) {
             return py::make_tuple(dlpack::kCuda, array.matched->result->device());
           })
      .def_property_readonly("__cuda_array_interface__", &ToCudaArrayInterface);

  using Shared = std::shared_ptr<DeviceMatched>;
  const auto array_of = [](auto member) {
    return [member](const Shared& self) { return ArrayOfView(self, self->result->map().*member); };
  };
  py::class_<DeviceMatched, Shared>(module, "DeviceResult")
      .def_property_readonly("disparity", array_of(&DeviceDisparityMapView::disparity))
      .def_property_readonly("confidence", array_of(&DeviceDisparityMapView::confidence))
      .def_property_readonly("validity", array_of(&DeviceDisparityMapView::validity))
      .def("wait", [](const DeviceMatched& self) {
        const py::gil_scoped_release release;
        self.result->Wait();
      });
}

}  // namespace parallax::python
