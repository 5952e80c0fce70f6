# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets the install folders.
#
# Debian's packages (PATCHBAY_DEBIAN, set by the preset `package`) have other folders.
# Files for one LLVM version are in folders of that version, so that plugins for two
# versions can be installed side by side. The linker is in libexec, because
# /usr/bin/ld.lld belongs to the package lld. clang-22 searches /usr/lib/llvm-22/bin
# for configuration files, so --config=patchbay.cfg needs no path. The libraries that
# the command preloads have names without a version, so they are in a folder that
# linkers do not search.
#
# Components, each a package: command, live, pass, lld, runtime, bpf, dev.
option(PATCHBAY_DEBIAN "lay files out as Debian's packages have them" OFF)
if(PATCHBAY_DEBIAN)
  set(PATCHBAY_INSTALL_PLUGINDIR lib/llvm-${LLVM_VERSION_MAJOR}/lib)
  set(PATCHBAY_INSTALL_CONFIGDIR lib/llvm-${LLVM_VERSION_MAJOR}/bin)
  set(PATCHBAY_INSTALL_LINKERDIR libexec/patchbay/llvm-${LLVM_VERSION_MAJOR})
  set(PATCHBAY_INSTALL_TRACERDIR ${CMAKE_INSTALL_LIBDIR}/patchbay)
else()
  set(PATCHBAY_INSTALL_PLUGINDIR ${CMAKE_INSTALL_LIBDIR})
  set(PATCHBAY_INSTALL_CONFIGDIR ${CMAKE_INSTALL_LIBDIR}/patchbay)
  set(PATCHBAY_INSTALL_LINKERDIR ${CMAKE_INSTALL_BINDIR})
  set(PATCHBAY_INSTALL_TRACERDIR ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(dir PLUGINDIR CONFIGDIR LINKERDIR TRACERDIR)
  GNUInstallDirs_get_absolute_install_dir(PATCHBAY_INSTALL_FULL_${dir}
    PATCHBAY_INSTALL_${dir} ${dir})
endforeach()
