# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs a configuration file for clang, a CMake package and pkg-config files. The
# paths in each file are relative to the file, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)

# Configures and installs cmake/NAME.in. The file may use these paths, relative to the
# folder DESTINATION: @BINDIR@, @LIBDIR@, @INCLUDEDIR@, @PLUGINDIR@, @LINKERDIR@ and
# @CONFIGDIR@ (of patchbay.cfg).
function(install_relative name destination component)
  GNUInstallDirs_get_absolute_install_dir(here destination LIBDIR)
  foreach(dir BINDIR LIBDIR INCLUDEDIR)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_${dir} BASE_DIRECTORY ${here}
      OUTPUT_VARIABLE ${dir})
  endforeach()
  foreach(dir PLUGINDIR LINKERDIR CONFIGDIR)
    cmake_path(RELATIVE_PATH PATCHBAY_INSTALL_FULL_${dir} BASE_DIRECTORY ${here}
      OUTPUT_VARIABLE ${dir})
  endforeach()
  configure_file(cmake/${name}.in package/${name} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/${name}
    DESTINATION ${destination} COMPONENT ${component})
endfunction()

install_relative(patchbay.cfg ${PATCHBAY_INSTALL_CONFIGDIR} pass)
# Hash the plugin at installation, which may strip the plugin.
install(CODE "
  set(lib \"${PATCHBAY_INSTALL_PLUGINDIR}\")
  cmake_path(ABSOLUTE_PATH lib BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${lib}/patchbay/plugin-id.h\")
  set(lib \"\$ENV{DESTDIR}\${lib}\")
  set(PLUGIN \"\${lib}/patchbay-pass.so\")
  set(HEADER \"\${lib}/patchbay/plugin-id.h\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/WritePluginId.cmake\")"
  COMPONENT pass)
install_relative(patchbay.pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig dev)
install_relative(patchbay-link.pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig dev)
if(TARGET patchbay-bpf)
  install_relative(patchbay-bpf.pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig dev)
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
  DESTINATION ${destination} COMPONENT dev)
install(EXPORT patchbay FILE patchbayTargets.cmake NAMESPACE Patchbay::
  DESTINATION ${destination} COMPONENT dev)
