// Matcher and what it gives.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/backends.h"
#include "config/frame_parameters.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#include "parallax/error.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/types/fixed_point.h"
#include "pipeline/uncertainty/uncertainty.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/device_arrays.h"

namespace parallax::python {
namespace {

// --- parameters ---------------------------------------------------------------

// The key that a keyword means: "aggregation.p1", "aggregation_p1", or the last word where no other key ends
// with it. "matching_cost_num_disparities", "num_disparities".
std::string KeyOf(const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& key : ParameterKeys()) {
    std::string flat = key;
    std::replace(flat.begin(), flat.end(), '.', '_');
    if (name == key || name == flat) return key;
    if (key.ends_with('.' + name)) found.push_back(key);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw InvalidArgument("parameter '" + name + "' may be " + found[0] + " or " + found[1] + ": write " +
                          std::string(found[0]).replace(found[0].find('.'), 1, "_"));
  }
  std::string nearest = NearestParameterKey(name);
  if (nearest.empty()) {
    std::vector<std::string> last_words;
    for (const std::string& key : ParameterKeys()) last_words.push_back(key.substr(key.find('.') + 1));
    nearest = NearestName(name, last_words);
  }
  throw InvalidArgument(
      "unknown parameter '" + name + "'" +
      (nearest.empty() ? ": parallax.parameters() has them all" : ": did you mean " + nearest + "?"));
}

std::string ValueText(py::handle value, const std::string& key) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) return py::str(value);
  if (py::hasattr(value, "item") && !PyType_Check(value.ptr())) return ValueText(value.attr("item")(), key);
  throw py::type_error(key + " is of " + std::string(Py_TYPE(value.ptr())->tp_name) + ": use one value, " +
                       ParameterRange(key));
}

void SetFromPython(ChosenParameters& chosen, const std::string& key, py::handle value) {
  if (const auto fault = SetParameter(chosen.parameters, key, ValueText(value, key))) {
    throw InvalidArgument(key + ' ' + *fault);
  }
  chosen.chosen_keys.insert(key);
}

// keywords: of keys, or of stages with dicts of their keys.
ChosenParameters ParametersFrom(const std::string& preset, const py::dict& keywords) {
  ChosenParameters chosen = LoadChosenParameters(preset);
  for (const auto& [name, value] : keywords) {
    const auto text = name.cast<std::string>();
    if (py::isinstance<py::dict>(value)) {
      for (const auto& [inner, inner_value] : value.cast<py::dict>()) {
        SetFromPython(chosen, KeyOf(text + '.' + py::str(inner).cast<std::string>()), inner_value);
      }
    } else {
      SetFromPython(chosen, KeyOf(text), value);
    }
  }
  ValidateOrThrow(chosen.parameters);
  return chosen;
}

py::dict DictOf(const Parameters& parameters) {
  py::dict values;
  VisitParameters(parameters, [&]<typename T>(const ParameterInfo& info, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      values[py::str(info.key)] = EnumNames(value)[static_cast<std::size_t>(value)];
    } else {
      values[py::str(info.key)] = value;
    }
  });
  return values;
}

// --- a result -----------------------------------------------------------------

struct Matched {
  DisparityMap map;
  Parameters parameters;
  UncertaintyParameters uncertainty;
};

py::array FixedPoint(const Matched& matched) {
  const HostImageView<const float> disparity = matched.map.disparity.ConstView();
  py::array_t<std::int16_t> steps({py::ssize_t{disparity.height}, py::ssize_t{disparity.width}});
  const HostImageView<std::int16_t> to(steps.mutable_data(), disparity.width, disparity.height);
  const py::gil_scoped_release release;
  ToFixedPoint(disparity, matched.parameters.matching_cost.min_disparity, to);
  return steps;
}

HostImage<float> DepthOf(const Matched& matched, const StereoRig& rig) {
  HostImage<float> depth(matched.map.disparity.width(), matched.map.disparity.height());
  DepthFromDisparity(matched.map.disparity.ConstView(), rig, matched.parameters.reprojection, depth.View());
  return depth;
}

PointCloud CloudOf(const Matched& matched, const StereoRig& rig, const py::object& image) {
  const CameraImageArgument left = CameraImageOf(image, "image");
  if (WidthOf(left.view) != matched.map.disparity.width() ||
      HeightOf(left.view) != matched.map.disparity.height()) {
    throw InvalidArgument("image and disparities differ in size: give the left image that was matched");
  }
  const py::gil_scoped_release release;
  const HostImage<float> depth = DepthOf(matched, rig);
  return CloudFromDepth(depth.ConstView(), left.view, rig);
}

// --- the matcher --------------------------------------------------------------

// A matcher of images in the memory of a GPU, for frames up to a size.
struct SizedDeviceMatcher {
  int width = 0, height = 0;
  std::unique_ptr<DeviceMatcher> matcher;
};

// Frames of any size, one at a time, from any thread.
class AnyMatcher {
 public:
  AnyMatcher(const std::string& preset, const std::string& backend, int threads, int device,
             int memory_limit_mb, const py::dict& keywords)
      : chosen_(ParametersFrom(preset, keywords)),
        backend_(ResolveBackend(backend, chosen_.parameters.method)),
        machine_{.num_threads = CheckedNumber(threads, "threads", 1024),
                 .device = CheckedNumber(device, "device", 1023),
                 .memory_limit_bytes =
                     static_cast<std::size_t>(CheckedNumber(memory_limit_mb, "memory_limit_mb", 1'000'000)) *
                     1'000'000},
        kept_(new KeptMatchers(
            [backend = backend_](const Parameters& parameters, const MatcherOptions& options) {
              return MakeQueueOfOne(MakeMatcher(backend, parameters, options), false);
            })) {
    if (memory_limit_mb > 0 && backend_ != "cpu") {
      throw InvalidArgument("memory_limit_mb is one of the cpu back end, not of " + std::string(backend_) +
                            ": leave it out, or use backend=\"cpu\"");
    }
  }

  const ChosenParameters& chosen() const { return chosen_; }
  std::string_view backend() const { return backend_; }

  // Called without Python's lock.
  DisparityMap Match(const CameraImageView& left, const CameraImageView& right,
                     const Parameters& parameters) {
    CheckProcess();
    MatcherOptions frame = machine_;
    frame.width = WidthOf(left);
    frame.height = HeightOf(left);
    CheckMatcherInput(left, right, frame.width, frame.height);
    const std::scoped_lock lock(mutex_);
    MatcherQueue* queue = kept_->Find(parameters, frame);
    if (queue == nullptr) queue = &kept_->Make(parameters, frame);
    queue->Submit(left, right);
    return queue->Take();
  }

  // stream: on which the frame is matched; none = one of its own. Called with Python's lock.
  std::shared_ptr<DeviceMatched> Enqueue(const py::object& left, const py::object& right,
                                         std::optional<std::int64_t> stream) {
    CheckProcess();
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      const py::gil_scoped_release release;
      lock.lock();
    }
    if (!on_device_) MakeOnDevice(1, 1);
    void* const own = on_device_->matcher->stream();
    const auto as_pointer = [](std::int64_t number) {
      return reinterpret_cast<void*>(static_cast<std::intptr_t>(number == 1 ? 0 : number));
    };
    void* used = stream ? as_pointer(*stream) : own;
    DeviceImageArgument left_image = DeviceImageOf(left, "left image", used);
    DeviceImageArgument right_image = DeviceImageOf(right, "right image", used);
    const auto [width, height] = std::visit(
        [](const auto& view) { return std::pair(std::max(view.width, 1), std::max(view.height, 1)); },
        left_image.view);
    if (width > on_device_->width || height > on_device_->height) {
      auto before =
          on_device_;  // until its stream, on which the images are ordered, is ordered before the new
      MakeOnDevice(std::max(width, before->width), std::max(height, before->height));
      if (!stream) {
        used = on_device_->matcher->stream();
        on_device_->matcher->Order(used, before->matcher->stream());
      }
    }
    for (const DeviceImageArgument* image : {&left_image, &right_image}) {
      if (image->stream && as_pointer(*image->stream) != used) {
        on_device_->matcher->Order(used, as_pointer(*image->stream));
      }
    }
    auto matched = std::make_shared<DeviceMatched>();
    matched->left = std::move(left_image.owner);
    matched->right = std::move(right_image.owner);
    matched->matcher = on_device_;  // its stream
    matched->result = on_device_->matcher->Enqueue(left_image.view, right_image.view, used);
    return matched;
  }

 private:
  void CheckProcess() const {
    if (getpid() != process_) {
      throw Error(
          "this Matcher was made before the fork: make one in each process (its threads stayed behind)");
    }
  }
  void MakeOnDevice(int width, int height) {
    MatcherOptions options = machine_;
    options.width = width;
    options.height = height;
    on_device_ = OwnedWhereMade<SizedDeviceMatcher>(
        new SizedDeviceMatcher{width, height, MakeDeviceMatcher(backend_, chosen_.parameters, options)});
  }
  static int CheckedNumber(int number, const char* name, int largest) {
    if (number >= 0 && number <= largest) return number;
    throw InvalidArgument(std::string(name) + " is " + std::to_string(number) + ": use 0 .. " +
                          std::to_string(largest));
  }

  const ChosenParameters chosen_;
  const std::string_view backend_;
  const MatcherOptions machine_;
  const pid_t process_ = getpid();
  std::mutex mutex_;
  const OwnedWhereMade<KeptMatchers> kept_;
  std::shared_ptr<SizedDeviceMatcher> on_device_;  // from its first frame on
};

py::object ResultOf(Matched&& matched, bool x16) {
  if (x16) return FixedPoint(matched);
  return py::cast(std::make_unique<Matched>(std::move(matched)));
}

py::object ComputeFrame(AnyMatcher& matcher, const StereoFrame& frame, bool x16) {
  CheckRectified(frame);
  Matched matched{.map = {},
                  .parameters = ParametersOfFrame(frame, matcher.chosen()),
                  .uncertainty = matcher.chosen().uncertainty};
  {
    const py::gil_scoped_release release;
    matched.map = matcher.Match(ViewOf(frame.left), ViewOf(frame.right), matched.parameters);
  }
  return ResultOf(std::move(matched), x16);
}

py::object ComputeImages(AnyMatcher& matcher, const py::object& left, const py::object& right, bool x16) {
  const CameraImageArgument left_image = CameraImageOf(left, "left image");
  const CameraImageArgument right_image = CameraImageOf(right, "right image");
  Matched matched{
      .map = {}, .parameters = matcher.chosen().parameters, .uncertainty = matcher.chosen().uncertainty};
  {
    const py::gil_scoped_release release;
    matched.map = matcher.Match(left_image.view, right_image.view, matched.parameters);
  }
  return ResultOf(std::move(matched), x16);
}

py::object Compute(AnyMatcher& matcher, const py::object& left, const py::object& right, bool x16,
                   std::optional<std::int64_t> stream) {
  if (IsOnDevice(left) || IsOnDevice(right)) {
    if (x16) throw InvalidArgument("x16 is for arrays on the host: leave it out for those on a GPU");
    return py::cast(matcher.Enqueue(left, right, stream));
  }
  if (stream) throw InvalidArgument("stream is for arrays on a GPU: leave it out for those on the host");
  if (right.is_none() && py::isinstance<StereoFrame>(left)) {
    return ComputeFrame(matcher, left.cast<const StereoFrame&>(), x16);
  }
  return ComputeImages(matcher, left, right, x16);
}

std::string MatcherText(const AnyMatcher& matcher) {
  std::string text = "Matcher(backend=" + std::string(matcher.backend());
  for (const std::string& key : ParameterKeys()) {
    const std::string value = ParameterText(matcher.chosen().parameters, key);
    if (value != ParameterText({}, key)) text += ", " + key + "=" + value;
  }
  return text + ")";
}

}  // namespace

void BindMatcher(py::module_& module) {
  py::class_<Matched>(module, "DisparityMap",
                      R"(Disparities of the left image, with the reason for every missing one.

The arrays are views of this object's memory: they keep it alive, and rows may have gaps.)")
      .def_property_readonly(
          "disparity",
          [](py::object self) { return ArrayOf(self.cast<Matched&>().map.disparity.View(), self); },
          "px, x_left - x_right, float32 (H x W), NaN = no value.")
      .def_property_readonly(
          "confidence",
          [](py::object self) { return ArrayOf(self.cast<Matched&>().map.confidence.View(), self); },
          "0 (ambiguous) .. 255 (unrivalled), uint8 (H x W), of the winner before any filter.")
      .def_property_readonly(
          "validity",
          [](py::object self) { return ArrayOf(self.cast<Matched&>().map.validity.View(), self); },
          "Bits of why a pixel lost its matched value, uint8 (H x W), 0 = it did not: NOT_UNIQUE,\n"
          "OCCLUDED, MISMATCHED, OUT_OF_RANGE, SPECKLE, and FILLED where it has a value again.")
      .def_property_readonly("x16", &FixedPoint,
                             "OpenCV's form: 1/16 px, int16 (H x W); no value = (min_disparity - 1) * 16.")
      .def_property_readonly(
          "parameters", [](const Matched& matched) { return DictOf(matched.parameters); },
          "Every parameter that was in effect.")
      .def(
          "depth",
          [](const Matched& matched, const StereoRig& rig) {
            HostImage<float> depth;
            {
              const py::gil_scoped_release release;
              depth = DepthOf(matched, rig);
            }
            return ArrayOf(std::move(depth));
          },
          py::arg("rig"), "Depth in metres, float32 (H x W), within reprojection's limits; NaN elsewhere.")
      .def(
          "sigma",
          [](const Matched& matched) {
            HostImage<float> sigma;
            {
              const py::gil_scoped_release release;
              sigma = SigmaOfDisparity(matched.uncertainty, matched.map);
            }
            return ArrayOf(std::move(sigma));
          },
          "One standard deviation of every disparity in px, float32 (H x W), by the preset's table of\n"
          "uncertainty; NaN where there is no disparity.")
      .def(
          "depth_sigma",
          [](const Matched& matched, const StereoRig& rig) {
            HostImage<float> sigma;
            {
              const py::gil_scoped_release release;
              sigma = SigmaOfDepth(SigmaOfDisparity(matched.uncertainty, matched.map).ConstView(),
                                   DepthOf(matched, rig).ConstView(), rig);
            }
            return ArrayOf(std::move(sigma));
          },
          py::arg("rig"), "The same of every depth in metres, float32 (H x W); NaN where there is none.")
      .def("cloud", &CloudOf, py::arg("rig"), py::arg("image"),
           "A Cloud of the pixels that have a depth, in reading order, coloured from image, the left one.")
      .def("__repr__", [](const Matched& matched) {
        return "<parallax.DisparityMap " + std::to_string(matched.map.disparity.height()) + " x " +
               std::to_string(matched.map.disparity.width()) + ">";
      });

  for (const auto& [name, bits] : {std::pair<const char*, int>{"NOT_UNIQUE", kNotUnique},
                                   {"OCCLUDED", kOccluded},
                                   {"MISMATCHED", kMismatched},
                                   {"OUT_OF_RANGE", kOutOfRange},
                                   {"SPECKLE", kSpeckle},
                                   {"FILLED", kFilled}}) {
    module.attr(name) = bits;
  }

  BindDeviceArrays(module);
  py::class_<AnyMatcher>(module, "Matcher", R"(Matches rectified pairs of any size with one set of parameters.

preset: a preset (parallax.presets()) or a YAML file. backend: "auto", "cuda", "cpu" or
"reference"; all give the same bits. threads: of the CPU back ends, 0 = all cores. device: of
cuda. memory_limit_mb: working memory of cpu, 0 = what it takes by itself. Everything else is a
parameter (docs/parameters.md) by its key, with an underscore for the dot:
aggregation_p1=8, or aggregation={"p1": 8}, or its last word where that is unique:
num_disparities=192.

One frame is matched at a time; calls from several threads wait for one another, without
Python's lock. The first frame of a size takes longer: memory is made for it.)")
      .def(py::init([](const std::optional<std::string>& method, const std::string& backend,
                       const std::string& preset, int threads, int device, int memory_limit_mb,
                       py::kwargs keywords) {
             if (method) keywords["method"] = *method;
             return std::make_unique<AnyMatcher>(preset, backend, threads, device, memory_limit_mb, keywords);
           }),
           py::arg("method") = py::none(), py::arg("backend") = "auto", py::kw_only(),
           py::arg("preset") = "default", py::arg("threads") = 0, py::arg("device") = 0,
           py::arg("memory_limit_mb") = 0)
      .def("compute", &Compute, py::arg("left"), py::arg("right") = py::none(), py::kw_only(),
           py::arg("x16") = false, py::arg("stream") = py::none(),
           R"(Matches a pair: a DisparityMap, or with x16=True its int16 array of 1/16 px.

left, right: arrays of one size and type, rectified: uint8 or uint16 (H x W), or uint8
(H x W x 3, RGB). Arrays whose pixels lie side by side in a row are not copied, whatever
their rows' distance. Or left alone, a Frame: as `parallax run` matches it, the number of
disparities taken from its data set unless it was chosen.

Arrays in the memory of a GPU (anything with __dlpack__ or __cuda_array_interface__) give a
DeviceDisparityMap there, before the device is done; nothing goes through the host. stream:
cudaStream_t as a number on which to match; None = one of the matcher's own. Either way in order
with the streams that the arrays name.)")
      .def_property_readonly("backend", &AnyMatcher::backend,
                             "What matches: \"cuda\", \"cpu\" or \"reference\".")
      .def_property_readonly(
          "parameters", [](const AnyMatcher& matcher) { return DictOf(matcher.chosen().parameters); },
          "Every parameter, by its key.")
      .def("__repr__", &MatcherText);

  module.def(
      "parameters", [](const std::string& preset) { return DictOf(LoadChosenParameters(preset).parameters); },
      py::arg("preset") = "default", "Every parameter of a preset or YAML file, by its key.");
}

}  // namespace parallax::python
