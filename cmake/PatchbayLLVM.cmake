# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads LLVM's CMake files. Refuses an LLVM of another version than requested, and an
# untested version, because LLVM's C++ interfaces change with every major version.
# Include PatchbayCompiler.cmake first.
#
# Sets LLVM_VERSION_MAJOR and the other variables of LLVMConfig.cmake.

list(JOIN PATCHBAY_LLVM_VERSIONS " or " known)
set(wanted ${PATCHBAY_LLVM_VERSION_MAJOR})
if(NOT wanted)
  set(wanted ${known})
endif()
find_package(LLVM QUIET CONFIG)
if(NOT LLVM_FOUND)
  if(NOT PATCHBAY_LLVM_VERSION_MAJOR)
    set(wanted ${PATCHBAY_LLVM_DEFAULT})
  endif()
  message(FATAL_ERROR "no LLVM found, LLVM ${wanted} is needed: install "
    "llvm-${wanted}-dev or set LLVM_DIR to the folder of its LLVMConfig.cmake")
endif()
if(PATCHBAY_LLVM_VERSION_MAJOR AND
   NOT LLVM_VERSION_MAJOR EQUAL PATCHBAY_LLVM_VERSION_MAJOR)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, LLVM "
    "${wanted} is needed: set LLVM_DIR to the folder of its LLVMConfig.cmake, in a "
    "fresh build folder")
endif()
if(NOT LLVM_VERSION_MAJOR IN_LIST PATCHBAY_LLVM_VERSIONS)
  # Accept an untested version if the user names it, as cmake/next-llvm.py does.
  if(NOT PATCHBAY_LLVM_VERSION_MAJOR)
    message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, LLVM "
      "${known} is needed: set LLVM_DIR to the folder of its LLVMConfig.cmake, or try "
      "this one with -DPATCHBAY_LLVM_VERSION_MAJOR=${LLVM_VERSION_MAJOR}")
  endif()
  message(WARNING "LLVM ${LLVM_VERSION_MAJOR} is not known to work, LLVM ${known} is")
endif()
foreach(language C CXX)
  if(CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND
     NOT CMAKE_${language}_COMPILER_VERSION MATCHES "^${LLVM_VERSION_MAJOR}[.]")
    message(FATAL_ERROR "the compiler, ${CMAKE_${language}_COMPILER}, is clang "
      "${CMAKE_${language}_COMPILER_VERSION}, of LLVM ${LLVM_PACKAGE_VERSION} in "
      "${LLVM_DIR} it must be: set CMAKE_${language}_COMPILER, in a fresh build folder")
  endif()
endforeach()
# Keep the version in the cache, for later configure runs and for test scripts.
set(PATCHBAY_LLVM_VERSION_MAJOR ${LLVM_VERSION_MAJOR} CACHE STRING
  "LLVM's major version" FORCE)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
