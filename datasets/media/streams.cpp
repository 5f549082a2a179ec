// Pipelines of GStreamer as devices that give pictures.
#include "parallax/error.h"

#if PARALLAX_GSTREAMER

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/media/functions.h"

namespace parallax::media {
namespace {

constexpr std::ptrdiff_t kMostWaiting = 4;                   // pictures a sink
constexpr std::chrono::milliseconds kForFirstPicture{5000};  // how long errors of the start are looked for
constexpr std::chrono::milliseconds kBetweenQuestions{10};
constexpr double kMostAge_s = 1;  // a buffer that claims to be older, or of the future, has another clock

// Formats that need no conversion come first.
constexpr char kTaken[] =
    "video/x-raw, format={ RGB, GRAY8, GRAY16_LE, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, I420, YV12, NV12, "
    "NV21, "
    "YUY2, UYVY, Y42B, Y444 }";

template <typename T, auto Free>
struct Freeing {
  void operator()(T* object) const { Free(object); }
};
using Element = std::unique_ptr<GstElement, Freeing<GstElement, [](GstElement* e) { gst_object_unref(e); }>>;
using Sample = std::unique_ptr<GstSample, Freeing<GstSample, [](GstSample* s) { gst_sample_unref(s); }>>;
using Message = std::unique_ptr<GstMessage, Freeing<GstMessage, [](GstMessage* m) { gst_message_unref(m); }>>;
using FreeText = Freeing<char, [](char* text) { g_free(text); }>;
using FreeGError = Freeing<GError, [](GError* error) { g_error_free(error); }>;

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

// Whether the line sets this property of some element.
bool IsSet(const std::string& line, const std::string& key) {
  for (std::size_t at = line.find(key + "="); at != std::string::npos; at = line.find(key + "=", at + 1)) {
    if (at == 0 || line[at - 1] == ' ') return true;
  }
  return false;
}

void Begin() {
  static std::once_flag begun;
  std::call_once(begun, [] {
    gst_segtrap_set_enabled(FALSE);
    GError* error = nullptr;
    if (gst_init_check(nullptr, nullptr, &error) == FALSE) {
      const std::unique_ptr<GError, FreeGError> freed(error);
      throw Error("GStreamer cannot be started: " +
                  OneLine(error != nullptr ? error->message : "no reason given"));
    }
  });
}

template <typename T>
CameraImage CopyOf(const GstVideoFrame& frame) {
  const int width = GST_VIDEO_FRAME_WIDTH(&frame), height = GST_VIDEO_FRAME_HEIGHT(&frame);
  HostImage<T> image(width, height);
  const auto* data = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  for (int y = 0; y < height; ++y) {
    std::memcpy(image.Row(y), data + static_cast<std::ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
                static_cast<std::size_t>(width) * sizeof(T));
  }
  return image;
}

// Converts formats that OpenCV and the matchers do not take.
class Converter {
 public:
  Converter() = default;
  ~Converter() { Free(); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  CameraImage ToRgb(const GstVideoInfo& info, GstBuffer* buffer) {
    if (converter_ == nullptr || gst_video_info_is_equal(&info, &in_) == FALSE) {
      Free();
      in_ = info;
      gst_video_info_set_format(&out_, GST_VIDEO_FORMAT_RGB, static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                                static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
      out_.fps_n = info.fps_n;
      out_.fps_d = info.fps_d;
      out_.interlace_mode = info.interlace_mode;
      converter_ = gst_video_converter_new(&in_, &out_, nullptr);
      converted_ = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&out_), nullptr);
    }
    GstVideoFrame frame, rgb;
    if (converter_ == nullptr || gst_video_frame_map(&rgb, &out_, converted_, GST_MAP_WRITE) == FALSE)
      throw Error("GStreamer cannot convert to RGB from " +
                  std::string(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info))));
    const bool is_mapped = gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) == TRUE;
    CameraImage image;
    if (is_mapped) {
      gst_video_converter_frame(converter_, &frame, &rgb);
      gst_video_frame_unmap(&frame);
      image = CopyOf<Rgb8>(rgb);
    }
    gst_video_frame_unmap(&rgb);
    if (!is_mapped) throw Error("GStreamer cannot access the pixels of a picture");
    return image;
  }

 private:
  void Free() {
    if (converter_ != nullptr) gst_video_converter_free(converter_);
    if (converted_ != nullptr) gst_buffer_unref(converted_);
    converter_ = nullptr;
    converted_ = nullptr;
  }

  GstVideoConverter* converter_ = nullptr;
  GstVideoInfo in_{}, out_{};
  GstBuffer* converted_ = nullptr;
};

// A pipeline that plays.
class GstreamerStream final : public LiveDevice {
 public:
  GstreamerStream(const std::string& line, std::string label, std::shared_ptr<HostMemory> image_memory)
      : label_(std::move(label)), image_memory_(std::move(image_memory)) {
    Begin();
    Parse(line);
    FindSinks();
    Adjust(line);
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_.get()), MonotonicClock());
    const GstStateChangeReturn change = gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    try {
      AwaitStart(change);
    } catch (...) {
      Close();
      throw;
    }
  }
  ~GstreamerStream() override { Close(); }
  GstreamerStream(const GstreamerStream&) = delete;
  GstreamerStream& operator=(const GstreamerStream&) = delete;

  int num_streams() const override { return static_cast<int>(sinks_.size()); }
  bool HasEnded() const override { return has_ended_; }
  std::size_t num_damaged() const override { return num_damaged_; }
  std::size_t num_overrun() const override { return num_overrun_; }
  bool has_capture_times() const override { return has_capture_times_; }

  std::optional<LivePicture> Next(std::chrono::milliseconds longest) override {
    Arrival arrival;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait_for(lock, longest, [this] { return !waiting_.empty(); });
      if (!waiting_.empty()) {
        arrival = std::move(waiting_.front());
        waiting_.erase(waiting_.begin());
      }
    }
    if (!arrival.sample) {
      AskBus();
      return std::nullopt;
    }
    return PictureOf(arrival);
  }

 private:
  struct Arrival {
    Sample sample;
    int side = 0;
    double time_s = 0;
  };
  struct Sink {
    GstreamerStream* stream = nullptr;
    Element element;
    int side = 0;
    std::shared_ptr<Converter> converter = std::make_shared<Converter>();
  };

  // --- making ---------------------------------------------------------------------
  void Parse(const std::string& line) {
    GError* error = nullptr;
    pipeline_.reset(gst_parse_launch_full(line.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error));
    if (error != nullptr) {
      const std::unique_ptr<GError, FreeGError> freed(error);
      std::string help = "try it with gst-launch-1.0";
      if (error->code == GST_PARSE_ERROR_NO_SUCH_ELEMENT)
        help =
            "is it spelt so, and its package installed (gstreamer1.0-plugins-good, -bad, "
            "gstreamer1.0-libav)?";
      throw Error("gst:" + line + ": " + OneLine(error->message) + ": " + help);
    }
    if (!pipeline_) throw Error("gst:" + line + ": is not a pipeline: try it with gst-launch-1.0");
    if (GST_IS_PIPELINE(pipeline_.get())) return;
    GstElement* only = pipeline_.release();
    pipeline_.reset(gst_pipeline_new(nullptr));
    gst_object_ref_sink(pipeline_.get());
    gst_bin_add(GST_BIN(pipeline_.get()), only);
  }

  template <typename Visit>
  void ForEachElement(const Visit& visit) const {
    GstIterator* all = gst_bin_iterate_recurse(GST_BIN(pipeline_.get()));
    GValue item = G_VALUE_INIT;
    while (gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
      visit(GST_ELEMENT(g_value_get_object(&item)));
      g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(all);
  }

  void FindSinks() {
    std::vector<GstElement*> found;  // bins name the last one first
    ForEachElement([&](GstElement* element) {
      if (GST_IS_APP_SINK(element)) found.insert(found.begin(), element);
    });
    if (found.empty() || found.size() > 2) {
      throw Error(
          label_ + ": has " + (found.empty() ? "no appsink" : std::to_string(found.size()) + " appsinks") +
          ": end the pipeline in one appsink for pictures that hold both images (... ! videoconvert ! "
          "appsink), or in two, appsink name=left and appsink name=right");
    }
    const auto is_named = [](GstElement* element, const char* name) {
      return g_strcmp0(GST_ELEMENT_NAME(element), name) == 0;
    };
    if (found.size() == 2 && (is_named(found[0], "right") || is_named(found[1], "left")))
      std::swap(found[0], found[1]);
    for (GstElement* element : found) {
      auto sink = std::make_unique<Sink>();
      sink->stream = this;
      sink->element.reset(GST_ELEMENT(gst_object_ref(element)));
      sink->side = static_cast<int>(sinks_.size());
      sinks_.push_back(std::move(sink));
    }
  }

  // Sets what gst-launch leaves open: sinks take raw video and keep the newest picture; network sources add
  // time stamps.
  void Adjust(const std::string& line) {
    bool from_network = false, has_source = false;
    is_finite_ = true;
    told_sync_ = IsSet(line, "sync");
    ForEachElement([&](GstElement* element) {
      // libcamerasrc does not say that it is a source.
      const bool begins = element->numsinkpads == 0 && element->numsrcpads > 0;
      if (!begins && !GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SOURCE)) return;
      has_source = true;
      const char* kind =
          gst_element_class_get_metadata(GST_ELEMENT_GET_CLASS(element), GST_ELEMENT_METADATA_KLASS);
      const std::string_view klass = kind != nullptr ? kind : "";
      GObjectClass* properties = G_OBJECT_GET_CLASS(element);
      gint num_buffers = -1;
      if (g_object_class_find_property(properties, "num-buffers") != nullptr)
        g_object_get(element, "num-buffers", &num_buffers, nullptr);
      if (klass.find("File") == std::string_view::npos && num_buffers < 0) is_finite_ = false;
      if (klass.find("Network") == std::string_view::npos) return;
      from_network = true;
      if (g_object_class_find_property(properties, "do-timestamp") != nullptr && !IsSet(line, "do-timestamp"))
        g_object_set(element, "do-timestamp", TRUE, nullptr);
    });
    if (!has_source) throw Error(label_ + ": has no source of pictures: begin it with v4l2src, rtspsrc, ...");
    for (const auto& sink : sinks_) {
      auto* app_sink = GST_APP_SINK(sink->element.get());
      GstCaps* told = gst_app_sink_get_caps(app_sink);
      if (told == nullptr) {
        GstCaps* raw = gst_caps_from_string(kTaken);
        gst_app_sink_set_caps(app_sink, raw);
        gst_caps_unref(raw);
      } else {
        gst_caps_unref(told);
      }
      if (from_network && !told_sync_) g_object_set(app_sink, "sync", FALSE, nullptr);
      GstAppSinkCallbacks callbacks{};
      callbacks.new_sample = [](GstAppSink* from, gpointer data) {
        auto* to = static_cast<Sink*>(data);
        to->stream->Take(gst_app_sink_pull_sample(from), to->side);
        return GST_FLOW_OK;
      };
      gst_app_sink_set_callbacks(app_sink, &callbacks, sink.get(), nullptr);
    }
  }

  static GstClock* MonotonicClock() {
    static GstClock* const monotonic = gst_system_clock_obtain();
    return monotonic;
  }

  void AwaitStart(GstStateChangeReturn change) {
    if (change == GST_STATE_CHANGE_NO_PREROLL) {
      // A live source: its pictures are not to wait for their time.
      for (const auto& sink : sinks_) {
        if (!told_sync_) g_object_set(sink->element.get(), "sync", FALSE, nullptr);
      }
    }
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < kForFirstPicture) {
      AskBus();
      if (has_ended_) return;
      std::unique_lock lock(mutex_);
      if (arrived_.wait_for(lock, kBetweenQuestions, [this] { return !waiting_.empty(); })) return;
      lock.unlock();
      if (change == GST_STATE_CHANGE_FAILURE) {
        AskBus();
        throw Error(label_ + ": cannot be played: try it with gst-launch-1.0");
      }
    }
  }

  void Close() {
    for (const auto& sink : sinks_) {
      GstAppSinkCallbacks none{};
      gst_app_sink_set_callbacks(GST_APP_SINK(sink->element.get()), &none, nullptr, nullptr);
    }
    gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }

  // --- playing --------------------------------------------------------------------
  // Called in a thread of GStreamer.
  void Take(GstSample* sample, int side) {
    if (sample == nullptr) return;
    Arrival arrival{Sample(sample), side, MonotonicNow_s()};
    Arrival too_old;
    {
      const std::scoped_lock lock(mutex_);
      const auto is_own = [side](const Arrival& other) { return other.side == side; };
      if (std::ranges::count_if(waiting_, is_own) == kMostWaiting) {
        const auto oldest = std::ranges::find_if(waiting_, is_own);
        too_old = std::move(*oldest);
        waiting_.erase(oldest);
        ++num_overrun_;
      }
      waiting_.push_back(std::move(arrival));
    }
    arrived_.notify_one();
  }

  // Throws Error if the pipeline has failed, or if a stream without an end has ended.
  void AskBus() {
    GstBus* bus = gst_element_get_bus(pipeline_.get());
    const Message message(
        gst_bus_pop_filtered(bus, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
    gst_object_unref(bus);
    if (!message) return;
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) {
      if (!is_finite_) throw Error(label_ + ": the stream has ended: its sender has closed it");
      has_ended_ = true;
      return;
    }
    GError* error = nullptr;
    char* details = nullptr;
    gst_message_parse_error(message.get(), &error, &details);
    const std::unique_ptr<GError, FreeGError> freed(error);
    const std::unique_ptr<char, FreeText> freed_details(details);
    const std::string_view more = details != nullptr ? details : "";
    std::string text = label_ + ": " + OneLine(error->message);
    if (const char* name = GST_MESSAGE_SRC_NAME(message.get())) text += " (" + std::string(name) + ")";
    if (more.find("not-negotiated") != std::string_view::npos) {
      text +=
          ": its elements do not fit together; an appsink takes raw video: decode it (decodebin, or jpegdec) "
          "and put videoconvert (on a Jetson nvvidconv) before the appsink";
    } else {
      // GStreamer's own details: a line where in its sources, and then what the system said.
      const std::size_t own = more.rfind(":\n");
      const std::string reason = OneLine(own == std::string_view::npos ? "" : more.substr(own + 2));
      if (!reason.empty() && text.find(reason) == std::string::npos) text += ": " + reason;
      text += error->domain == GST_RESOURCE_ERROR
                  ? ": does it exist, is it running, and is it not used by another program?"
                  : ": see the output of gst-launch-1.0 for the same line";
    }
    throw Error(text);
  }

  // Time of capture on the system's monotonic clock: the pipeline's base time and the buffer's running time.
  double TimeOf(const Arrival& arrival) {
    const GstBuffer* buffer = gst_sample_get_buffer(arrival.sample.get());
    const GstSegment* segment = gst_sample_get_segment(arrival.sample.get());
    const GstClockTime running =
        GST_BUFFER_PTS_IS_VALID(buffer)
            ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
            : GST_CLOCK_TIME_NONE;
    has_capture_times_ = GST_CLOCK_TIME_IS_VALID(running);
    if (!has_capture_times_) return arrival.time_s;
    const double time_s = static_cast<double>(gst_element_get_base_time(pipeline_.get()) + running) * 1e-9;
    if (!shift_s_) {
      const double age_s = arrival.time_s - time_s;
      shift_s_ = age_s < 0 || age_s > kMostAge_s ? age_s : 0;
    }
    return time_s + *shift_s_;
  }

  std::optional<LivePicture> PictureOf(const Arrival& arrival) {
    GstVideoInfo info;
    GstBuffer* buffer = gst_sample_get_buffer(arrival.sample.get());
    GstCaps* caps = gst_sample_get_caps(arrival.sample.get());
    GstVideoFrame frame;
    if (buffer == nullptr || caps == nullptr || gst_video_info_from_caps(&info, caps) == FALSE ||
        gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) == FALSE) {
      ++num_damaged_;
      return std::nullopt;
    }
    const UseHostMemory use(image_memory_);  // the program's choice for this thread is not the module's
    LivePicture picture;
    picture.time_s = TimeOf(arrival);
    picture.side = arrival.side;
    switch (GST_VIDEO_INFO_FORMAT(&info)) {
      case GST_VIDEO_FORMAT_GRAY8:
        picture.image = CopyOf<std::uint8_t>(frame);
        break;
      case GST_VIDEO_FORMAT_GRAY16_LE:
        picture.image = CopyOf<std::uint16_t>(frame);
        break;
      case GST_VIDEO_FORMAT_RGB:
        picture.image = CopyOf<Rgb8>(frame);
        break;
      default:
        // Keeps a copy, because a source may have few buffers.
        picture.decode = [info, memory = image_memory_,
                          converter = sinks_[static_cast<std::size_t>(arrival.side)]->converter,
                          copy = std::shared_ptr<GstBuffer>(gst_buffer_copy_deep(buffer), gst_buffer_unref)] {
          const UseHostMemory use_later(memory);
          return std::optional(converter->ToRgb(info, copy.get()));
        };
    }
    gst_video_frame_unmap(&frame);
    return picture;
  }

  const std::string label_;
  const std::shared_ptr<HostMemory> image_memory_;
  Element pipeline_;
  std::vector<std::unique_ptr<Sink>> sinks_;  // left or both, right
  bool is_finite_ = false, told_sync_ = false;
  bool has_ended_ = false, has_capture_times_ = true;
  std::optional<double> shift_s_;
  std::size_t num_damaged_ = 0;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Arrival> waiting_;  // the oldest first
  std::atomic<std::size_t> num_overrun_ = 0;
};

}  // namespace

std::unique_ptr<LiveDevice> OpenStream(const std::string& line, const std::string& label,
                                       std::shared_ptr<HostMemory> image_memory) {
  return std::make_unique<GstreamerStream>(line, label, std::move(image_memory));
}

}  // namespace parallax::media

#else

#include "datasets/media/functions.h"

namespace parallax::media {

std::unique_ptr<LiveDevice> OpenStream(const std::string& line, const std::string&,
                                       std::shared_ptr<HostMemory>) {
  throw Error("gst:" + line +
              ": this program was built without GStreamer; install libgstreamer-plugins-base1.0-dev and "
              "configure it with -DPARALLAX_GSTREAMER=ON");
}

}  // namespace parallax::media

#endif
