# cmake --install: the program, the library (pipeline/, cuda/ and the choice between back ends) with its headers,
# and find_package(parallax).
#   find_package(parallax REQUIRED)
#   target_link_libraries(mine PRIVATE parallax::parallax)     and in the code     #include "parallax.h"
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(parallax_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/parallax)
set(parallax_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/parallax)

# --- the library -----------------------------------------------------------------
add_library(parallax_everything INTERFACE)  # what a user links: parallax::parallax
target_link_libraries(parallax_everything INTERFACE parallax_backends parallax_pipeline)
# Not on parallax_pipeline: CMake 3.25.1 believes that nvcc cannot do C++20.
target_compile_features(parallax_everything INTERFACE cxx_std_20)
target_include_directories(parallax_everything INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>)
set(parallax_libraries parallax_everything parallax_backends parallax_pipeline)
set(PARALLAX_HAS_CUDA OFF)
if(TARGET parallax_cuda)
  set(PARALLAX_HAS_CUDA ON)
  target_link_libraries(parallax_everything INTERFACE parallax_cuda)
  list(APPEND parallax_libraries parallax_cuda)
endif()
foreach(library IN LISTS parallax_libraries)
  string(REPLACE parallax_ "" name ${library})
  string(REPLACE everything parallax name ${name})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  add_library(parallax::${name} ALIAS ${library})
endforeach()

install(TARGETS ${parallax_libraries} EXPORT parallaxTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT parallaxTargets NAMESPACE parallax:: DESTINATION ${parallax_cmake_dir} COMPONENT library)
# The headers of the interface: what parallax.h and parallax/opencv.h include, and what those include. tests/install
# compares.
set(parallax_headers
    config/backends.h
    config/devices.h
    parallax/opencv.h
    pipeline/aligned_buffer.h
    pipeline/cloud.h
    pipeline/cloud/clean.h
    pipeline/cloud/cloud_measures.h
    pipeline/cloud/compare.h
    pipeline/cloud/distances/distances.h
    pipeline/cloud/emd/emd.h
    pipeline/cloud/geodesics/geodesics.h
    pipeline/cloud/neighbours/neighbours.h
    pipeline/cost_volume.h
    pipeline/device_matcher.h
    pipeline/device_pool.h
    pipeline/disparity_map.h
    pipeline/disparity_map_view.h
    pipeline/error.h
    pipeline/fixed_point.h
    pipeline/frame.h
    pipeline/frames/frame_road.h
    pipeline/frames/frame_source.h
    pipeline/frames/kept_matchers.h
    pipeline/host_memory.h
    pipeline/image.h
    pipeline/matcher.h
    pipeline/matcher_queue.h
    pipeline/parallel.h
    pipeline/parameters.h
    pipeline/point_cloud_view.h
    pipeline/reprojection.h
    pipeline/rig.h
    pipeline/stage_results.h
    pipeline/extra_work.h)
foreach(header IN LISTS parallax_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${parallax_include_dir}/${folder} COMPONENT library)
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/parallax.h.in ${PROJECT_BINARY_DIR}/generated/parallax.h @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parallaxConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/parallaxConfig.cmake
                              INSTALL_DESTINATION ${parallax_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/parallaxConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/parallax.h DESTINATION ${parallax_include_dir} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/generated/parallaxConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/parallaxConfigVersion.cmake
        DESTINATION ${parallax_cmake_dir} COMPONENT library)

# pkg-config --cflags --libs parallax. The archives in the order in which one needs the next.
set(PARALLAX_PC_LIBS "-lparallax_backends")
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
  install(FILES ${parallax_share}/_parallax COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${parallax_share}/parallax.fish COMPONENT program
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
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
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libhwy-dev)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Library of parallax: headers, static libraries, find_package")
if(TARGET parallax)
  list(APPEND CPACK_COMPONENTS_ALL program)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME parallax)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}")
  if(TARGET parallax_viewer)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS open3d-gui-data)  # no shared library, so SHLIBDEPS does not see it
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
include(CPack)
