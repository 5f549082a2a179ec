# Installs the build into an empty prefix, builds the consumer against it and runs it.
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -D CONSUMER_DIR=... -D BUILD_TYPE=... -D GENERATOR=... -P install_test.cmake
cmake_minimum_required(VERSION 3.25)  # IN_LIST
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
# Without optimisation, which takes a fifth of the time: the library has the loops.
set(consumer_arguments -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_CXX_FLAGS_RELEASE=-O0
    -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
if(TOOLCHAIN)
  list(APPEND consumer_arguments -D CMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} -D CMAKE_FIND_ROOT_PATH=${WORK_DIR}/prefix)
endif()
separate_arguments(EMULATOR)  # goes before what was built
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
# Nothing but the prefix may be found: the sources and the build folder are not in the consumer's command lines.
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build ${consumer_arguments})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${EMULATOR} ${WORK_DIR}/build/consumer ${WORK_DIR})
if(EXISTS ${WORK_DIR}/build/opencv_consumer)
  run(${EMULATOR} ${WORK_DIR}/build/opencv_consumer)
endif()

# The examples, on a pair of noise that is 7 px apart. Printable characters serve as gray values.
run(${CMAKE_COMMAND} -S ${EXAMPLES_DIR} -B ${WORK_DIR}/examples ${consumer_arguments})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/examples)
set(left "P5\n160 60\n255\n")
set(right "P5\n160 60\n255\n")
foreach(y RANGE 1 60)
  string(RANDOM LENGTH 167 RANDOM_SEED ${y} row)
  string(SUBSTRING ${row} 0 160 of_left)
  string(SUBSTRING ${row} 7 160 of_right)
  string(APPEND left ${of_left})
  string(APPEND right ${of_right})
endforeach()
file(WRITE ${WORK_DIR}/left.pgm "${left}")
file(WRITE ${WORK_DIR}/right.pgm "${right}")
run(${EMULATOR} ${WORK_DIR}/examples/match_files ${WORK_DIR}/left.pgm ${WORK_DIR}/right.pgm ${WORK_DIR}/pair 200 80 30 0.5)
file(STRINGS ${WORK_DIR}/pair.ply vertices REGEX "^element vertex ")
string(REGEX MATCH "[0-9]+$" num_points "${vertices}")
if(num_points LESS 8000)
  message(FATAL_ERROR "match_files made ${num_points} points of 9600 pixels")
endif()
run(${EMULATOR} ${WORK_DIR}/examples/live_source 20)
if(EXISTS ${WORK_DIR}/examples/images_on_a_gpu AND EXISTS /dev/nvidia0)
  run(${EMULATOR} ${WORK_DIR}/examples/images_on_a_gpu)
else()
  message(STATUS "images_on_a_gpu was not run: there is no GPU here")
endif()

# Without CMake: what pkg-config says is enough.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND NOT CXX_FLAGS AND NOT TOOLCHAIN)
  file(GLOB_RECURSE pc_file ${WORK_DIR}/prefix/*/parallax.pc)
  get_filename_component(pc_folder ${pc_file} DIRECTORY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder} ${PKG_CONFIG} --cflags --libs parallax
                  OUTPUT_VARIABLE pc_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(pc_flags)
  run(${CXX_COMPILER} -std=c++20 ${EXAMPLES_DIR}/match_files.cpp ${pc_flags} -o ${WORK_DIR}/match_files)
  run(${EMULATOR} ${WORK_DIR}/match_files ${WORK_DIR}/left.pgm ${WORK_DIR}/right.pgm ${WORK_DIR}/pair)
else()
  message(STATUS "parallax.pc was not tried: no pkg-config here, or a build with sanitizers or for another processor")
endif()

# The consumer's bits are the program's: rectified pairs by three presets, and a raw pair.
if(EXPECT_PROGRAM)
  set(program ${WORK_DIR}/prefix/bin/parallax)
  function(compare_bits name preset)
    run(${EMULATOR} ${program} run ${WORK_DIR}/left.pgm ${WORK_DIR}/right.pgm --config ${preset} --write pfm
        --output ${WORK_DIR}/program_${name} ${ARGN})
    list(REMOVE_ITEM ARGN --rig)
    run(${EMULATOR} ${WORK_DIR}/build/consumer ${WORK_DIR}/left.pgm ${WORK_DIR}/right.pgm ${preset} ${WORK_DIR}/${name}.pfm ${ARGN})
    file(GLOB of_program ${WORK_DIR}/program_${name}/pfm/*.pfm)
    run(${CMAKE_COMMAND} -E compare_files ${of_program} ${WORK_DIR}/${name}.pfm)
  endfunction()
  foreach(preset default kitti realtime robot)  # robot: smaller images, filters of the section live
    compare_bits(${preset} ${preset})
  endforeach()
  compare_bits(raw default --rig ${CONSUMER_DIR}/raw_rig.yaml)
endif()

# The interface: at most 12 headers and 1500 lines, each compiles alone, and none includes a header of this project
# that is not among them.
set(include_dir ${WORK_DIR}/prefix/include)
file(GLOB_RECURSE headers RELATIVE ${include_dir} ${include_dir}/*)
set(num_lines 0)
foreach(header IN LISTS headers)
  file(STRINGS ${include_dir}/${header} includes REGEX "^ *# *include *\"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1" included "${line}")
    if(NOT included IN_LIST headers)
      message(FATAL_ERROR "${header} includes \"${included}\", which is not installed: a public header includes public headers only")
    endif()
  endforeach()
  file(READ ${include_dir}/${header} text)
  string(REGEX MATCHALL "\n" line_ends "${text}")
  list(LENGTH line_ends lines_of_header)
  math(EXPR num_lines "${num_lines} + ${lines_of_header}")
  if(NOT header STREQUAL parallax/opencv.h)
    file(WRITE ${WORK_DIR}/alone.cpp "#include <${header}>\n")
    run(${CXX_COMPILER} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I${include_dir} ${WORK_DIR}/alone.cpp)
  endif()
endforeach()
list(LENGTH headers num_headers)
if(num_headers LESS 10 OR num_headers GREATER 12 OR num_lines GREATER 1500)
  message(FATAL_ERROR "${num_headers} public headers of ${num_lines} lines: at most 12 of 1500 lines together")
endif()

if(EXPECT_PROGRAM)
  run(${EMULATOR} ${WORK_DIR}/prefix/bin/parallax info)
endif()
set(files include/parallax/parallax.h share/doc/parallax/README.md
    share/doc/parallax/docs/README.md share/doc/parallax/docs/pictures/drive.png)
if(EXPECT_PROGRAM)
  list(APPEND files share/parallax/presets/kitti.yaml share/man/man1/parallax.1
       share/bash-completion/completions/parallax)
endif()
foreach(file ${files})
  if(NOT EXISTS ${WORK_DIR}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
