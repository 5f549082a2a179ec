// A plugin of GStreamer in the place of those that only a Jetson or a Raspberry Pi has: nvarguscamerasrc (NV12 in
// NVIDIA's memory), nvvidconv (out of that memory) and libcamerasrc. The camera with sensor-id=1, or camera-name=RIGHT,
// sees a pattern 8 px further left. 25 pictures a second, at the same moments.
#include <gst/base/gstbasetransform.h>
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

namespace {

constexpr gint64 kBetween_us = 40000;
constexpr int kShift_px = 8;
constexpr char kNvidia[] = "memory:NVMM";
#define SIZES "width=[16,4096],height=[16,4096],framerate=[0/1,120/1]"
GstStaticPadTemplate argus_src = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw(memory:NVMM),format=NV12," SIZES));
GstStaticPadTemplate libcamera_src = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw,format={NV12,NV21,YUY2,RGB}," SIZES));
#define EITHER GST_STATIC_CAPS("video/x-raw(memory:NVMM)," SIZES ";video/x-raw," SIZES)
GstStaticPadTemplate converter_sink = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, EITHER);
GstStaticPadTemplate converter_src = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, EITHER);

// --- cameras ---------------------------------------------------------------------
struct Camera {
  GstPushSrc base;
  GstVideoInfo info;
  gboolean is_right;
};
struct CameraClass {
  GstPushSrcClass base;
};

GstFlowReturn Fill(GstPushSrc* source, GstBuffer* buffer) {
  const auto* camera = reinterpret_cast<Camera*>(source);
  g_usleep(static_cast<gulong>(kBetween_us - g_get_monotonic_time() % kBetween_us));
  GstVideoFrame frame;
  if (gst_video_frame_map(&frame, &camera->info, buffer, GST_MAP_WRITE) == FALSE) return GST_FLOW_ERROR;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
    const int num_rows = GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane);
    auto* row = static_cast<guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    for (int y = 0; y < num_rows; ++y, row += stride) {
      for (int x = 0; x < stride; ++x) {
        const auto seen = static_cast<guint>((x + (camera->is_right ? kShift_px : 0)) / 2 + y / 2 * 4099);
        row[x] = plane == 0 ? static_cast<guint8>((seen * 2654435761u) >> 24) : guint8{128};
      }
    }
  }
  gst_video_frame_unmap(&frame);
  return GST_FLOW_OK;
}

gboolean SetCaps(GstBaseSrc* source, GstCaps* caps) {
  auto* camera = reinterpret_cast<Camera*>(source);
  if (gst_video_info_from_caps(&camera->info, caps) == FALSE) return FALSE;
  gst_base_src_set_blocksize(source, static_cast<guint>(GST_VIDEO_INFO_SIZE(&camera->info)));
  return TRUE;
}

void SetProperty(GObject* object, guint, const GValue* value, GParamSpec*) {
  auto* camera = reinterpret_cast<Camera*>(object);
  camera->is_right = G_VALUE_HOLDS_INT(value) ? g_value_get_int(value) == 1
                                              : g_strcmp0(g_value_get_string(value), "RIGHT") == 0;
}

void BeginCamera(GTypeInstance* camera, gpointer) {
  gst_base_src_set_live(GST_BASE_SRC(camera), TRUE);
  gst_base_src_set_format(GST_BASE_SRC(camera), GST_FORMAT_TIME);
  gst_base_src_set_do_timestamp(GST_BASE_SRC(camera), TRUE);
  // As the real libcamerasrc.
  if (g_strcmp0(G_OBJECT_TYPE_NAME(camera), "libcamerasrc") == 0)
    GST_OBJECT_FLAG_UNSET(camera, GST_ELEMENT_FLAG_SOURCE);
}

void DefineCamera(gpointer type, GParamSpec* property, GstStaticPadTemplate* pad) {
  G_OBJECT_CLASS(type)->set_property = SetProperty;
  g_object_class_install_property(G_OBJECT_CLASS(type), 1, property);
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(type), pad);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type), "A camera", "Video/Capture", "a stand-in",
                                        "parallax");
  GST_BASE_SRC_CLASS(type)->set_caps = SetCaps;
  GST_PUSH_SRC_CLASS(type)->fill = Fill;
}

// --- out of NVIDIA's memory ------------------------------------------------------
GstCaps* EitherMemory(GstBaseTransform*, GstPadDirection, GstCaps* caps, GstCaps* filter) {
  GstCaps* either = gst_caps_copy(caps);
  gst_caps_set_features_simple(either, gst_caps_features_new(kNvidia, nullptr));
  GstCaps* plain = gst_caps_copy(caps);
  gst_caps_set_features_simple(plain, nullptr);
  gst_caps_append(either, plain);
  if (filter == nullptr) return either;
  GstCaps* fitting = gst_caps_intersect(either, filter);
  gst_caps_unref(either);
  return fitting;
}

void DefineConverter(gpointer type, gpointer) {
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(type), &converter_sink);
  gst_element_class_add_static_pad_template(GST_ELEMENT_CLASS(type), &converter_src);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type), "A converter", "Filter", "a stand-in",
                                        "parallax");
  GST_BASE_TRANSFORM_CLASS(type)->transform_caps = EitherMemory;
  GST_BASE_TRANSFORM_CLASS(type)->transform_ip = [](GstBaseTransform*, GstBuffer*) { return GST_FLOW_OK; };
}

gboolean Register(GstPlugin* plugin) {
  const auto add = [plugin](const char* name, GType parent, guint class_size, GClassInitFunc define,
                            guint size, GInstanceInitFunc begin) {
    const GType type =
        g_type_register_static_simple(parent, name, class_size, define, size, begin, GTypeFlags{});
    return gst_element_register(plugin, name, GST_RANK_NONE, type);
  };
  const GClassInitFunc argus = [](gpointer type, gpointer) {
    DefineCamera(type, g_param_spec_int("sensor-id", "", "", 0, 255, 0, G_PARAM_WRITABLE), &argus_src);
  };
  const GClassInitFunc libcamera = [](gpointer type, gpointer) {
    DefineCamera(type, g_param_spec_string("camera-name", "", "", "", G_PARAM_WRITABLE), &libcamera_src);
  };
  return add("nvarguscamerasrc", GST_TYPE_PUSH_SRC, sizeof(CameraClass), argus, sizeof(Camera),
             BeginCamera) &&
         add("libcamerasrc", GST_TYPE_PUSH_SRC, sizeof(CameraClass), libcamera, sizeof(Camera),
             BeginCamera) &&
         add("nvvidconv", GST_TYPE_BASE_TRANSFORM, sizeof(GstBaseTransformClass), DefineConverter,
             sizeof(GstBaseTransform), nullptr);
}

}  // namespace

#define PACKAGE "parallax"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, parallaxcsi,
                  "Stand-ins for cameras at CSI connectors", Register, "0", "Apache 2.0", "parallax",
                  "parallax")
