# Compiler flags that every target of the project shares, as one interface target.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} is too old for C++20: in an empty build folder, "
                      "set CXX to GCC 11 or Clang 16, or newer ones")
endif()

# --- ccache, where it is installed --------------------------------------------
# Precompiled headers were measured and left out: they save 0.6 s a file and cost 3 s and 114 MB a target.
find_program(PARALLAX_CCACHE ccache DOC "Compiler cache; empty = none")
if(PARALLAX_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PARALLAX_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${PARALLAX_CCACHE})
endif()

find_package(Threads REQUIRED)

# --- code ------------------------------------------------------------------------
# One correctly rounded operation at a time: the same bits from every compiler and back end.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

set(PARALLAX_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")
if(PARALLAX_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PARALLAX_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fsanitize=${PARALLAX_SANITIZE}>)
endif()

# --- several source files at once ---------------------------------------------------
option(PARALLAX_UNITY "Compile source files twenty at a time: a first build takes half of the time, a later one longer" OFF)
# parallax_unite(TARGET): of whose files no two give one name to different things.
function(parallax_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PARALLAX_UNITY} UNITY_BUILD_BATCH_SIZE 20)
endfunction()

# --- warnings ----------------------------------------------------------------------
add_library(parallax_options INTERFACE)
target_compile_options(parallax_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>)
# GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
target_compile_options(parallax_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(PARALLAX_WARNINGS_AS_ERRORS)
  target_compile_options(parallax_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
