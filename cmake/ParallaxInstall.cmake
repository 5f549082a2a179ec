# cmake --install, and find_package(parallax) from the installed tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
