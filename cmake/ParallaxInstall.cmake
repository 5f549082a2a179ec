# cmake --install: the program; the library with the headers of include/parallax/ and find_package(parallax).
#   find_package(parallax REQUIRED)
#   target_link_libraries(mine PRIVATE parallax::parallax)     and in the code     #include <parallax/parallax.h>
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(parallax_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/parallax)

# --- the library -----------------------------------------------------------------
set(parallax_libraries parallax_library parallax_backends parallax_pipeline)
set(PARALLAX_HAS_FILES OFF)
if(PARALLAX_APP)
  set(PARALLAX_HAS_FILES ON)
  list(APPEND parallax_libraries parallax_config parallax_calibration)
endif()
set(PARALLAX_HAS_CUDA OFF)
if(TARGET parallax_cuda)
  set(PARALLAX_HAS_CUDA ON)
  list(APPEND parallax_libraries parallax_cuda)
endif()
foreach(library IN LISTS parallax_libraries)
  string(REPLACE parallax_ "" name ${library})
  string(REPLACE library parallax name ${name})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  add_library(parallax::${name} ALIAS ${library})
endforeach()

install(TARGETS ${parallax_libraries} EXPORT parallaxTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT parallaxTargets NAMESPACE parallax:: DESTINATION ${parallax_cmake_dir} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/parallax DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
        FILES_MATCHING PATTERN "*.h")
file(STRINGS ${PROJECT_SOURCE_DIR}/include/parallax/parallax.h parallax_version REGEX "^#define PARALLAX_VERSION_")
string(REGEX REPLACE "[^0-9;]" "" parallax_version "${parallax_version}")
string(REPLACE ";" "." parallax_version "${parallax_version}")
if(NOT parallax_version STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR "include/parallax/parallax.h names version ${parallax_version}, CMakeLists.txt ${PROJECT_VERSION}.")
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parallaxConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/parallaxConfig.cmake
                              INSTALL_DESTINATION ${parallax_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/parallaxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/parallaxConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/parallaxConfigVersion.cmake
        DESTINATION ${parallax_cmake_dir} COMPONENT library)

# pkg-config --cflags --libs parallax. The archives in the order in which one needs the next.
set(PARALLAX_PC_LIBS "-lparallax_library")
set(PARALLAX_PC_REQUIRES libhwy)
if(PARALLAX_HAS_FILES)
  string(APPEND PARALLAX_PC_LIBS " -lparallax_config -lparallax_calibration")
  string(APPEND PARALLAX_PC_REQUIRES ", yaml-cpp")
endif()
string(APPEND PARALLAX_PC_LIBS " -lparallax_backends")
if(PARALLAX_HAS_CUDA)
  string(APPEND PARALLAX_PC_LIBS " -lparallax_cuda")
endif()
string(APPEND PARALLAX_PC_LIBS " -lparallax_pipeline")
if(PARALLAX_HAS_CUDA)
  string(APPEND PARALLAX_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
string(APPEND PARALLAX_PC_LIBS " -pthread")
file(RELATIVE_PATH PARALLAX_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/parallax.pc.in ${PROJECT_BINARY_DIR}/generated/parallax.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/parallax.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# --- the program -------------------------------------------------------------------
if(TARGET parallax)
  install(TARGETS parallax RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/config/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/parallax/presets
          COMPONENT program FILES_MATCHING PATTERN "*.yaml")
endif()
if(TARGET parallax_help)
  set(parallax_share ${PROJECT_BINARY_DIR}/share)
  install(FILES ${parallax_share}/parallax.bash RENAME parallax COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${parallax_share}/parallax.1 COMPONENT program DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
# As they stand in the sources, so that links from page to page hold.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
set(parallax_pages README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CITATION.cff LICENSE)
list(TRANSFORM parallax_pages PREPEND ${PROJECT_SOURCE_DIR}/)
install(FILES ${parallax_pages} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# The name that Debian's policy gives it, and that slim images keep.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# --- the package: cpack --config build/release/CPackConfig.cmake ----------------------
# One package a part: parallax (the program), libparallax-dev, python3-parallax,
# gstreamer1.0-parallax.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "parallax maintainers <${PROJECT_NAME}@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL library)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libparallax-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libhwy-dev, libyaml-cpp-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Library of parallax: headers, static libraries, find_package")
if(TARGET parallax)
  list(APPEND CPACK_COMPONENTS_ALL program)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME parallax)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}")
  if(TARGET parallax_viewer)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "open3d-gui-data | open3d-viewer-data")  # no shared library, so SHLIBDEPS does not see it
  endif()
endif()
if(TARGET parallax_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-parallax)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  # The module is for the one version that its ending names (.cpython-311-...).
  string(REGEX MATCH "cpython-3([0-9]+)" parallax_minor "${parallax_python_suffix}")
  math(EXPR parallax_next_minor "0${CMAKE_MATCH_1} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${CMAKE_MATCH_1}), python3 (<< 3.${parallax_next_minor}), python3-numpy")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Python module of parallax: numpy arrays in, disparity, depth and clouds out")
endif()
if(TARGET parallax_gstreamer)
  list(APPEND CPACK_COMPONENTS_ALL gstreamer)
  set(CPACK_DEBIAN_GSTREAMER_PACKAGE_NAME gstreamer1.0-parallax)
  set(CPACK_DEBIAN_GSTREAMER_PACKAGE_SECTION video)
  set(CPACK_DEBIAN_GSTREAMER_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_GSTREAMER_DESCRIPTION "GStreamer element parallaxstereo: stereo images to disparity and depth")
endif()
# Packages are for every machine, not for the one that builds them.
if(PARALLAX_INSTRUCTION_SETS OR PARALLAX_FIRST_BUILD)
  file(WRITE ${PROJECT_BINARY_DIR}/no_package.cmake "message(FATAL_ERROR
    \"${PROJECT_BINARY_DIR} has code for this machine alone: cmake --preset release && cmake --build --preset release\")\n")
  set(CPACK_INSTALL_SCRIPTS ${PROJECT_BINARY_DIR}/no_package.cmake)
endif()
include(CPack)
