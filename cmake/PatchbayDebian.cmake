# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The target `deb` runs cmake/debian/pack.sh, which makes Debian packages in deb/
# in the build folder. `bootstrap.sh package` configures, builds and packs.
#
# The names of the linker's and the plugin's packages contain the version of LLVM.
# A build with another LLVM than the default makes only these two packages.
math(EXPR NEXT_LLVM "${LLVM_VERSION_MAJOR} + 1")
foreach(file control README.Debian)
  configure_file(cmake/debian/${file}.in package/${file} @ONLY)
endforeach()
file(CONFIGURE OUTPUT package/version CONTENT "${PROJECT_VERSION}\n")

set(packages pass=patchbay-pass-${LLVM_VERSION_MAJOR} lld=patchbay-lld-${LLVM_VERSION_MAJOR})
set(targets patchbay-pass lld-patchbay)
if(LLVM_VERSION_MAJOR EQUAL PATCHBAY_LLVM_DEFAULT)
  list(APPEND packages command=patchbay live=patchbay-live
    runtime=libpatchbay${PROJECT_VERSION_MAJOR} dev=libpatchbay-dev)
  list(APPEND targets patchbay-man patchbay-tool patchbay-trace patchbay-live patchbay-shared
    patchbay-static patchbay-link-shared patchbay-link-static)
  if(TARGET patchbay-bpf)
    list(APPEND packages bpf=libpatchbay-bpf${PROJECT_VERSION_MAJOR})
    list(APPEND targets patchbay-bpf)
  endif()
endif()
list(JOIN packages "\n" lines)
file(CONFIGURE OUTPUT package/packages CONTENT "${lines}\n")
add_custom_target(deb
  COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/debian/pack.sh ${CMAKE_BINARY_DIR}
    ${CMAKE_BINARY_DIR}/deb
  VERBATIM USES_TERMINAL)
add_dependencies(deb ${targets})
