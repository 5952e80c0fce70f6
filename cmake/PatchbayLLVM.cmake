# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the one LLVM that everything is built against and runs with: the
# plugin's and the linker's C++ interfaces change with every major version.
#
# Sets LLVM_* (LLVMConfig.cmake), and PATCHBAY_LLVM_VERSION_MAJOR.

set(PATCHBAY_LLVM_VERSION_MAJOR 22)

if(NOT LLVM_DIR AND NOT LLVM_ROOT)
  find_program(PATCHBAY_LLVM_CONFIG llvm-config-${PATCHBAY_LLVM_VERSION_MAJOR})
  if(PATCHBAY_LLVM_CONFIG)
    execute_process(COMMAND ${PATCHBAY_LLVM_CONFIG} --cmakedir
      OUTPUT_VARIABLE LLVM_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
find_package(LLVM QUIET CONFIG)
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "no LLVM found, LLVM ${PATCHBAY_LLVM_VERSION_MAJOR} is "
    "needed: install llvm-${PATCHBAY_LLVM_VERSION_MAJOR}-dev or set LLVM_DIR to "
    "the folder of its LLVMConfig.cmake")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL PATCHBAY_LLVM_VERSION_MAJOR)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, LLVM "
    "${PATCHBAY_LLVM_VERSION_MAJOR} is needed: set LLVM_DIR to the folder of its "
    "LLVMConfig.cmake")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
