#!/bin/sh
# Two images through the element parallaxstereo: a picture of their disparities, near is light.
#   depth_picture.sh LEFT RIGHT OUT.png
# The same with two cameras, as it comes, in a window:
#   gst-launch-1.0 v4l2src device=/dev/video0 ! videoconvert ! s.left  v4l2src device=/dev/video1 ! videoconvert ! s.right \
#     parallaxstereo name=s output=color preset=realtime ! videoconvert ! autovideosink
set -eu
if [ $# -ne 3 ]; then
  echo "usage: depth_picture.sh LEFT RIGHT OUT.png" >&2
  exit 2
fi
exec gst-launch-1.0 -q \
  filesrc location="$1" ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! s.left \
  filesrc location="$2" ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! s.right \
  parallaxstereo name=s output=color ! videoconvert ! pngenc ! filesink location="$3"
