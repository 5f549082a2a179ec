# Finds nvcc. AUTO switches the cuda back end off, with one line that says so, where there is none.
set(PARALLAX_CUDA_ENABLED OFF)
if(NOT PARALLAX_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # "all-major" keeps a shipped program running on every card; one architecture builds quickly.
      set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "CUDA architectures to build for")
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(PARALLAX_CUDA_ENABLED ON)
    # CMake 3.25.1 drops CMAKE_CUDA_STANDARD 20 for some compilers: pass it by hand.
    target_compile_options(parallax_options INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --fmad=false --expt-relaxed-constexpr -Xcompiler=-ffp-contract=off,-Wall>)
  elseif(PARALLAX_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PARALLAX_CUDA=ON but no CUDA compiler was found: install the CUDA toolkit, "
                        "set CUDACXX to its nvcc, or configure with -DPARALLAX_CUDA=OFF")
  else()
    message(STATUS "parallax: no nvcc found, building without the cuda back end")
  endif()
endif()
