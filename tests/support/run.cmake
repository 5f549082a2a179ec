# run(COMMAND ARGUMENT...) of tests that are CMake scripts: the command, and what it printed; ends the test when it fails.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${output}")
  endif()
  message(STATUS "${ARGN}\n${output}")
endfunction()
