# parallax_settle(PART missing found without): sets PARALLAX_PART_ENABLED by the option PARALLAX_PART (AUTO, ON, OFF).
# missing: why the part cannot be built; empty if it can. found, without: what a line says of a build with it and of one
# without it.
function(parallax_settle part missing found without)
  set(PARALLAX_${part}_ENABLED OFF PARENT_SCOPE)
  if(PARALLAX_${part} STREQUAL "OFF")
    return()
  endif()
  if(NOT missing)
    set(PARALLAX_${part}_ENABLED ON PARENT_SCOPE)
    message(STATUS "parallax: ${found}")
  elseif(PARALLAX_${part} STREQUAL "ON")
    message(FATAL_ERROR "PARALLAX_${part}=ON but ${missing}: install what is missing, or configure with "
                        "-DPARALLAX_${part}=OFF")
  else()
    message(STATUS "parallax: ${missing}, building without ${without}")
  endif()
endfunction()
