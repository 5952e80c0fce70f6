# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds the LLVM to build with, before project() looks for a compiler. The default
# for CMAKE_C_COMPILER is clang of this LLVM, because the tests load the plugin into
# clang. These variables select the LLVM:
#
#   LLVM_DIR                     the folder of LLVMConfig.cmake
#   PATCHBAY_LLVM_VERSION_MAJOR  the major version, whose llvm-config is in PATH
#
# The default is the first version in cmake/llvm-versions. PatchbayLLVM.cmake
# checks the LLVM that this file finds.
#
# Sets LLVM_DIR, CMAKE_C_COMPILER, CMAKE_CXX_COMPILER and PATCHBAY_LLVM_VERSIONS.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/llvm-versions)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/llvm-versions PATCHBAY_LLVM_VERSIONS
  REGEX "^[0-9]+$")
list(GET PATCHBAY_LLVM_VERSIONS 0 PATCHBAY_LLVM_DEFAULT)
set(PATCHBAY_LLVM_VERSION_MAJOR "" CACHE STRING
  "LLVM's major version, if LLVM_DIR is not set (${PATCHBAY_LLVM_DEFAULT})")

if(NOT LLVM_DIR AND NOT LLVM_ROOT)
  set(wanted ${PATCHBAY_LLVM_VERSION_MAJOR})
  if(NOT wanted)
    set(wanted ${PATCHBAY_LLVM_DEFAULT})
  endif()
  find_program(PATCHBAY_LLVM_CONFIG llvm-config-${wanted})
  if(PATCHBAY_LLVM_CONFIG)
    execute_process(COMMAND ${PATCHBAY_LLVM_CONFIG} --cmakedir
      OUTPUT_VARIABLE LLVM_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(LLVM_DIR ${LLVM_DIR} CACHE PATH "the folder of LLVMConfig.cmake")
  endif()
endif()

# LLVM_DIR is lib/cmake/llvm in the folder that has bin. Prefer clang-22 to a plain
# clang, because compiler caches identify compilers by name.
set(major)
if(EXISTS ${LLVM_DIR}/LLVMConfigVersion.cmake)
  file(STRINGS ${LLVM_DIR}/LLVMConfigVersion.cmake major
    REGEX "PACKAGE_VERSION \"[0-9]+" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+" major "${major}")
endif()
foreach(language C CXX)
  set(clang clang)
  if(language STREQUAL "CXX")
    set(clang clang++)
  endif()
  if(NOT CMAKE_${language}_COMPILER)
    find_program(CMAKE_${language}_COMPILER NAMES ${clang}-${major} ${clang}
      NAMES_PER_DIR
      HINTS ${LLVM_DIR}/../../../bin ${LLVM_ROOT}/bin)
  endif()
endforeach()
