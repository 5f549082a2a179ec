# cmake -D WORK_DIR=... -P architectures_test.cmake: what cmake/ParallaxCudaArchitectures.cmake chooses, with a compiler
# and a driver made up here.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/ParallaxCudaArchitectures.cmake)

function(write_program name text)
  file(WRITE ${WORK_DIR}/${name} "#!/bin/sh\n${text}\n")
  file(CHMOD ${WORK_DIR}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

write_program(nvcc "echo compute_50 compute_75 compute_80 compute_86 compute_87 compute_90 compute_100 compute_110 compute_120 | tr ' ' '\\n'")

# expect(ANSWER WANTED CARD...): with these cards in the machine; "fails": a driver that does not answer.
function(expect answer wanted)
  if(ARGN STREQUAL fails)
    write_program(smi "echo No devices were found; exit 6")
  else()
    list(JOIN ARGN "\\n" cards)
    write_program(smi "printf '${cards}\\n'")
  endif()
  set(PARALLAX_NVIDIA_SMI ${WORK_DIR}/smi CACHE FILEPATH "" FORCE)
  parallax_cuda_architectures(${WORK_DIR}/nvcc "${wanted}" got)
  if(NOT got STREQUAL answer)
    message(SEND_ERROR "wanted '${wanted}' with cards '${ARGN}': '${got}' instead of '${answer}'")
  endif()
endfunction()

set(all "75-real;80-real;87-real;90-real;100-real;110-real;120-real;120-virtual")
expect("86" auto 8.6)
expect("86" development 8.6)
expect("75;86;90" auto 9.0 8.6 8.6 7.5)
expect("120" auto 13.0)  # newer than the compiler
expect("86" auto 6.1 8.6)
expect("90" development 6.1)
expect("${all}" auto fails)
expect("90" development fails)
expect("${all}" all 8.6)
expect("80;86" "80;86" 9.0)
