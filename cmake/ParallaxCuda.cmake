# Finds nvcc. AUTO switches the cuda back end off, with one line that says so, where there is none.
#
# For which cards: cmake/ParallaxCudaArchitectures.cmake, unless CMAKE_CUDA_ARCHITECTURES says.
include(${CMAKE_CURRENT_LIST_DIR}/ParallaxCudaArchitectures.cmake)
set(PARALLAX_CUDA_ENABLED OFF)
set(parallax_cuda_missing "")
# As docs/gpu.md says: launches inside graphs that begin before the last one has ended are hardly older.
set(parallax_cuda_oldest 12.4)

if(NOT PARALLAX_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PARALLAX_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
                 DOC "The CUDA compiler")
    if(PARALLAX_NVCC)
      set(ENV{CUDACXX} ${PARALLAX_NVCC})
    endif()
  endif()
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(parallax_cuda_missing "no CUDA compiler was found")
    unset(CMAKE_CUDA_COMPILER CACHE)  # look again the next time
  else()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      parallax_cuda_architectures(${CMAKE_CUDA_COMPILER} "${PARALLAX_CUDA_ARCHITECTURES}" CMAKE_CUDA_ARCHITECTURES)
    endif()
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS parallax_cuda_oldest)
      set(parallax_cuda_missing
          "${CMAKE_CUDA_COMPILER} is release ${CMAKE_CUDA_COMPILER_VERSION}, ${parallax_cuda_oldest} is needed")
    endif()
  endif()

  if(NOT parallax_cuda_missing)
    # CMake 3.25.1 ends at a toolkit without nvToolsExt (CUDA 13, or a part of CUDA 12) unless an older CMake is asked for.
    set(parallax_required_cmake ${CMAKE_MINIMUM_REQUIRED_VERSION})
    set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_MINIMUM_REQUIRED_VERSION ${parallax_required_cmake})
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(PARALLAX_CUDA_ENABLED ON)
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 believes that nvcc cannot do C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    add_compile_options(
      $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>  # the same bits as the CPU
      $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)
    target_compile_options(parallax_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall>)
    message(STATUS "parallax: cuda back end with nvcc ${CMAKE_CUDA_COMPILER_VERSION} "
                   "for architectures ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(PARALLAX_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PARALLAX_CUDA=ON but ${parallax_cuda_missing}: install the CUDA toolkit, "
                        "set CUDACXX to its nvcc, or configure with -DPARALLAX_CUDA=OFF")
  else()
    message(STATUS "parallax: ${parallax_cuda_missing}, building without the cuda back end")
  endif()
endif()
