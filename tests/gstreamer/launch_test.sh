#!/bin/sh
# Pipelines as people write them: one pad with both images, and two pads. Skipped without videotestsrc.
#   launch_test.sh GST_LAUNCH
set -eu
launch=$1
"$launch" videotestsrc num-buffers=1 ! fakesink >/dev/null 2>&1 || {
  echo "skipped: no videotestsrc (gstreamer1.0-plugins-base)"
  exit 77
}
images="videotestsrc num-buffers=10 pattern=snow ! video/x-raw,format=GRAY8,width=160,height=60,framerate=30/1"
searched="parameters=matching_cost.num_disparities=16"

# Its properties come with the caps that they lead to.
run() {
  wanted=$1
  shift
  # shellcheck disable=SC2068
  told=$("$launch" -v $@ 2>&1) || { echo "$told"; exit 1; }
  case $told in
    *"$wanted"*) ;;
    *) echo "$told"; echo "no $wanted"; exit 1 ;;
  esac
}
run "parallaxstereo0.GstAggregatorPad:src: caps = video/x-raw, format=(string)GRAY16_LE, width=(int)80, height=(int)60" \
  $images ! parallaxstereo $searched ! fakesink
run "format=(string)RGB, width=(int)160, height=(int)30" \
  $images ! parallaxstereo layout=top-bottom output=color preset=realtime $searched ! fakesink
run "format=(string)GRAY16_LE, width=(int)160, height=(int)60" \
  $images ! s.left $images ! s.right parallaxstereo name=s output=depth fx=100 baseline=0.1 $searched ! fakesink
echo "all pipelines ran"
