// The element parallaxstereo: the library's bits, layouts, caps and properties that change in flight, flush,
// end, late frames, memory.
#include <gmock/gmock.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "parallax/matcher.h"
#include "pipeline/metrics/kitti_quantization.h"
#include "tests/support/images.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFewDisparities = "matching_cost.num_disparities=16";

struct Images {
  HostImage<std::uint8_t> left, right;
};
Images NoisePair(int width, int height, int seed = 0, int shift = 5) {
  const auto noise = [&](int moved) {
    return test::ImageFrom<std::uint8_t>(
        width, height, [&](int x, int y) { return test::NoiseAt(x + moved + 1000 * seed, y); });
  };
  return {noise(0), noise(shift)};
}

// Rows as GStreamer has them: padded to 4 bytes.
template <typename T>
void Put(const HostImage<T>& image, std::vector<std::uint8_t>& to, int x, int y, int stride_bytes) {
  for (int row = 0; row < image.height(); ++row) {
    std::memcpy(to.data() + (y + row) * stride_bytes + x * static_cast<int>(sizeof(T)), image.Row(row),
                static_cast<std::size_t>(image.width()) * sizeof(T));
  }
}
template <typename T>
GstBuffer* BufferOf(std::initializer_list<std::pair<const HostImage<T>*, std::pair<int, int>>> parts,
                    int width, int height, GstClockTime pts) {
  const int stride_bytes = GST_ROUND_UP_4(width * static_cast<int>(sizeof(T)));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(stride_bytes) * static_cast<std::size_t>(height));
  for (const auto& [image, place] : parts) Put(*image, bytes, place.first, place.second, stride_bytes);
  GstBuffer* buffer = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 30;
  return buffer;
}
GstBuffer* Beside(const Images& images, GstClockTime pts = 0) {
  const int width = images.left.width(), height = images.left.height();
  return BufferOf<std::uint8_t>({{&images.left, {0, 0}}, {&images.right, {width, 0}}}, 2 * width, height,
                                pts);
}
GstBuffer* Alone(const HostImage<std::uint8_t>& image, GstClockTime pts = 0) {
  return BufferOf<std::uint8_t>({{&image, {0, 0}}}, image.width(), image.height(), pts);
}
std::string Caps(int width, int height, const std::string& format = "GRAY8") {
  return "video/x-raw,format=" + format + ",width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + ",framerate=30/1";
}

// What the library says: px * 256.
std::vector<std::uint16_t> Wanted(const CameraImageView& left, const CameraImageView& right,
                                  int num_disparities = 16) {
  Parameters parameters;
  parameters.matching_cost.num_disparities = num_disparities;
  const MatchResult map = Matcher(parameters).Compute(left, right);
  std::vector<std::uint16_t> values;
  for (int y = 0; y < map.disparity.height(); ++y) {
    for (int x = 0; x < map.disparity.width(); ++x) values.push_back(KittiPngValue(map.disparity(x, y)));
  }
  return values;
}
std::vector<std::uint16_t> Wanted(const Images& images, int num_disparities = 16) {
  return Wanted(images.left.ConstView(), images.right.ConstView(), num_disparities);
}

// The element with what goes into it and comes out.
class Element {
 public:
  explicit Element(const char* pad = "sink") : element_(gst_element_factory_make("parallaxstereo", nullptr)) {
    if (element_ == nullptr)
      throw std::runtime_error("GStreamer knows no parallaxstereo: set GST_PLUGIN_PATH");
    bus_ = gst_bus_new();
    gst_element_set_bus(element_, bus_);
    Set("parameters", kFewDisparities);
    first_ = gst_harness_new_with_element(element_, pad, "src");
    if (std::string(pad) == "left") second_ = gst_harness_new_with_element(element_, "right", nullptr);
  }
  ~Element() {
    if (second_ != nullptr) gst_harness_teardown(second_);
    gst_harness_teardown(first_);
    gst_object_unref(element_);
    gst_object_unref(bus_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  template <typename T>
  void Set(const char* property, T value) {
    g_object_set(element_, property, value, nullptr);
  }
  // As gst-launch reads it.
  void SetText(const char* property, const char* value) {
    gst_util_set_object_arg(G_OBJECT(element_), property, value);
  }
  void SetCaps(const std::string& caps) {
    gst_harness_set_src_caps_str(first_, caps.c_str());
    if (second_ != nullptr) gst_harness_set_src_caps_str(second_, caps.c_str());
  }
  GstFlowReturn Push(GstBuffer* buffer) { return gst_harness_push(first_, buffer); }
  GstFlowReturn PushSecond(GstBuffer* buffer) { return gst_harness_push(second_, buffer); }
  GstHarness* first() { return first_; }
  GstHarness* second() { return second_; }

  // The next buffer's values (16 bits), its rows without padding; empty when none comes.
  std::vector<std::uint16_t> Pull(GstClockTime* pts = nullptr) {
    const std::vector<std::uint8_t> bytes = PullBytes(2, pts);
    std::vector<std::uint16_t> values(bytes.size() / 2);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<std::uint8_t> PullBytes(int pixel_bytes, GstClockTime* pts = nullptr) {
    GstBuffer* buffer = gst_harness_pull(first_);
    if (buffer == nullptr) return {};
    if (pts != nullptr) *pts = GST_BUFFER_PTS(buffer);
    GstCaps* caps = gst_pad_get_current_caps(first_->sinkpad);
    GstVideoInfo info;
    gst_video_info_from_caps(&info, caps);
    gst_caps_unref(caps);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_READ);
    std::vector<std::uint8_t> bytes;
    for (int y = 0; y < info.height; ++y) {
      const std::uint8_t* row = map.data + y * GST_VIDEO_INFO_PLANE_STRIDE(&info, 0);
      bytes.insert(bytes.end(), row, row + info.width * pixel_bytes);
    }
    gst_buffer_unmap(buffer, &map);
    gst_buffer_unref(buffer);
    return bytes;
  }
  // Text of the next error on the bus.
  std::string Fault() {
    GstMessage* message = gst_bus_timed_pop_filtered(bus_, 10 * GST_SECOND, GST_MESSAGE_ERROR);
    if (message == nullptr) return "no error";
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    std::string text = error->message;
    g_error_free(error);
    gst_message_unref(message);
    return text;
  }
  bool HasMessage(GstMessageType type) {
    GstMessage* message = gst_bus_pop_filtered(bus_, type);
    if (message != nullptr) gst_message_unref(message);
    return message != nullptr;
  }
  std::string OutCaps() {
    GstCaps* caps = gst_pad_get_current_caps(first_->sinkpad);
    gchar* text = gst_caps_to_string(caps);
    std::string copy = text;
    g_free(text);
    gst_caps_unref(caps);
    return copy;
  }

 private:
  GstElement* element_;
  GstBus* bus_ = nullptr;
  GstHarness *first_ = nullptr, *second_ = nullptr;
};

TEST(ParallaxStereo, ImagesBesideEachOther) {
  Element element;
  element.SetCaps(Caps(2 * 61, 30));
  for (int i = 0; i < 3; ++i) {
    const Images images = NoisePair(61, 30, i);
    ASSERT_EQ(element.Push(Beside(images, static_cast<GstClockTime>(i) * GST_SECOND / 30)), GST_FLOW_OK);
    GstClockTime pts = 0;
    EXPECT_EQ(element.Pull(&pts), Wanted(images));
    EXPECT_EQ(pts, static_cast<GstClockTime>(i) * GST_SECOND / 30);
  }
  EXPECT_THAT(element.OutCaps(), HasSubstr("width=(int)61"));
  EXPECT_THAT(element.OutCaps(), HasSubstr("30/1"));
}

TEST(ParallaxStereo, ImagesAboveEachOther) {
  Element element;
  gst_util_set_object_arg(G_OBJECT(element.first()->element), "layout", "top-bottom");
  element.SetCaps(Caps(50, 2 * 21));
  const Images images = NoisePair(50, 21);
  element.Push(BufferOf<std::uint8_t>({{&images.left, {0, 0}}, {&images.right, {0, 21}}}, 50, 42, 0));
  EXPECT_EQ(element.Pull(), Wanted(images));
}

TEST(ParallaxStereo, ImagesOfTwoPads) {
  Element element("left");
  element.SetCaps(Caps(47, 20));
  for (int i = 0; i < 3; ++i) {
    const Images images = NoisePair(47, 20, i);
    const GstClockTime pts = static_cast<GstClockTime>(i) * GST_SECOND / 30;
    ASSERT_EQ(element.Push(Alone(images.left, pts)), GST_FLOW_OK);
    ASSERT_EQ(element.PushSecond(Alone(images.right, pts + 3 * GST_MSECOND)), GST_FLOW_OK);
    GstClockTime out = 0;
    EXPECT_EQ(element.Pull(&out), Wanted(images));
    EXPECT_EQ(out, pts);
  }
}

TEST(ParallaxStereo, AnImageWithoutItsPartnerGoes) {
  Element element("left");
  element.SetCaps(Caps(40, 20));
  const Images first = NoisePair(40, 20, 1), second = NoisePair(40, 20, 2);
  element.Push(Alone(first.left, 0));
  element.PushSecond(Alone(second.right, GST_SECOND));
  element.Push(Alone(second.left, GST_SECOND));
  GstClockTime pts = 0;
  EXPECT_EQ(element.Pull(&pts), Wanted(second));
  EXPECT_EQ(pts, GST_SECOND);
}

TEST(ParallaxStereo, ColourAnd16Bits) {
  Element element;
  const Images images = NoisePair(31, 20);  // rows of 186 bytes, padded to 188
  const auto colored = [](const HostImage<std::uint8_t>& image) {
    return test::ImageFrom<Rgb8>(image.width(), image.height(), [&](int x, int y) {
      return Rgb8{image(x, y), static_cast<std::uint8_t>(image(x, y) / 2), 9};
    });
  };
  const HostImage<Rgb8> left = colored(images.left), right = colored(images.right);
  element.SetCaps(Caps(62, 20, "RGB"));
  element.Push(BufferOf<Rgb8>({{&left, {0, 0}}, {&right, {31, 0}}}, 62, 20, 0));
  EXPECT_EQ(element.Pull(), Wanted(left.ConstView(), right.ConstView()));
  const auto deep = [](const HostImage<std::uint8_t>& image) {
    return test::ImageFrom<std::uint16_t>(image.width(), image.height(), [&](int x, int y) {
      return static_cast<std::uint16_t>(image(x, y) * 200);
    });
  };
  const HostImage<std::uint16_t> deep_left = deep(images.left), deep_right = deep(images.right);
  element.SetCaps(Caps(62, 20, "GRAY16_LE"));
  element.Push(BufferOf<std::uint16_t>({{&deep_left, {0, 0}}, {&deep_right, {31, 0}}}, 62, 20, GST_SECOND));
  EXPECT_EQ(element.Pull(), Wanted(deep_left.ConstView(), deep_right.ConstView()));
}

TEST(ParallaxStereo, DepthAndColours) {
  const Images images = NoisePair(61, 30);
  const std::vector<std::uint16_t> disparity = Wanted(images);
  Element element;
  gst_util_set_object_arg(G_OBJECT(element.first()->element), "output", "depth");
  element.Set("fx", 100.0);
  element.Set("baseline", 0.5);
  element.SetCaps(Caps(2 * 61, 30));
  element.Push(Beside(images));
  const std::vector<std::uint16_t> depth = element.Pull();
  ASSERT_EQ(depth.size(), disparity.size());
  int num_known = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (disparity[i] <= 256 || depth[i] == 0) continue;
    ++num_known;
    ASSERT_NEAR(depth[i], 50000.0 * 256 / disparity[i], 50000.0 * 256 / disparity[i] * 0.005 + 1);
  }
  EXPECT_GT(num_known, 500);
  // In flight, the next buffer.
  gst_util_set_object_arg(G_OBJECT(element.first()->element), "output", "color");
  element.Push(Beside(images, GST_SECOND));
  const std::vector<std::uint8_t> colors = element.PullBytes(3);
  EXPECT_EQ(colors.size(), disparity.size() * 3);
  EXPECT_THAT(element.OutCaps(), HasSubstr("RGB"));
}

TEST(ParallaxStereo, CapsChangeInFlight) {
  Element element;
  GstClockTime pts = 0;
  for (const auto& [width, height] : {std::pair(61, 30), {40, 22}, {61, 30}, {1, 1}, {200, 9}}) {
    element.SetCaps(Caps(2 * width, height));
    for (int i = 0; i < 2; ++i) {
      const Images images = NoisePair(width, height, i);
      ASSERT_EQ(element.Push(Beside(images, pts += GST_SECOND / 30)), GST_FLOW_OK);
      ASSERT_EQ(element.Pull(), Wanted(images)) << width << "x" << height;
    }
  }
}

TEST(ParallaxStereo, SettingsChangeInFlight) {
  Element element;
  element.SetCaps(Caps(122, 30));
  const Images images = NoisePair(61, 30);
  element.Push(Beside(images));
  EXPECT_EQ(element.Pull(), Wanted(images, 16));
  element.Set("parameters", "matching_cost.num_disparities=3");
  element.Push(Beside(images, GST_SECOND));
  EXPECT_EQ(element.Pull(), Wanted(images, 3));
}

TEST(ParallaxStereo, FlushAndGoOn) {
  Element element;
  element.SetCaps(Caps(122, 30));
  const Images images = NoisePair(61, 30);
  element.Push(Beside(images));
  EXPECT_EQ(element.Pull(), Wanted(images));
  ASSERT_TRUE(gst_harness_push_event(element.first(), gst_event_new_flush_start()));
  ASSERT_TRUE(gst_harness_push_event(element.first(), gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  ASSERT_TRUE(gst_harness_push_event(element.first(), gst_event_new_segment(&segment)));
  const Images others = NoisePair(61, 30, 7);
  ASSERT_EQ(element.Push(Beside(others, GST_SECOND)), GST_FLOW_OK);
  EXPECT_EQ(element.Pull(), Wanted(others));
}

TEST(ParallaxStereo, AStreamThatCountsBytesHasNoTimes) {
  Element element;
  element.SetCaps(Caps(122, 30));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  ASSERT_TRUE(gst_harness_push_event(element.first(), gst_event_new_segment(&segment)));
  // GStreamer's complaints, which are only printed otherwise.
  const GLogLevelFlags fatal_before =
      g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
  const Images images = NoisePair(61, 30);
  element.Push(Beside(images));
  EXPECT_EQ(element.Pull(), Wanted(images));
  g_log_set_always_fatal(fatal_before);
}

TEST(ParallaxStereo, EndsWithItsSource) {
  for (const char* pad : {"sink", "left"}) {
    Element element(pad);
    const bool is_single = element.second() == nullptr;
    element.SetCaps(Caps(is_single ? 80 : 40, 20));
    const Images images = NoisePair(40, 20);
    element.Push(is_single ? Beside(images) : Alone(images.left));
    if (!is_single) element.PushSecond(Alone(images.right));
    EXPECT_EQ(element.Pull(), Wanted(images));
    ASSERT_TRUE(gst_harness_push_event(element.first(), gst_event_new_eos()));
    if (!is_single) {
      ASSERT_TRUE(gst_harness_push_event(element.second(), gst_event_new_eos()));
    }
    bool has_ended = false;
    for (int i = 0; i < 10 && !has_ended; ++i) {
      GstEvent* event = gst_harness_pull_event(element.first());
      if (event == nullptr) break;
      has_ended = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
      gst_event_unref(event);
    }
    EXPECT_TRUE(has_ended) << pad;
  }
}

TEST(ParallaxStereo, LateFramesAreLeftOut) {
  for (const bool respects : {true, false}) {
    Element element;
    element.Set("qos", respects ? TRUE : FALSE);
    element.SetCaps(Caps(122, 30));
    const Images images = NoisePair(61, 30);
    element.Push(Beside(images, 0));
    element.Pull();
    gst_harness_push_upstream_event(
        element.first(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 100 * GST_MSECOND, GST_SECOND));
    element.Push(Beside(images, GST_SECOND + 150 * GST_MSECOND));  // before 1.2 s
    element.Push(Beside(images, GST_SECOND + 300 * GST_MSECOND));
    GstClockTime pts = 0;
    element.Pull(&pts);
    EXPECT_EQ(pts, GST_SECOND + (respects ? 300 : 150) * GST_MSECOND);
    EXPECT_EQ(element.HasMessage(GST_MESSAGE_QOS), respects);
  }
}

TEST(ParallaxStereo, ItsLatencyIsAFrame) {
  Element element;
  element.SetCaps(Caps(122, 30));
  element.Push(Beside(NoisePair(61, 30)));
  element.Pull();
  EXPECT_EQ(gst_harness_query_latency(element.first()), GST_SECOND / 30);
}

TEST(ParallaxStereo, FaultsAreToldOnTheBus) {
  const auto fault_of = [](const std::function<void(Element&)>& prepare, int width, int height) {
    Element element;
    prepare(element);
    element.SetCaps(Caps(width, height));
    element.Push(BufferOf<std::uint8_t>({}, width, height, 0));
    return element.Fault();
  };
  EXPECT_THAT(fault_of([](Element& e) { e.Set("preset", "kiti"); }, 40, 20), HasSubstr("did you mean kitti"));
  EXPECT_THAT(fault_of([](Element& e) { e.Set("parameters", "a.b=3"); }, 40, 20),
              HasSubstr("unknown parameter 'a.b'"));
  EXPECT_THAT(fault_of([](Element& e) { e.Set("backend", "gpu"); }, 40, 20),
              HasSubstr("unknown back end 'gpu'"));
  EXPECT_THAT(fault_of([](Element&) {}, 41, 20), HasSubstr("41x20 cannot be halved"));
  EXPECT_THAT(
      fault_of([](Element& e) { gst_util_set_object_arg(G_OBJECT(e.first()->element), "output", "depth"); },
               40, 20),
      HasSubstr("set fx (px) and baseline (m)"));
  Element element("left");
  gst_harness_set_src_caps_str(element.first(), Caps(40, 20).c_str());
  gst_harness_set_src_caps_str(element.second(), Caps(40, 22).c_str());
  const Images small = NoisePair(40, 20), large = NoisePair(40, 22);
  element.Push(Alone(small.left));
  element.PushSecond(Alone(large.right));
  EXPECT_THAT(element.Fault(), HasSubstr("left image is 40x20, right image is 40x22"));
}

TEST(ParallaxStereo, OnePadOrTwo) {
  GstElement* element = gst_element_factory_make("parallaxstereo", nullptr);
  gst_object_ref_sink(element);
  GstPad* sink = gst_element_request_pad_simple(element, "sink");
  ASSERT_NE(sink, nullptr);
  EXPECT_EQ(gst_element_request_pad_simple(element, "left"), nullptr);
  gst_element_release_request_pad(element, sink);
  gst_object_unref(sink);
  gst_object_unref(element);
}

// --- properties that change while a frame is in work -----------------------------

// Sets a property whenever caps go out: the format is agreed on then, and its frame not yet matched.
class SetOnCaps {
 public:
  SetOnCaps(Element& element, const char* property, const char* value)
      : element_(element), property_(property), value_(value) {
    pad_ = gst_element_get_static_pad(element.first()->element, "src");
    probe_ = gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, Probe, this, nullptr);
  }
  ~SetOnCaps() {
    gst_pad_remove_probe(pad_, probe_);
    gst_object_unref(pad_);
  }
  SetOnCaps(const SetOnCaps&) = delete;
  SetOnCaps& operator=(const SetOnCaps&) = delete;

 private:
  static GstPadProbeReturn Probe(GstPad*, GstPadProbeInfo* info, gpointer data) {
    const auto& self = *static_cast<SetOnCaps*>(data);
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS)
      self.element_.SetText(self.property_, self.value_);
    return GST_PAD_PROBE_OK;
  }

  Element& element_;
  const char *property_, *value_;
  GstPad* pad_;
  gulong probe_;
};

// What came out of one push: its caps, its bytes with those between rows, its time.
struct Result {
  std::string caps;
  std::vector<std::uint8_t> bytes;
  GstClockTime pts = GST_CLOCK_TIME_NONE;
};
Result PushAndPull(Element& element, GstBuffer* buffer) {
  Result result;
  if (element.Push(buffer) != GST_FLOW_OK) return result;
  GstBuffer* out = gst_harness_pull(element.first());
  if (out == nullptr) return result;
  result.caps = element.OutCaps();
  result.bytes.resize(gst_buffer_get_size(out));
  gst_buffer_extract(out, 0, result.bytes.data(), result.bytes.size());
  result.pts = GST_BUFFER_PTS(out);
  gst_buffer_unref(out);
  return result;
}

// 64x24 halves both ways; no row has bytes beyond its pixels, which would be undefined.
constexpr int kWidth = 64, kHeight = 24;
GstBuffer* Halvable(GstClockTime pts = 0) { return Beside(NoisePair(kWidth / 2, kHeight), pts); }

void Prepare(Element& element, const char* output = "disparity") {
  element.SetText("backend", "cpu");
  element.SetText("threads", "1");
  element.SetText("fx", "100");
  element.SetText("baseline", "0.5");
  element.SetText("output", output);
  element.SetCaps(Caps(kWidth, kHeight));
}
Result ResultOf(const char* output, const char* property, const char* value) {
  Element element;
  Prepare(element, output);
  element.SetText(property, value);
  return PushAndPull(element, Halvable());
}

TEST(ParallaxStereoProperties, ChangeBetweenCapsAndFrame) {
  for (const auto& [property, value] :
       {std::pair("output", "color"), {"output", "depth"}, {"layout", "top-bottom"}}) {
    Element element;
    Prepare(element);
    const SetOnCaps hook(element, property, value);
    const Result found = PushAndPull(element, Halvable()), wanted = ResultOf("disparity", property, value);
    EXPECT_EQ(found.caps, wanted.caps) << property;
    EXPECT_TRUE(found.bytes == wanted.bytes) << property << "=" << value;
  }
}

TEST(ParallaxStereoProperties, FaultsOfAChangeAreTold) {
  for (const auto& [property, value, text] :
       {std::tuple("layout", "top-bottom",
                   "64x25 cannot be halved: layout=top-bottom needs an even height; set"),
        {"output", "depth", "set fx (px) and baseline (m)"},
        {"preset", "kiti", "did you mean kitti"}}) {
    Element element;
    element.SetCaps(Caps(kWidth, kHeight + 1));
    const Images images = NoisePair(kWidth / 2, kHeight + 1);
    ASSERT_FALSE(PushAndPull(element, Beside(images)).bytes.empty());
    element.SetText(property, value);
    element.Push(Beside(images, GST_SECOND));
    EXPECT_THAT(element.Fault(), HasSubstr(text));
    EXPECT_FALSE(element.HasMessage(GST_MESSAGE_ERROR)) << "a second error";
  }
}

TEST(ParallaxStereoProperties, ImagesWithoutCapsAreRefused) {
  Element element("left");
  gst_harness_set_src_caps_str(element.first(), Caps(40, 20).c_str());
  const Images images = NoisePair(40, 20);
  element.Push(Alone(images.left));
  GstPad* source = element.second()->srcpad;
  gst_pad_push_event(source, gst_event_new_stream_start("no caps"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_pad_push_event(source, gst_event_new_segment(&segment));
  gst_pad_push(source, Alone(images.right));
  GstFlowReturn flow = GST_FLOW_OK;
  // The next buffer waits until the one before is taken.
  for (int i = 0; i < 3 && flow == GST_FLOW_OK; ++i) flow = gst_pad_push(source, Alone(images.right));
  EXPECT_EQ(flow, GST_FLOW_NOT_NEGOTIATED);
}

// A property that another thread sets, without a pause, to these values.
struct Toggled {
  const char* property;
  std::vector<const char*> values;
  const char* output = "disparity";
  bool differs = true;  // whether the values' results do
};
std::ostream& operator<<(std::ostream& to, const Toggled& toggled) { return to << toggled.property; }
const std::vector<Toggled> kToggled = {
    {"preset", {"default", "realtime"}},
    {"parameters", {kFewDisparities, "matching_cost.num_disparities=3"}},
    {"backend", {"cpu", "reference"}, "disparity", false},
    {"threads", {"1", "2"}, "disparity", false},
    {"device", {"0", "1"}, "disparity", false},
    {"layout", {"side-by-side", "top-bottom"}},
    {"output", {"disparity", "color", "depth"}},
    {"fx", {"100", "200"}, "depth"},
    {"baseline", {"0.5", "0.25"}, "depth"},
    {"doffs", {"0", "30"}, "depth"},
    {"color-max", {"5", "15"}, "color"},
    {"show-filled", {"false", "true"}, "color"},
    {"qos", {"true", "false"}, "disparity", false},
};

std::jthread Toggle(Element& element, std::vector<Toggled> all) {
  return std::jthread([&element, all = std::move(all)](const std::stop_token& over) {
    for (std::size_t i = 0; !over.stop_requested(); ++i) {
      const Toggled& toggled = all[i % all.size()];
      element.SetText(toggled.property, toggled.values[i / all.size() % toggled.values.size()]);
      std::this_thread::yield();
    }
  });
}

#if defined(__SANITIZE_THREAD__)  // a tenth of the frames in as much time
constexpr GstClockTime kNumToggled = 100;
#else
constexpr GstClockTime kNumToggled = 1000;
#endif

// Calls it for kNumToggled buffers, and for as long as PARALLAX_TOGGLE_SECONDS says.
void ForBuffers(const std::function<void(GstClockTime pts)>& call) {
  using Clock = std::chrono::steady_clock;
  const char* seconds = std::getenv("PARALLAX_TOGGLE_SECONDS");
  const auto until = Clock::now() + std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  for (GstClockTime i = 0; (i < kNumToggled || Clock::now() < until) && !testing::Test::HasFailure(); ++i)
    call(i * GST_SECOND / 30);
}

class ParallaxStereoToggled : public testing::TestWithParam<Toggled> {};

TEST_P(ParallaxStereoToggled, EveryFrameIsOfOneOfItsValues) {
  const Toggled& toggled = GetParam();
  std::vector<Result> wanted;
  for (const char* value : toggled.values) {
    wanted.push_back(ResultOf(toggled.output, toggled.property, value));
    ASSERT_FALSE(wanted.back().bytes.empty()) << value;
  }
  EXPECT_EQ(wanted[0].bytes != wanted[1].bytes, toggled.differs);
  Element element;
  Prepare(element, toggled.output);
  const std::jthread toggler = Toggle(element, {toggled});
  ForBuffers([&](GstClockTime pts) {
    const Result found = PushAndPull(element, Halvable(pts));
    EXPECT_EQ(found.pts, pts) << "a frame was lost";
    EXPECT_TRUE(
        std::any_of(wanted.begin(), wanted.end(),
                    [&](const Result& one) { return found.caps == one.caps && found.bytes == one.bytes; }))
        << found.caps << ", " << found.bytes.size() << " bytes";
  });
}
INSTANTIATE_TEST_SUITE_P(Every, ParallaxStereoToggled, testing::ValuesIn(kToggled), [](const auto& test) {
  std::string name = test.param.property;
  std::erase(name, '-');
  return name;
});

TEST(ParallaxStereoProperties, ThoseTestedAreAll) {
  GstElement* element = gst_element_factory_make("parallaxstereo", nullptr);
  guint num_specs = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &num_specs);
  std::vector<std::string> found, tested;
  for (guint i = 0; i < num_specs; ++i) {
    if (specs[i]->owner_type == G_OBJECT_TYPE(element)) found.emplace_back(specs[i]->name);
  }
  for (const Toggled& toggled : kToggled) tested.emplace_back(toggled.property);
  EXPECT_THAT(tested, testing::UnorderedElementsAreArray(found));
  g_free(specs);
  gst_object_unref(element);
}

TEST(ParallaxStereoProperties, AllOfThemAtOnce) {
  Element element;
  Prepare(element);
  const std::jthread toggler = Toggle(element, kToggled);
  ForBuffers([&](GstClockTime pts) {
    const Result found = PushAndPull(element, Halvable(pts));
    ASSERT_EQ(found.pts, pts) << "a frame was lost";
    GstCaps* caps = gst_caps_from_string(found.caps.c_str());
    GstVideoInfo info;
    ASSERT_TRUE(gst_video_info_from_caps(&info, caps));
    gst_caps_unref(caps);
    EXPECT_EQ(found.bytes.size(), GST_VIDEO_INFO_SIZE(&info)) << found.caps;
  });
}

std::int64_t ResidentBytes() {
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(ParallaxStereo, TenThousandBuffersInFlatMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep memory that was freed";
#endif
  Element element;
  element.Set("threads", 1);
  element.SetCaps(Caps(2 * 32, 8));
  const Images images = NoisePair(32, 8);
  std::int64_t before = 0;
  for (int i = 0; i < 11'000; ++i) {
    if (i == 1000) before = ResidentBytes();
    ASSERT_EQ(element.Push(Beside(images, static_cast<GstClockTime>(i) * GST_SECOND / 30)), GST_FLOW_OK);
    GstBuffer* buffer = gst_harness_pull(element.first());
    ASSERT_NE(buffer, nullptr);
    gst_buffer_unref(buffer);
  }
  EXPECT_LT(ResidentBytes() - before, std::int64_t{1} << 20);
}

}  // namespace
}  // namespace parallax

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
