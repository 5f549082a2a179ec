# Finds what the Python module needs: a Python with numpy, its headers, pybind11. AUTO switches the module off,
# with one line that says so, where something is missing.
#
# Debian's pybind11 and numpy belong to Debian's Python, which need not be the first on the path.
set(parallax_python_missing "")

# What a Python says of itself, one line each: its headers, the ending of its modules.
set(parallax_python_question "
import numpy, os, sysconfig
folder = sysconfig.get_path('include')
assert os.path.exists(os.path.join(folder, 'Python.h'))
print(folder)
print(sysconfig.get_config_var('EXT_SUFFIX'))")

if(NOT PARALLAX_PYTHON STREQUAL "OFF")
  if(NOT PARALLAX_APP)
    set(parallax_python_missing "PARALLAX_APP is OFF")
  elseif(PARALLAX_SANITIZE AND NOT PARALLAX_PYTHON STREQUAL "ON")
    set(parallax_python_missing "PARALLAX_SANITIZE is on, which Python itself is not made for (see the presets asan-bindings, tsan-bindings)")
  endif()
  if(NOT parallax_python_missing AND NOT PARALLAX_PYBIND11_INCLUDE_DIR)
    find_path(PARALLAX_PYBIND11_INCLUDE_DIR pybind11/pybind11.h DOC "pybind11's headers")
    mark_as_advanced(PARALLAX_PYBIND11_INCLUDE_DIR)
  endif()
  if(NOT parallax_python_missing AND NOT PARALLAX_PYBIND11_INCLUDE_DIR)
    set(parallax_python_missing "no pybind11 was found (python3-pybind11)")
  endif()
  set(parallax_python_candidates ${PARALLAX_PYTHON_EXECUTABLE})
  if(NOT parallax_python_candidates)
    find_program(PARALLAX_FIRST_PYTHON python3 DOC "The first Python on the path")
    mark_as_advanced(PARALLAX_FIRST_PYTHON)
    set(parallax_python_candidates ${PARALLAX_FIRST_PYTHON} /usr/bin/python3)
  endif()
  if(NOT parallax_python_missing)
    set(parallax_python_missing "no Python with numpy and headers was found (python3-dev, python3-numpy, or PARALLAX_PYTHON_EXECUTABLE)")
    foreach(python IN LISTS parallax_python_candidates)
      execute_process(COMMAND ${python} -c "${parallax_python_question}" RESULT_VARIABLE result
                      OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(result EQUAL 0)
        string(REPLACE "\n" ";" answer "${answer}")
        list(GET answer 0 parallax_python_include_dir)
        list(GET answer 1 parallax_python_suffix)
        if(CMAKE_CROSSCOMPILING)  # the same version of Python is on the other processor
          string(REGEX REPLACE "[^-]+-linux-gnu" "${CMAKE_LIBRARY_ARCHITECTURE}" parallax_python_suffix
                               "${parallax_python_suffix}")
        endif()
        set(parallax_python ${python})
        set(parallax_python_missing "")
        break()
      endif()
    endforeach()
  endif()
endif()
parallax_settle(PYTHON "${parallax_python_missing}" "Python module for ${parallax_python}" "the Python module")
