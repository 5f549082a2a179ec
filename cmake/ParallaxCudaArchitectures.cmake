# Which cards the kernels are compiled for, where CMAKE_CUDA_ARCHITECTURES does not say.
#
# PARALLAX_CUDA_ARCHITECTURES:
#   auto         for the cards in this machine; where there are none, for all
#   development  the same, but where there are none for compute capability 9.0 alone: the presets, CI
#   all          machine code for every generation from 7.5 on that nvcc knows, and PTX for those to come
# or a list as CMAKE_CUDA_ARCHITECTURES takes it.
set(PARALLAX_CUDA_ARCHITECTURES auto CACHE STRING "Cards to compile for: auto, development, all, or a list as 86;90")
set_property(CACHE PARALLAX_CUDA_ARCHITECTURES PROPERTY STRINGS auto development all)

# Compute capabilities ("86") of the cards in this machine, as the driver tells them; none without a driver.
function(parallax_find_cards result)
  set(cards "")
  find_program(PARALLAX_NVIDIA_SMI nvidia-smi DOC "Tells which NVIDIA cards there are")
  if(PARALLAX_NVIDIA_SMI)
    execute_process(COMMAND ${PARALLAX_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE lines RESULT_VARIABLE failed ERROR_QUIET TIMEOUT 30)
    if(NOT failed)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" cards "${lines}")
      list(TRANSFORM cards REPLACE "\\." "")
      list(REMOVE_DUPLICATES cards)
      list(SORT cards COMPARE NATURAL)
    endif()
  endif()
  set(${result} "${cards}" PARENT_SCOPE)
endfunction()

# What the compiler knows, from 7.5 on, in ascending order.
function(parallax_known_architectures nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE lines RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    set(lines "compute_75 compute_80 compute_86 compute_89 compute_90")
  endif()
  string(REGEX MATCHALL "compute_[0-9]+" names "${lines}")
  list(TRANSFORM names REPLACE "compute_" "")
  list(SORT names COMPARE NATURAL)
  set(known "")
  foreach(name ${names})
    if(name GREATER_EQUAL 75)
      list(APPEND known ${name})
    endif()
  endforeach()
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# The list for CMAKE_CUDA_ARCHITECTURES. Machine code of x.y runs on x.z with z >= y: one of each generation x, the
# oldest, is enough for all its cards, but not for Jetson boards, which run their own alone.
function(parallax_cuda_architectures nvcc wanted result)
  if(NOT wanted MATCHES "^(auto|development|all)$")
    set(${result} "${wanted}" PARENT_SCOPE)
    return()
  endif()
  parallax_known_architectures(${nvcc} known)
  list(GET known -1 newest)
  set(cards "")
  if(NOT wanted STREQUAL "all")
    parallax_find_cards(cards)
  endif()
  set(architectures "")
  foreach(card ${cards})
    if(card LESS 75)
      message(STATUS "parallax: this machine's card of compute capability ${card} is too old for the cuda back end")
    elseif(card IN_LIST known)
      list(APPEND architectures ${card})
    else()  # newer than the compiler: the driver translates what is nearest
      list(APPEND architectures ${newest})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES architectures)
  if(NOT architectures AND wanted STREQUAL "development")
    set(architectures 90)
  elseif(NOT architectures)
    set(generation "")
    foreach(name ${known})
      string(REGEX REPLACE ".$" "" of ${name})
      if(NOT of STREQUAL generation OR name MATCHES "^(87|101)$")  # Jetson Orin, Thor
        list(APPEND architectures ${name}-real)
        set(generation ${of})
      endif()
    endforeach()
    list(APPEND architectures ${newest}-virtual)
  endif()
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()
