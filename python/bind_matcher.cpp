// Matcher, PairQueue and what they give.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/frame_parameters.h"
#include "config/parameter_text.h"
#include "parallax/error.h"
#include "parallax/matcher.h"
#include "parallax/pair_queue.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/device_arrays.h"

namespace parallax::python {
namespace {

// --- parameters ---------------------------------------------------------------

// The key that a keyword means: "aggregation_p1", or the key itself.
std::string KeyOf(const std::string& keyword) {
  std::vector<std::string> words{"backend", "check",         "num_threads",
                                 "threads", "num_in_flight", "memory_limit_bytes"};
  std::map<std::string, std::string> keyword_of{{"threads", "num_threads"}};  // what a word may have meant
  for (const std::string& key : ParameterKeys()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '.', '_');
    if (keyword == key || keyword == name) return key;
    const std::string last_word = key.substr(key.find('.') + 1);
    words.insert(words.end(), {name, last_word});
    keyword_of.try_emplace(last_word, name);
  }
  const std::string nearest = NearestName(keyword, words);
  const auto found = keyword_of.find(nearest);
  throw InvalidArgument(
      "unknown parameter '" + keyword + "'" +
      (nearest.empty() ? ": parallax.preset() has them all"
                       : ": did you mean " + (found == keyword_of.end() ? nearest : found->second) + "?"));
}

std::string ValueText(py::handle value, const std::string& key) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) return py::str(value);
  if (py::hasattr(value, "item") && !PyType_Check(value.ptr())) return ValueText(value.attr("item")(), key);
  throw py::type_error(key + " has type " + std::string(Py_TYPE(value.ptr())->tp_name) + ": use one value, " +
                       ParameterRange(key));
}

ChosenParameters ParametersFrom(const std::string& preset, const py::kwargs& keywords, AutoRange auto_range) {
  ChosenParameters chosen = LoadChosenParameters(preset, {}, auto_range);
  for (const auto& [name, value] : keywords) {
    const std::string key = KeyOf(name.cast<std::string>());
    if (const auto fault = SetChosen(chosen, key, ValueText(value, key), auto_range))
      throw InvalidArgument(key + ' ' + *fault);
  }
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

py::array FixedPoint(const MatchResult& result) {
  const HostImageView<const float> disparity = result.disparity;
  py::array_t<std::int16_t> steps({py::ssize_t{disparity.height}, py::ssize_t{disparity.width}});
  const HostImageView<std::int16_t> to(steps.mutable_data(), disparity.width, disparity.height);
  const py::gil_scoped_release release;
  ToFixedPoint(disparity, result.parameters().matching_cost.min_disparity, to);
  return steps;
}

StereoRig Given(const StereoRig* rig) { return rig != nullptr ? *rig : StereoRig{}; }

PointCloud CloudOf(const MatchResult& result, const StereoRig* rig, const py::object& left) {
  CameraImageArgument image;
  if (!left.is_none()) image = CameraImageOf(left, "image");
  const py::gil_scoped_release release;
  return result.Cloud(Given(rig), image.view);
}

// --- the matchers ---------------------------------------------------------------

// Calls a function of parallax._calibrate on a pair on the host. left, right: the images as given. is_raw:
// the result was made from rectified copies of them.
py::object Told(const char* function, const MatchResult& result, const CameraImageView& left,
                const CameraImageView& right, bool is_raw) {
  const RectifiedPair& pair = result.rectified;
  const bool is_as_given = WidthOf(ViewOf(pair.left)) == 0;
  const MatchingCostParameters& cost = result.parameters().matching_cost;
  return CalibrateModule().attr(function)(ArrayOf(is_as_given ? left : ViewOf(pair.left), py::none()),
                                          ArrayOf(is_as_given ? right : ViewOf(pair.right), py::none()),
                                          pair.rig.fx_px > 0 ? std::optional(pair.rig) : std::nullopt, is_raw,
                                          cost.min_disparity, cost.num_disparities);
}

// Warns where the first pairs of a Matcher look as if every disparity were wrong: images exchanged or not
// rectified, a calibration of another size, too small a range of disparities. Silent without OpenCV.
constexpr int kFirstPairs = 3;
class FirstPairs {
 public:
  explicit FirstPairs(bool check) : num_left_(check ? kFirstPairs : 0) {}

  void Look(const MatchResult& result, const CameraImageView& left, const CameraImageView& right,
            bool is_raw) {
    if (num_left_ <= 0) return;
    --num_left_;
    py::object told;
    try {
      told = Told("fault_line_of", result, left, right, is_raw);
    } catch (const Error&) {
      num_left_ = 0;
      return;
    }
    if (told.is_none()) return;  // too little texture to tell
    num_left_ = 0;
    const auto text = told.cast<std::string>();
    const py::object category = py::module_::import("parallax._native").attr("PairWarning");
    constexpr int kCaller = 2;  // of compute(), which has a frame of its own in __init__.py
    if (!text.empty() && PyErr_WarnEx(category.ptr(), text.c_str(), kCaller) != 0)
      throw py::error_already_set();
  }

 private:
  int num_left_;  // guarded by Python's lock
};

class PythonMatcher {
 public:
  PythonMatcher(const std::string& preset, const Machine& machine, bool check, const py::kwargs& keywords)
      : first_pairs(check),
        preset_(preset),
        machine_(machine),
        chosen_(ParametersFrom(preset, keywords, AutoRange::kTaken)),
        matcher_(Make(chosen_.parameters)) {
    if (chosen_.is_range_auto) CalibrateModule("matching_cost_num_disparities=\"auto\"");
  }

  FirstPairs first_pairs;
  const ChosenParameters& chosen() const { return chosen_; }
  OfOneProcess<Matcher> matcher() const { return matcher_; }
  // If the range of disparities is to be found from the first pairs: takes the first of at most three pairs
  // that shows enough. Returns true if this pair has to be matched again.
  bool ChooseRange(const MatchResult& result, const CameraImageView& left, const CameraImageView& right,
                   bool is_raw) {
    if (!chosen_.is_range_auto) return false;
    const auto range =
        Told("range_of", result, left, right, is_raw).cast<std::optional<std::pair<int, int>>>();
    if (!chosen_.is_range_auto) return true;  // another thread chose meanwhile
    if (!range && --num_to_choose_from_ > 0) return false;
    const MatchingCostParameters& cost = chosen_.parameters.matching_cost;
    const auto [min_disparity, num_disparities] =
        range.value_or(std::pair(cost.min_disparity, cost.num_disparities));
    SetAutoRange(min_disparity, num_disparities, chosen_);
    if (range) matcher_ = Make(chosen_.parameters);
    return range.has_value();
  }
  // The matcher for a frame whose data set may state the number of disparities.
  OfOneProcess<Matcher> MatcherFor(const StereoFrame& frame) {
    StereoFrame decimated;  // its hint alone
    const int factor = chosen_.parameters.live.decimation;
    if (frame.num_disparities_hint) {
      decimated.num_disparities_hint = (*frame.num_disparities_hint + factor - 1) / factor;
    }
    const Parameters parameters = ParametersOfFrame(decimated, chosen_);
    if (parameters == chosen_.parameters) return matcher_;
    const std::scoped_lock lock(mutex_);
    if (!of_frames_ || (**of_frames_).parameters() != parameters) of_frames_ = Make(parameters);
    return *of_frames_;
  }

 private:
  OfOneProcess<Matcher> Make(const Parameters& parameters) const {
    return OfOneProcess<Matcher>("Matcher", new Matcher(parameters, machine_, preset_));
  }

  const std::string preset_;
  const Machine machine_;
  ChosenParameters chosen_;  // guarded by Python's lock, as the next two
  int num_to_choose_from_ = kFirstPairs;
  OfOneProcess<Matcher> matcher_;
  std::mutex mutex_;
  std::optional<OfOneProcess<Matcher>> of_frames_;  // the last one that took another number of disparities
};

struct PythonQueue {
  OfOneProcess<PairQueue> queue;
  std::mutex mutex;
};

std::unique_ptr<MatchResult> ComputeOnHost(Matcher& matcher, const CameraImageView& left,
                                           const CameraImageView& right, const Rig* rig) {
  const py::gil_scoped_release release;
  return std::make_unique<MatchResult>(rig != nullptr ? matcher.Compute(left, right, *rig)
                                                      : matcher.Compute(left, right));
}

// is_stated: the number of disparities is the data set's.
template <typename MatcherOf>
std::unique_ptr<MatchResult> ComputeAndLook(PythonMatcher& self, const MatcherOf& matcher,
                                            const CameraImageView& left, const CameraImageView& right,
                                            const Rig* rig, bool was_raw = false, bool is_stated = false) {
  const bool is_raw = was_raw || (rig != nullptr && rig->IsRaw(WidthOf(left), HeightOf(left)));
  auto result = ComputeOnHost(*matcher(), left, right, rig);
  if (!is_stated && self.ChooseRange(*result, left, right, is_raw))
    result = ComputeOnHost(*matcher(), left, right, rig);
  self.first_pairs.Look(*result, left, right, is_raw);
  return result;
}

std::unique_ptr<MatchResult> ComputeFrame(PythonMatcher& self, const StereoFrame& frame, const Rig* rig) {
  if (rig == nullptr && !frame.rectified) {
    throw InvalidArgument("the frame's images are raw: give their rig too, compute(frame, rig=...)");
  }
  std::optional<Rig> of_frame;
  if (rig == nullptr && frame.rig) rig = &of_frame.emplace(*frame.rig);
  const bool is_stated = frame.num_disparities_hint && !self.chosen().IsChosen(kNumDisparitiesKey);
  return ComputeAndLook(
      self, [&] { return self.MatcherFor(frame); }, ViewOf(frame.left), ViewOf(frame.right), rig,
      frame.seen != nullptr, is_stated);
}

std::shared_ptr<DeviceMatched> Enqueue(Matcher& matcher, const py::object& left, const py::object& right,
                                       std::optional<std::int64_t> stream) {
  const auto as_pointer = [](std::int64_t number) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(number == 1 ? 0 : number));
  };
  const auto without_lock = [](auto function) {
    const py::gil_scoped_release release;
    return function();
  };
  void* const used = stream ? as_pointer(*stream) : without_lock([&] { return matcher.stream(); });
  DeviceImageArgument left_image = DeviceImageOf(left, "left image", used);
  DeviceImageArgument right_image = DeviceImageOf(right, "right image", used);
  auto result = without_lock([&] {
    for (const DeviceImageArgument* image : {&left_image, &right_image}) {
      if (image->stream && as_pointer(*image->stream) != used)
        matcher.Order(used, as_pointer(*image->stream));
    }
    return matcher.Enqueue(left_image.view, right_image.view, used);
  });
  return std::make_shared<DeviceMatched>(
      DeviceMatched{std::move(left_image.owner), std::move(right_image.owner), std::move(result)});
}

py::object Compute(PythonMatcher& self, const py::object& left, const py::object& right, const Rig* rig,
                   std::optional<std::int64_t> stream) {
  const OfOneProcess<Matcher> matcher = self.matcher();
  if (IsOnDevice(left) || IsOnDevice(right)) {
    if (rig != nullptr) throw InvalidArgument("rig is for arrays on the host: rectify those on a GPU first");
    if (self.chosen().is_range_auto)
      throw InvalidArgument("the range of disparities is chosen from arrays on the host: set a number");
    return py::cast(Enqueue(*matcher, left, right, stream));
  }
  if (stream) throw InvalidArgument("stream is for arrays on a GPU: leave it out for those on the host");
  if (right.is_none() && py::isinstance<StereoFrame>(left)) {
    return py::cast(ComputeFrame(self, left.cast<const StereoFrame&>(), rig));
  }
  const PairArgument pair = PairOf(left, right);
  return py::cast(ComputeAndLook(
      self, [&] { return self.matcher(); }, pair.left.view, pair.right.view, rig));
}

void Submit(PythonQueue& self, const py::object& left, const py::object& right, const Rig* rig) {
  const PairArgument pair = PairOf(left, right);
  const py::gil_scoped_release release;
  PairQueue& queue = *self.queue;
  const std::scoped_lock lock(self.mutex);
  if (rig != nullptr) return queue.Submit(pair.left.view, pair.right.view, *rig);
  queue.Submit(pair.left.view, pair.right.view);
}

std::unique_ptr<MatchResult> Collect(PythonQueue& self) {
  const py::gil_scoped_release release;
  PairQueue& queue = *self.queue;
  const std::scoped_lock lock(self.mutex);
  return std::make_unique<MatchResult>(queue.Collect());
}

}  // namespace

void BindMatcher(py::module_& module) {
  for (const auto& [name, bits] : {std::pair<const char*, int>{"NOT_UNIQUE", kNotUnique},
                                   {"OCCLUDED", kOccluded},
                                   {"MISMATCHED", kMismatched},
                                   {"OUT_OF_RANGE", kOutOfRange},
                                   {"SPECKLE", kSpeckle},
                                   {"FILLED", kFilled},
                                   {"OUT_OF_LIMITS", kOutOfLimits}}) {
    module.attr(name) = bits;
  }
  const auto image_of = [](auto member) {
    return [member](py::object self) { return ArrayOf((self.cast<MatchResult&>().*member).View(), self); };
  };
  py::class_<MatchResult>(module, "MatchResult")
      .def_property_readonly("disparity", image_of(&MatchResult::disparity))
      .def_property_readonly("confidence", image_of(&MatchResult::confidence))
      .def_property_readonly("validity", image_of(&MatchResult::validity))
      .def_property_readonly("x16", &FixedPoint)
      .def_property_readonly("parameters",
                             [](const MatchResult& result) { return DictOf(result.parameters()); })
      .def_readonly("rectified", &MatchResult::rectified)
      .def(
          "depth",
          [](const MatchResult& result, const StereoRig* rig) {
            return ArrayFrom([&] { return result.Depth(Given(rig)); });
          },
          py::arg("rig") = py::none())
      .def("sigma", [](const MatchResult& result) { return ArrayFrom([&] { return result.Sigma(); }); })
      .def(
          "depth_sigma",
          [](const MatchResult& result, const StereoRig* rig) {
            return ArrayFrom([&] { return result.DepthSigma(Given(rig)); });
          },
          py::arg("rig") = py::none())
      .def("cloud", &CloudOf, py::arg("rig") = py::none(), py::arg("left") = py::none())
      .def("__repr__", [](const MatchResult& result) {
        return "<parallax.MatchResult " + std::to_string(result.disparity.height()) + " x " +
               std::to_string(result.disparity.width()) + ">";
      });

  BindDeviceArrays(module);
  py::class_<PythonMatcher>(module, "Matcher")
      .def(py::init([](const std::string& preset, const std::string& backend, int num_threads, int device,
                       std::size_t memory_limit_bytes, bool check, const py::kwargs& keywords) {
             return std::make_unique<PythonMatcher>(
                 preset, Machine{backend, num_threads, device, memory_limit_bytes}, check, keywords);
           }),
           py::arg("preset") = "default", py::arg("backend") = "auto", py::kw_only(),
           py::arg("num_threads") = 0, py::arg("device") = 0, py::arg("memory_limit_bytes") = 0,
           py::arg("check") = true)
      .def("compute", &Compute, py::arg("left"), py::arg("right") = py::none(), py::arg("rig") = py::none(),
           py::kw_only(), py::arg("stream") = py::none())
      .def_property_readonly("backend", [](const PythonMatcher& self) { return (*self.matcher()).backend(); })
      .def_property_readonly("parameters",
                             [](const PythonMatcher& self) { return DictOf(self.chosen().parameters); });
  py::class_<PythonQueue>(module, "PairQueue")
      .def(py::init([](const std::string& preset, const std::string& backend, int num_in_flight,
                       int num_threads, int device, std::size_t memory_limit_bytes,
                       const py::kwargs& keywords) {
             auto* queue =
                 new PairQueue(ParametersFrom(preset, keywords, AutoRange::kRefused).parameters,
                               {backend, num_threads, device, memory_limit_bytes}, num_in_flight, preset);
             return std::unique_ptr<PythonQueue>(new PythonQueue{{"PairQueue", queue}, {}});
           }),
           py::arg("preset") = "default", py::arg("backend") = "auto", py::kw_only(),
           py::arg("num_in_flight") = 0, py::arg("num_threads") = 0, py::arg("device") = 0,
           py::arg("memory_limit_bytes") = 0)
      .def("submit", &Submit, py::arg("left"), py::arg("right"), py::arg("rig") = py::none())
      .def("collect", &Collect)
      .def("is_full", [](PythonQueue& self) { return (*self.queue).IsFull(); })
      .def_property_readonly("in_flight", [](PythonQueue& self) { return (*self.queue).in_flight(); });

  module.def(
      "preset", [](const std::string& name) { return DictOf(Preset(name)); }, py::arg("name") = "default");
}

}  // namespace parallax::python
