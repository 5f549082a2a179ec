# Runs the example on a rendered scene and OpenCV's sample, one line changed, on OpenCV's pair.
#   cmake -D PARALLAX=... -D EXAMPLE=... -D SAMPLE=... -D PAIR=... -D WORK_DIR=... -P programs_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${PARALLAX} synth slanted --output ${WORK_DIR}/set --width 400 --height 200)
set(set ${WORK_DIR}/set/training)
run(${EXAMPLE} ${set}/image_2/000000_10.png ${set}/image_3/000000_10.png ${set}/disp_occ_0/000000_10.png)

if(SAMPLE AND EXISTS ${PAIR}/aloeL.jpg)
  run(${SAMPLE} ${PAIR}/aloeL.jpg ${PAIR}/aloeR.jpg --algorithm=sgbm --blocksize=3 --max-disparity=160 --no-display
      -o=${WORK_DIR}/aloe.png)
  if(NOT EXISTS ${WORK_DIR}/aloe.png)
    message(FATAL_ERROR "OpenCV's sample wrote no ${WORK_DIR}/aloe.png")
  endif()
else()
  message(STATUS "skipped: no stereo_match.cpp of OpenCV or none of its images on this machine")
endif()
