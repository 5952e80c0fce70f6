# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Ways into an installed Patchbay: a configuration file for clang, a CMake
# package, pkg-config files. They name everything relative to themselves, so
# the installed tree can be moved.
include(CMakePackageConfigHelpers)

# Configures cmake/NAME.in for the folder below lib that it is installed to: from
# there bin, lib and include are at @BINDIR@, @LIBDIR@ and @INCLUDEDIR@.
function(install_relative name destination)
  set(here ${CMAKE_INSTALL_FULL_LIBDIR}/${destination})
  foreach(dir BINDIR LIBDIR INCLUDEDIR)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_${dir} BASE_DIRECTORY ${here}
      OUTPUT_VARIABLE ${dir})
  endforeach()
  configure_file(cmake/${name}.in package/${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/${name}
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/${destination})
endfunction()

install_relative(patchbay.cfg patchbay)
# Of the plugin that is installed, which may be stripped.
install(CODE "
  set(lib \"${CMAKE_INSTALL_LIBDIR}\")
  cmake_path(ABSOLUTE_PATH lib BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${lib}/patchbay/plugin-id.h\")
  set(lib \"\$ENV{DESTDIR}\${lib}\")
  set(PLUGIN \"\${lib}/patchbay-pass.so\")
  set(HEADER \"\${lib}/patchbay/plugin-id.h\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/WritePluginId.cmake\")")
install_relative(patchbay.pc pkgconfig)
install_relative(patchbay-link.pc pkgconfig)
if(TARGET patchbay-bpf)
  install_relative(patchbay-bpf.pc pkgconfig)
endif()

set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/patchbay)
configure_package_config_file(cmake/patchbayConfig.cmake.in
  package/patchbayConfig.cmake INSTALL_DESTINATION ${destination})
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/package/patchbayConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/package/patchbayConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/package/patchbayConfigVersion.cmake
  DESTINATION ${destination})
install(EXPORT patchbay FILE patchbayTargets.cmake NAMESPACE Patchbay::
  DESTINATION ${destination})
