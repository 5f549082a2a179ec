# Installs the build into an empty prefix, builds the consumer against it and runs it.
#   cmake -D BUILD_DIR=... -D WORK_DIR=... -D CONSUMER_DIR=... -D BUILD_TYPE=... -D GENERATOR=... -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${output}")
  endif()
  message(STATUS "${ARGN}\n${output}")
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
# Nothing but the prefix may be found: the sources and the build folder are not in the consumer's command lines.
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
    -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

if(EXPECT_PROGRAM)
  run(${WORK_DIR}/prefix/bin/parallax info)
endif()
set(files include/parallax/parallax.h include/parallax/pipeline/matcher.h share/doc/parallax/README.md
    share/doc/parallax/docs/README.md share/doc/parallax/docs/pictures/drive.png)
if(EXPECT_PROGRAM)
  list(APPEND files share/parallax/presets/kitti.yaml)
endif()
foreach(file ${files})
  if(NOT EXISTS ${WORK_DIR}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
