// The element parallaxstereo: stereo images in, disparity, depth or a picture of it out.
#pragma once

#include <gst/base/gstaggregator.h>
#include <gst/gst.h>

G_DECLARE_FINAL_TYPE(ParallaxStereo, parallax_stereo, PARALLAX, STEREO, GstAggregator)
