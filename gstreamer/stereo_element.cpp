#include "gstreamer/stereo_element.h"

#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "gstreamer/frame_matching.h"
#include "parallax/error.h"

namespace gstreamer = parallax::gstreamer;

GST_DEBUG_CATEGORY_STATIC(parallax_stereo_debug);
#define GST_CAT_DEFAULT parallax_stereo_debug

namespace {

enum class Layout { kSideBySide, kTopBottom };

struct Properties {
  gstreamer::Settings settings;
  gstreamer::Form form;
  Layout layout = Layout::kSideBySide;
  bool respects_qos = true;
};

// The state that changes from frame to frame and with new caps.
struct State {
  // Under the element's lock.
  Properties set;                               // by any thread, at any time
  GstClockTime earliest = GST_CLOCK_TIME_NONE;  // frames before it come too late
  double proportion = 1;
  guint64 num_matched = 0, num_dropped = 0;

  // Used in the streaming thread: the base class delivers caps events and segments between buffers, in order.
  Properties used;                            // a copy of `set`, for the frame in work and for its caps
  std::optional<GstVideoInfo> first, second;  // of "sink" or "left", and of "right"
  GstVideoInfo out{};                         // as negotiated
  std::unique_ptr<gstreamer::FrameMatching> matching;
};

}  // namespace

struct _ParallaxStereo {
  GstAggregator parent;
  State* state;
};

G_DEFINE_TYPE(ParallaxStereo, parallax_stereo, GST_TYPE_AGGREGATOR)

namespace {

// --- pads -----------------------------------------------------------------------
#define PARALLAX_IN_CAPS GST_VIDEO_CAPS_MAKE("{ GRAY8, RGB, GRAY16_LE }")
GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(PARALLAX_IN_CAPS));
GstStaticPadTemplate left_template =
    GST_STATIC_PAD_TEMPLATE("left", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(PARALLAX_IN_CAPS));
GstStaticPadTemplate right_template =
    GST_STATIC_PAD_TEMPLATE("right", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(PARALLAX_IN_CAPS));
GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE("{ GRAY16_LE, RGB }")));

// A reference to the pad of this name, or null.
class Pad {
 public:
  Pad(GstAggregator* aggregator, const char* name)
      : pad_(gst_element_get_static_pad(GST_ELEMENT(aggregator), name)) {}
  ~Pad() {
    if (pad_ != nullptr) gst_object_unref(pad_);
  }
  Pad(const Pad&) = delete;
  Pad& operator=(const Pad&) = delete;
  explicit operator bool() const { return pad_ != nullptr; }
  GstAggregatorPad* get() const { return GST_AGGREGATOR_PAD(pad_); }
  GstBuffer* Peek() const { return gst_aggregator_pad_peek_buffer(get()); }
  void Drop() const { gst_aggregator_pad_drop_buffer(get()); }
  bool IsEos() const { return gst_aggregator_pad_is_eos(get()) != FALSE; }

 private:
  GstPad* pad_;
};

bool IsNamed(GstPad* pad, const char* name) { return g_strcmp0(GST_PAD_NAME(pad), name) == 0; }

// One pad for both images, or two of them.
GstAggregatorPad* CreateNewPad(GstAggregator* aggregator, GstPadTemplate* pad_template, const gchar*,
                               const GstCaps*) {
  const gchar* name = GST_PAD_TEMPLATE_NAME_TEMPLATE(pad_template);
  const bool is_single = g_strcmp0(name, "sink") == 0;
  const Pad same(aggregator, name), sink(aggregator, "sink"), left(aggregator, "left"),
      right(aggregator, "right");
  if (same || (is_single ? (left || right) : static_cast<bool>(sink))) {
    GST_WARNING_OBJECT(aggregator, "no pad %s: link only sink, or left and right, each once", name);
    return nullptr;
  }
  return GST_AGGREGATOR_PAD(g_object_new(GST_TYPE_AGGREGATOR_PAD, "name", name, "direction", GST_PAD_SINK,
                                         "template", pad_template, nullptr));
}

// --- caps -----------------------------------------------------------------------
State& StateOf(GstAggregator* aggregator) { return *PARALLAX_STEREO(aggregator)->state; }

// The properties of this moment, all of them at once.
void TakeProperties(GstAggregator* aggregator) {
  State& state = StateOf(aggregator);
  GST_OBJECT_LOCK(aggregator);
  state.used = state.set;
  GST_OBJECT_UNLOCK(aggregator);
}

// The output format for `used` and the images; nullopt if the images cannot be halved. Needs the images'
// caps.
std::optional<GstVideoInfo> RequestedOutput(GstAggregator* aggregator) {
  const State& state = StateOf(aggregator);
  int width = GST_VIDEO_INFO_WIDTH(&*state.first), height = GST_VIDEO_INFO_HEIGHT(&*state.first);
  if (Pad(aggregator, "sink")) {
    int& halved = state.used.layout == Layout::kSideBySide ? width : height;
    if (halved % 2 != 0) return std::nullopt;
    halved /= 2;
  }
  GstVideoInfo out;
  gst_video_info_set_format(
      &out,
      state.used.form.output == gstreamer::Output::kColor ? GST_VIDEO_FORMAT_RGB : GST_VIDEO_FORMAT_GRAY16_LE,
      static_cast<guint>(width), static_cast<guint>(height));
  out.fps_n = GST_VIDEO_INFO_FPS_N(&*state.first);
  out.fps_d = GST_VIDEO_INFO_FPS_D(&*state.first);
  return out;
}

bool IsNegotiated(GstAggregator* aggregator) {
  const GstVideoInfo& out = StateOf(aggregator).out;
  const std::optional<GstVideoInfo> wanted = RequestedOutput(aggregator);
  return wanted && out.finfo != nullptr && GST_VIDEO_INFO_FORMAT(&*wanted) == GST_VIDEO_INFO_FORMAT(&out) &&
         wanted->width == out.width && wanted->height == out.height && wanted->fps_n == out.fps_n &&
         wanted->fps_d == out.fps_d;
}

GstFlowReturn UpdateSrcCaps(GstAggregator* aggregator, GstCaps* downstream, GstCaps** caps) {
  State& state = StateOf(aggregator);
  if (!state.first) return GST_AGGREGATOR_FLOW_NEED_DATA;
  TakeProperties(aggregator);
  const std::optional<GstVideoInfo> out = RequestedOutput(aggregator);
  if (!out) {
    const bool is_beside = state.used.layout == Layout::kSideBySide;
    GST_ELEMENT_ERROR(aggregator, STREAM, FORMAT,
                      ("images of %dx%d cannot be halved: layout=%s needs an even %s; set layout, or link "
                       "left and right",
                       GST_VIDEO_INFO_WIDTH(&*state.first), GST_VIDEO_INFO_HEIGHT(&*state.first),
                       is_beside ? "side-by-side" : "top-bottom", is_beside ? "width" : "height"),
                      (nullptr));
    return GST_FLOW_ERROR;
  }
  GstCaps* wanted = gst_video_info_to_caps(&*out);
  *caps = downstream == nullptr ? gst_caps_ref(wanted) : gst_caps_intersect(wanted, downstream);
  gst_caps_unref(wanted);
  return GST_FLOW_OK;
}

gboolean NegotiatedSrcCaps(GstAggregator* aggregator, GstCaps* caps) {
  State& state = StateOf(aggregator);
  if (gst_video_info_from_caps(&state.out, caps) == FALSE) return FALSE;
  // A frame's time is a frame's latency: what takes longer is dropped by quality of service.
  const int fps_n = GST_VIDEO_INFO_FPS_N(&state.out), fps_d = GST_VIDEO_INFO_FPS_D(&state.out);
  const GstClockTime frame =
      fps_n > 0 ? gst_util_uint64_scale_int(GST_SECOND, fps_d, fps_n) : GstClockTime{0};
  gst_aggregator_set_latency(aggregator, frame, frame);
  return GST_AGGREGATOR_CLASS(parallax_stereo_parent_class)->negotiated_src_caps(aggregator, caps);
}

// --- events ---------------------------------------------------------------------
gboolean SinkEvent(GstAggregator* aggregator, GstAggregatorPad* pad, GstEvent* event) {
  State& state = StateOf(aggregator);
  const bool is_second = IsNamed(GST_PAD(pad), "right");
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps* caps = nullptr;
    gst_event_parse_caps(event, &caps);
    GstVideoInfo info;
    if (gst_video_info_from_caps(&info, caps) == FALSE) {
      gst_event_unref(event);
      return FALSE;
    }
    (is_second ? state.second : state.first) = info;
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT && !is_second) {
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    gst_aggregator_update_segment(aggregator, segment);
  }
  return GST_AGGREGATOR_CLASS(parallax_stereo_parent_class)->sink_event(aggregator, pad, event);
}

void ForgetQos(GstAggregator* aggregator) {
  GST_OBJECT_LOCK(aggregator);
  StateOf(aggregator).earliest = GST_CLOCK_TIME_NONE;
  StateOf(aggregator).proportion = 1;
  GST_OBJECT_UNLOCK(aggregator);
}

gboolean SrcEvent(GstAggregator* aggregator, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
    GstQOSType type{};
    gdouble proportion = 1;
    GstClockTimeDiff late = 0;
    GstClockTime timestamp = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos(event, &type, &proportion, &late, &timestamp);
    GST_OBJECT_LOCK(aggregator);
    State& state = StateOf(aggregator);
    state.proportion = proportion;
    if (GST_CLOCK_TIME_IS_VALID(timestamp)) {
      // Twice as far as it is late, so that the next frame can be in time again.
      const GstClockTimeDiff ahead = late > 0 ? 2 * late : late;
      state.earliest = ahead < 0 && timestamp < static_cast<GstClockTime>(-ahead)
                           ? 0
                           : timestamp + static_cast<GstClockTime>(ahead);
    } else {
      state.earliest = GST_CLOCK_TIME_NONE;
    }
    GST_OBJECT_UNLOCK(aggregator);
  }
  return GST_AGGREGATOR_CLASS(parallax_stereo_parent_class)->src_event(aggregator, event);
}

GstFlowReturn Flush(GstAggregator* aggregator) {
  ForgetQos(aggregator);
  return GST_FLOW_OK;
}

gboolean Stop(GstAggregator* aggregator) {
  State& state = StateOf(aggregator);
  state.first.reset();
  state.second.reset();
  state.out = {};
  state.matching.reset();
  ForgetQos(aggregator);
  return TRUE;
}

// --- frames ---------------------------------------------------------------------

// A buffer's pixels, while it lives.
class MappedFrame {
 public:
  MappedFrame(const GstVideoInfo& info, GstBuffer* buffer, GstMapFlags flags) {
    GstVideoInfo copy = info;
    is_mapped_ = gst_video_frame_map(&frame_, &copy, buffer, flags) != FALSE;
  }
  ~MappedFrame() {
    if (is_mapped_) gst_video_frame_unmap(&frame_);
  }
  MappedFrame(const MappedFrame&) = delete;
  MappedFrame& operator=(const MappedFrame&) = delete;
  explicit operator bool() const { return is_mapped_; }
  std::uint8_t* data() { return static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, 0)); }
  std::ptrdiff_t stride() const { return GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, 0); }
  gstreamer::OutImage Out() { return {data(), frame_.map[0].size, stride()}; }

  // The part of it that begins at (x, y).
  parallax::CameraImageView View(int x, int y, int width, int height) {
    const auto part = [&]<typename T>(const T*) -> parallax::CameraImageView {
      const auto* first = reinterpret_cast<const T*>(data() + y * stride()) + x;
      return parallax::HostImageView<const T>{first, width, height, stride()};
    };
    switch (GST_VIDEO_FRAME_FORMAT(&frame_)) {
      case GST_VIDEO_FORMAT_RGB:
        return part(static_cast<const parallax::Rgb8*>(nullptr));
      case GST_VIDEO_FORMAT_GRAY16_LE:
        return part(static_cast<const std::uint16_t*>(nullptr));
      default:
        return part(static_cast<const std::uint8_t*>(nullptr));
    }
  }

 private:
  GstVideoFrame frame_;
  bool is_mapped_ = false;
};

// A flush writes it in another thread.
GstSegment SegmentOf(GstAggregatorPad* pad) {
  GST_OBJECT_LOCK(pad);
  const GstSegment segment = pad->segment;
  GST_OBJECT_UNLOCK(pad);
  return segment;
}

// GST_CLOCK_TIME_NONE if the stream counts bytes, as an undecoded file does.
GstClockTime RunningTime(const Pad& pad, GstBuffer* buffer) {
  const GstSegment segment = SegmentOf(pad.get());
  if (segment.format != GST_FORMAT_TIME) return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
}

// When a live stream stops waiting for a frame; not where it counts bytes.
GstClockTime NextTime(GstAggregator* aggregator) {
  const GstSegment segment = SegmentOf(GST_AGGREGATOR_PAD(aggregator->srcpad));
  if (segment.format != GST_FORMAT_TIME) return GST_CLOCK_TIME_NONE;
  return gst_aggregator_simple_get_next_time(aggregator);
}

// Whether the frame comes too late to be worth matching; then says so on the bus.
bool IsTooLate(GstAggregator* aggregator, const Pad& pad, GstBuffer* buffer) {
  State& state = StateOf(aggregator);
  const GstClockTime time = RunningTime(pad, buffer);
  GST_OBJECT_LOCK(aggregator);
  const bool is_late = state.used.respects_qos && GST_CLOCK_TIME_IS_VALID(state.earliest) &&
                       GST_CLOCK_TIME_IS_VALID(time) && time <= state.earliest;
  ++(is_late ? state.num_dropped : state.num_matched);
  const auto jitter = is_late ? static_cast<gint64>(state.earliest - time) : 0;
  const double proportion = state.proportion;
  const guint64 num_matched = state.num_matched, num_dropped = state.num_dropped;
  GST_OBJECT_UNLOCK(aggregator);
  if (!is_late) return false;
  const GstSegment segment = SegmentOf(pad.get());
  GstMessage* message =
      gst_message_new_qos(GST_OBJECT(aggregator), FALSE, time,
                          gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer)),
                          GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer));
  gst_message_set_qos_values(message, jitter, proportion, 1'000'000);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, num_matched, num_dropped);
  gst_element_post_message(GST_ELEMENT(aggregator), message);
  return true;
}

// The matcher for the settings of now.
gstreamer::FrameMatching& Matching(State& state) {
  if (!state.matching || !(state.matching->settings() == state.used.settings)) {
    state.matching.reset();  // its memory first
    state.matching = std::make_unique<gstreamer::FrameMatching>(state.used.settings);
    GST_INFO("matching on %s", std::string(state.matching->backend()).c_str());
  }
  return *state.matching;
}

GstFlowReturn MatchAndPush(GstAggregator* aggregator, GstBuffer* first, GstBuffer* second) {
  State& state = StateOf(aggregator);
  // Reads the properties again; the frame is matched with those.
  if (!IsNegotiated(aggregator)) gst_aggregator_negotiate(aggregator);
  if (!IsNegotiated(aggregator)) {
    return GST_PAD_IS_FLUSHING(GST_AGGREGATOR_SRC_PAD(aggregator)) ? GST_FLOW_FLUSHING
                                                                   : GST_FLOW_NOT_NEGOTIATED;
  }
  GstBuffer* out = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&state.out), nullptr);
  try {
    MappedFrame left(*state.first, first, GST_MAP_READ);
    std::optional<MappedFrame> right;
    if (second != nullptr) right.emplace(*state.second, second, GST_MAP_READ);
    MappedFrame to(state.out, out, GST_MAP_WRITE);
    if (!left || (right && !*right) || !to) throw parallax::Error("a buffer's memory cannot be mapped");
    const int width = GST_VIDEO_INFO_WIDTH(&state.out), height = GST_VIDEO_INFO_HEIGHT(&state.out);
    const bool is_beside = state.used.layout == Layout::kSideBySide;
    const parallax::CameraImageView left_view = left.View(0, 0, width, height);
    const parallax::CameraImageView right_view =
        right ? right->View(0, 0, GST_VIDEO_INFO_WIDTH(&*state.second), GST_VIDEO_INFO_HEIGHT(&*state.second))
              : left.View(is_beside ? width : 0, is_beside ? 0 : height, width, height);
    Matching(state).Match(left_view, right_view, state.used.form, to.Out());
  } catch (const std::exception& error) {
    gst_buffer_unref(out);
    GST_ELEMENT_ERROR(aggregator, LIBRARY, FAILED, ("%s", error.what()), (nullptr));
    return GST_FLOW_ERROR;
  }
  gst_buffer_copy_into(out, first,
                       static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS), 0,
                       static_cast<gsize>(-1));
  if (GST_CLOCK_TIME_IS_VALID(GST_BUFFER_PTS(first))) {
    GST_OBJECT_LOCK(aggregator->srcpad);
    GST_AGGREGATOR_PAD(aggregator->srcpad)->segment.position = GST_BUFFER_PTS(first);
    GST_OBJECT_UNLOCK(aggregator->srcpad);
  }
  return gst_aggregator_finish_buffer(aggregator, out);
}

// Buffers whose running times are nearer than half a frame belong together; the earlier one of others goes.
bool DropUnpaired(GstAggregator* aggregator, const Pad& left, GstBuffer* left_buffer, const Pad& right,
                  GstBuffer* right_buffer) {
  const GstClockTime left_time = RunningTime(left, left_buffer),
                     right_time = RunningTime(right, right_buffer);
  if (!GST_CLOCK_TIME_IS_VALID(left_time) || !GST_CLOCK_TIME_IS_VALID(right_time)) return false;
  const GstVideoInfo& info = *StateOf(aggregator).first;
  const int fps_n = GST_VIDEO_INFO_FPS_N(&info), fps_d = GST_VIDEO_INFO_FPS_D(&info);
  const GstClockTime half =
      fps_n > 0 ? gst_util_uint64_scale_int(GST_SECOND, fps_d, 2 * fps_n) : GstClockTime{20 * GST_MSECOND};
  const GstClockTimeDiff apart = GST_CLOCK_DIFF(left_time, right_time);
  if (static_cast<GstClockTime>(std::abs(apart)) <= half) return false;
  GST_DEBUG_OBJECT(aggregator, "images %" GST_STIME_FORMAT " apart: the earlier one is dropped",
                   GST_STIME_ARGS(apart));
  (apart > 0 ? left : right).Drop();
  return true;
}

GstFlowReturn Aggregate(GstAggregator* aggregator, gboolean) {
  const Pad sink(aggregator, "sink"), left(aggregator, "left"), right(aggregator, "right");
  const Pad& first_pad = sink ? sink : left;
  if (!first_pad || (!sink && !right)) {
    GST_ELEMENT_ERROR(aggregator, CORE, PAD, ("link sink, or both left and right"), (nullptr));
    return GST_FLOW_ERROR;
  }
  GstBuffer* first = first_pad.Peek();
  GstBuffer* second = sink ? nullptr : right.Peek();
  GstFlowReturn flow = GST_FLOW_OK;
  const State& state = StateOf(aggregator);
  if (first == nullptr || (!sink && second == nullptr)) {
    const bool is_over =
        (first == nullptr && first_pad.IsEos()) || (!sink && second == nullptr && right.IsEos());
    flow = is_over ? GST_FLOW_EOS : GST_AGGREGATOR_FLOW_NEED_DATA;
  } else if (!state.first || (!sink && !state.second)) {
    flow = GST_FLOW_NOT_NEGOTIATED;  // images without caps
  } else if (sink || !DropUnpaired(aggregator, left, first, right, second)) {
    first_pad.Drop();
    if (!sink) right.Drop();
    TakeProperties(aggregator);
    if (!IsTooLate(aggregator, first_pad, first)) flow = MatchAndPush(aggregator, first, second);
  }
  if (first != nullptr) gst_buffer_unref(first);
  if (second != nullptr) gst_buffer_unref(second);
  return flow;
}

// --- properties -----------------------------------------------------------------
enum Property {
  kPreset = 1,
  kParameters,
  kBackend,
  kThreads,
  kDevice,
  kLayout,
  kOutput,
  kFx,
  kBaseline,
  kDoffs,
  kColorMax,
  kShowFilled,
  kQos
};

GType LayoutType() {
  static const GEnumValue values[] = {{0, "Left image to the left of the right one", "side-by-side"},
                                      {1, "Left image above the right one", "top-bottom"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("ParallaxStereoLayout", values);
  return type;
}
GType OutputType() {
  static const GEnumValue values[] = {{0, "GRAY16_LE, px * 256, 0 = none", "disparity"},
                                      {1, "GRAY16_LE, mm, 0 = none; needs fx and baseline", "depth"},
                                      {2, "RGB, near is light, black = none", "color"},
                                      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("ParallaxStereoOutput", values);
  return type;
}

void SetProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  const auto text = [value] {
    const gchar* given = g_value_get_string(value);
    return std::string(given == nullptr ? "" : given);
  };
  GST_OBJECT_LOCK(object);
  auto& [settings, form, layout, respects_qos] = StateOf(GST_AGGREGATOR(object)).set;
  switch (id) {
    case kPreset:
      settings.preset = text();
      break;
    case kParameters:
      settings.parameters = text();
      break;
    case kBackend:
      settings.backend = text();
      break;
    case kThreads:
      settings.threads = g_value_get_int(value);
      break;
    case kDevice:
      settings.device = g_value_get_int(value);
      break;
    case kLayout:
      layout = static_cast<Layout>(g_value_get_enum(value));
      break;
    case kOutput:
      form.output = static_cast<gstreamer::Output>(g_value_get_enum(value));
      break;
    case kFx:
      form.rig.fx_px = g_value_get_double(value);
      break;
    case kBaseline:
      form.rig.baseline_m = g_value_get_double(value);
      break;
    case kDoffs:
      form.rig.doffs_px = g_value_get_double(value);
      break;
    case kColorMax:
      form.color_max = g_value_get_double(value);
      break;
    case kShowFilled:
      form.show_filled = g_value_get_boolean(value) != FALSE;
      break;
    case kQos:
      respects_qos = g_value_get_boolean(value) != FALSE;
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  GST_OBJECT_UNLOCK(object);
}

void GetProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  GST_OBJECT_LOCK(object);
  const auto& [settings, form, layout, respects_qos] = StateOf(GST_AGGREGATOR(object)).set;
  switch (id) {
    case kPreset:
      g_value_set_string(value, settings.preset.c_str());
      break;
    case kParameters:
      g_value_set_string(value, settings.parameters.c_str());
      break;
    case kBackend:
      g_value_set_string(value, settings.backend.c_str());
      break;
    case kThreads:
      g_value_set_int(value, settings.threads);
      break;
    case kDevice:
      g_value_set_int(value, settings.device);
      break;
    case kLayout:
      g_value_set_enum(value, static_cast<int>(layout));
      break;
    case kOutput:
      g_value_set_enum(value, static_cast<int>(form.output));
      break;
    case kFx:
      g_value_set_double(value, form.rig.fx_px);
      break;
    case kBaseline:
      g_value_set_double(value, form.rig.baseline_m);
      break;
    case kDoffs:
      g_value_set_double(value, form.rig.doffs_px);
      break;
    case kColorMax:
      g_value_set_double(value, form.color_max);
      break;
    case kShowFilled:
      g_value_set_boolean(value, form.show_filled ? TRUE : FALSE);
      break;
    case kQos:
      g_value_set_boolean(value, respects_qos ? TRUE : FALSE);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
  GST_OBJECT_UNLOCK(object);
}

void Finalize(GObject* object) {
  delete PARALLAX_STEREO(object)->state;
  G_OBJECT_CLASS(parallax_stereo_parent_class)->finalize(object);
}

void InstallProperties(GObjectClass* object_class) {
  constexpr auto kFlags =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  const auto add = [object_class](Property id, GParamSpec* spec) {
    g_object_class_install_property(object_class, id, spec);
  };
  add(kPreset, g_param_spec_string("preset", "Preset", "A preset's name or a YAML file of parameters",
                                   "default", kFlags));
  add(kParameters, g_param_spec_string(
                       "parameters", "Parameters",
                       "Further parameters: aggregation.p1=8,matching_cost.num_disparities=64", "", kFlags));
  add(kBackend, g_param_spec_string("backend", "Back end", "auto, cuda, cpu or reference", "auto", kFlags));
  add(kThreads,
      g_param_spec_int("threads", "Threads", "Of the CPU back ends; 0 = one per core", 0, 1024, 0, kFlags));
  add(kDevice, g_param_spec_int("device", "Device", "CUDA device", 0, 1023, 0, kFlags));
  add(kLayout, g_param_spec_enum("layout", "Layout", "Arrangement of both images in those of the pad sink",
                                 LayoutType(), 0, kFlags));
  add(kOutput, g_param_spec_enum("output", "Output", "Output format", OutputType(), 0, kFlags));
  add(kFx, g_param_spec_double("fx", "Focal length", "px, for depth", 0, 1e6, 0, kFlags));
  add(kBaseline, g_param_spec_double("baseline", "Baseline", "Distance between the cameras, m, for depth", 0,
                                     1e6, 0, kFlags));
  add(kDoffs, g_param_spec_double("doffs", "Offset",
                                  "cx of the right camera minus that of the left one, px, for depth", -1e6,
                                  1e6, 0, kFlags));
  add(kColorMax,
      g_param_spec_double("color-max", "Lightest disparity",
                          "px, for output=color; 0 = the largest one searched", 0, 1e6, 0, kFlags));
  add(kShowFilled,
      g_param_spec_boolean("show-filled", "Show filled",
                           "For output=color: pixels that were filled are not paler", FALSE, kFlags));
  add(kQos, g_param_spec_boolean("qos", "QoS", "Drop frames that would come too late", TRUE, kFlags));
}

}  // namespace

static void parallax_stereo_init(ParallaxStereo* self) { self->state = new State; }

static void parallax_stereo_class_init(ParallaxStereoClass* klass) {
  GST_DEBUG_CATEGORY_INIT(parallax_stereo_debug, "parallaxstereo", 0, "stereo matching");
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = SetProperty;
  object_class->get_property = GetProperty;
  object_class->finalize = Finalize;
  InstallProperties(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  for (GstStaticPadTemplate* pad : {&sink_template, &left_template, &right_template}) {
    gst_element_class_add_static_pad_template_with_gtype(element_class, pad, GST_TYPE_AGGREGATOR_PAD);
  }
  gst_element_class_add_static_pad_template_with_gtype(element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_set_static_metadata(element_class, "Stereo matcher", "Filter/Effect/Video",
                                        "Rectified stereo images to disparity, depth or a picture of it",
                                        "parallax");

  GstAggregatorClass* aggregator_class = GST_AGGREGATOR_CLASS(klass);
  aggregator_class->create_new_pad = CreateNewPad;
  aggregator_class->update_src_caps = UpdateSrcCaps;
  aggregator_class->negotiated_src_caps = NegotiatedSrcCaps;
  aggregator_class->sink_event = SinkEvent;
  aggregator_class->src_event = SrcEvent;
  aggregator_class->flush = Flush;
  aggregator_class->stop = Stop;
  aggregator_class->aggregate = Aggregate;
  aggregator_class->get_next_time = NextTime;
  gst_type_mark_as_plugin_api(LayoutType(), static_cast<GstPluginAPIFlags>(0));
  gst_type_mark_as_plugin_api(OutputType(), static_cast<GstPluginAPIFlags>(0));
}
