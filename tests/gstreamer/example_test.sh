#!/bin/sh
# The example in words on a pair of images; skipped without GStreamer's PNG.
#   example_test.sh EXAMPLE FOLDER
set -eu
example=$1
folder=$2
for side in left right; do
  gst-launch-1.0 -q videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=GRAY8,width=200,height=60 ! pngenc ! \
    filesink location="$folder/$side.png" >/dev/null 2>&1 || {
    echo "skipped: no videotestsrc or pngenc (gstreamer1.0-plugins-base, -good)"
    exit 77
  }
done
rm -f "$folder/depth.png"
"$example" "$folder/left.png" "$folder/right.png" "$folder/depth.png"
# The signature, and the size in the header.
wanted="89504e470d0a1a0a0000000d49484452000000c80000003c0802"
found=$(od -An -v -tx1 -N26 "$folder/depth.png" | tr -d ' \n')
[ "$found" = "$wanted" ] || { echo "$folder/depth.png begins with $found, not $wanted"; exit 1; }
status=0
"$example" "$folder/left.png" 2>/dev/null || status=$?
[ "$status" -eq 2 ] || { echo "exit code $status without a second image"; exit 1; }
echo "a picture of 200x60 px was written"
