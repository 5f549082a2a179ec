// The parts of the Python module.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "parallax/error.h"

namespace parallax::python {

namespace py = pybind11;

void BindErrors(py::module_& module);
void BindGeometry(py::module_& module);     // rigs, depth; before what returns them
void BindCalibration(py::module_& module);  // after rigs
void BindClouds(py::module_& module);
void BindMatcher(py::module_& module);
void BindSources(py::module_& module);
void BindMetrics(py::module_& module);

// Deletes an object that has threads, but only in the process that made it. A forked child has a copy of the
// object without its threads, and would wait for them for ever: the object is not deleted there.
template <typename T>
struct DeleteWhereMade {
  pid_t process = getpid();
  void operator()(T* object) const {
    if (getpid() == process) delete object;
  }
};

// An object that has threads, with its owners.
template <typename T>
class OfOneProcess {
 public:
  // Takes the object over. name: of its class in Python.
  OfOneProcess(const char* name, T* object) : name_(name), object_(object, DeleteWhereMade<T>{}) {}
  // Throws Error in a forked child.
  T& operator*() const {
    if (getpid() == std::get_deleter<DeleteWhereMade<T>>(object_)->process) return *object_;
    throw Error("this " + std::string(name_) +
                " was made before the fork: make one in each process (its threads stayed behind)");
  }

 private:
  const char* name_;
  std::shared_ptr<T> object_;
};

// parallax._calibrate. Throws Error, which says what needs OpenCV, where that is missing.
py::module_ CalibrateModule(const char* what = "calibration");

// The path that a str or a path object means. Throws InvalidArgument for a null character.
std::string PathText(py::handle path);

// Runs function in a separate thread, so that Ctrl-C ends the wait for it. It must own everything that it
// uses and touch no Python: after a Ctrl-C it runs to its end, and nobody waits. Without a Ctrl-C the thread has
// ended when this function returns.
template <typename Function>
auto Interruptible(Function function) {
  using Result = std::invoke_result_t<Function>;
  auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
  std::future<Result> result = task->get_future();
  std::thread worker([task = std::move(task)] { (*task)(); });
  for (;;) {
    {
      const py::gil_scoped_release release;
      if (result.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) {
        worker.join();
        break;
      }
    }
    if (PyErr_CheckSignals() != 0) {
      worker.detach();
      throw py::error_already_set();
    }
  }
  return result.get();
}

}  // namespace parallax::python
