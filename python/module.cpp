// The Python module parallax._native, which parallax/__init__.py hands on.
#include <pybind11/pybind11.h>

#include "config/presets.h"
#include "parallax/error.h"
#include "parallax/matcher.h"
#include "pipeline/types/frame.h"
#include "python/bindings.h"

namespace parallax::python {
namespace {

py::object MakeException(py::module_& module, const char* name, const char* doc, const py::object& bases) {
  const std::string full_name = std::string("parallax.") + name;
  const auto type = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc(full_name.c_str(), doc, bases.ptr(), nullptr));
  if (!type) throw py::error_already_set();
  module.add_object(name, type);
  return type;
}

PyObject *error_type = nullptr, *invalid_argument_type = nullptr;  // live as long as the process

}  // namespace

void BindErrors(py::module_& module) {
  const py::object error = MakeException(module, "Error", "Something failed: a file, a device, a frame.",
                                         py::reinterpret_borrow<py::object>(PyExc_RuntimeError));
  const py::object invalid =
      MakeException(module, "InvalidArgument", "An invalid request. Also a ValueError.",
                    py::make_tuple(error, py::reinterpret_borrow<py::object>(PyExc_ValueError)));
  MakeException(module, "PairWarning",
                "The first pairs of a Matcher look as if their disparities were wrong.",
                py::reinterpret_borrow<py::object>(PyExc_UserWarning));
  error_type = py::object(error).release().ptr();
  invalid_argument_type = py::object(invalid).release().ptr();
  py::register_exception_translator([](std::exception_ptr thrown) {
    // A message that begins with the user's own null character would end there.
    const auto text = [](const Error& fault) {
      return *fault.what() != '\0' ? fault.what() : "a name begins with a null character: remove it";
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InvalidArgument& fault) {
      PyErr_SetString(invalid_argument_type, text(fault));
    } catch (const Error& fault) {
      PyErr_SetString(error_type, text(fault));
    }
  });
}

namespace {

py::list BackendList() {
  py::list list;
  for (const BackendState& state : Backends()) {
    py::dict entry;
    entry["name"] = state.name;
    entry["usable"] = state.usable;
    entry["note"] = state.note;
    list.append(entry);
  }
  return list;
}

py::list PresetList() {
  py::list list;
  for (const PresetFile& preset : Presets()) list.append(preset.name);
  return list;
}

// Makes Class.__new__(Class) a TypeError for every class of the module: pybind11 would return an object whose
// C++ part was never constructed. Class(...) still works: it calls tp_new itself, while Python's wrapper
// __new__ refuses a class whose tp_new differs from the wrapped one.
void RefuseNewWithoutInit(const py::module_& module) {
  static const newfunc make = reinterpret_cast<PyTypeObject*>(py::type::of<StereoFrame>().ptr())->tp_new;
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    if (PyType_Check(value.ptr()) == 0 || type->tp_new != make) continue;
    type->tp_new = [](PyTypeObject* subtype, PyObject* arguments, PyObject* keywords) {
      return make(subtype, arguments, keywords);
    };
  }
}

}  // namespace
}  // namespace parallax::python

PYBIND11_MODULE(_native, module) {
  namespace python = parallax::python;
  module.attr("__version__") = PARALLAX_VERSION;
  python::BindErrors(module);
  module.def("backends", &python::BackendList);
  module.def("presets", &python::PresetList);
  python::BindGeometry(module);
  python::BindCalibration(module);
  python::BindClouds(module);
  python::BindMatcher(module);
  python::BindSources(module);
  python::BindMetrics(module);
  python::RefuseNewWithoutInit(module);
}
