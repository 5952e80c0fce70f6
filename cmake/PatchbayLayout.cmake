# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Which folder each part is installed to, and which package it is a part of.
#
# Debian's packages (PATCHBAY_DEBIAN, which the preset `package` sets) differ from a
# folder of one's own: what belongs to one version of LLVM goes to folders of that
# version, so that the plugins for two of them can be installed side by side, and
# /usr/bin/ld.lld stays what the package lld installs. /usr/lib/llvm-22/bin is where
# clang-22 looks for configuration files, so there --config=patchbay.cfg is enough.
# What the command preloads has no version in its name, so it is not for the folder
# where libraries are that programs link with.
#
# Components, each a package: command, pass, lld, runtime, bpf, dev.
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
