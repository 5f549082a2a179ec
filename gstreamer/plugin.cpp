// The plugin that GStreamer loads.
#include <gst/gst.h>

#include "gstreamer/stereo_element.h"

namespace {

gboolean Begin(GstPlugin* plugin) {
  return gst_element_register(plugin, "parallaxstereo", GST_RANK_NONE, parallax_stereo_get_type());
}

}  // namespace

#define PACKAGE "parallax"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, parallax, "Stereo images to disparity and depth",
                  Begin, PARALLAX_VERSION, "Apache 2.0", "parallax", "https://localhost/parallax")
