# SPDX-License-Identifier: Apache-2.0
# What an installation of umrt holds, for find_package(umrt) and pkg-config: the library and its public headers. A
# program that uses it needs no package of umrt's own.
include(CMakePackageConfigHelpers)
set(umrt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/umrt)

install(TARGETS umrt EXPORT umrtTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/umrt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT umrtTargets NAMESPACE umrt:: DESTINATION ${umrt_cmake_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/umrtConfig.cmake.in ${PROJECT_BINARY_DIR}/umrtConfig.cmake
  INSTALL_DESTINATION ${umrt_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/umrtConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/umrtConfig.cmake ${PROJECT_BINARY_DIR}/umrtConfigVersion.cmake
  DESTINATION ${umrt_cmake_dir})

# Paths relative to the file itself, so that an installation may be moved, or made with `cmake --install --prefix`.
file(RELATIVE_PATH umrt_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/umrt.pc.in ${PROJECT_BINARY_DIR}/umrt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/umrt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
