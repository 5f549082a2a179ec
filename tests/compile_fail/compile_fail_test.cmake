# Compiles SOURCE twice: as it stands it must compile, with PARALLAX_MUST_FAIL defined it must not, for the reason
# that its line "// Fails with: REGEX" gives.
#   cmake -D COMPILER=... -D SOURCE=... -D INCLUDE_DIR=... -P compile_fail_test.cmake
file(STRINGS ${SOURCE} reason_line REGEX "^// Fails with: ")
string(REPLACE "// Fails with: " "" reason "${reason_line}")
if(reason STREQUAL "")
  message(FATAL_ERROR "${SOURCE} has no line '// Fails with: REGEX'")
endif()
set(compile ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE_DIR} -I${INCLUDE_DIR}/include ${SOURCE})

execute_process(COMMAND ${compile} RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} must compile without PARALLAX_MUST_FAIL:\n${errors}")
endif()
execute_process(COMMAND ${compile} -DPARALLAX_MUST_FAIL RESULT_VARIABLE code ERROR_VARIABLE errors)
if(code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled with PARALLAX_MUST_FAIL: the types no longer refuse this mistake")
endif()
if(NOT errors MATCHES "${reason}")
  message(FATAL_ERROR "${SOURCE} failed, but not with '${reason}':\n${errors}")
endif()
