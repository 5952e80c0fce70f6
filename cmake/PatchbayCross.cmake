# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libpatchbay for other architectures, in lib/<arch>: this project once more,
# configured for a target whose C library is installed. ARCH is what uname -m
# says there, and the folder in runtime/core/arch.
include(ExternalProject)

function(patchbay_cross arch target)
  if(arch STREQUAL CMAKE_SYSTEM_PROCESSOR OR
     NOT EXISTS /usr/${target}/lib/libc.so.6)
    return()
  endif()
  ExternalProject_Add(patchbay-${arch}
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    BINARY_DIR ${CMAKE_BINARY_DIR}/${arch}
    PREFIX ${CMAKE_BINARY_DIR}/${arch}/external
    CMAKE_ARGS
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DCMAKE_SYSTEM_NAME=Linux
      -DCMAKE_SYSTEM_PROCESSOR=${arch}
      -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -DCMAKE_C_COMPILER_TARGET=${target}
      -DCMAKE_CXX_COMPILER_TARGET=${target}
      -DCMAKE_ASM_COMPILER_TARGET=${target}
      -DCMAKE_AR=${LLVM_TOOLS_BINARY_DIR}/llvm-ar
      -DCMAKE_RANLIB=${LLVM_TOOLS_BINARY_DIR}/llvm-ranlib
      -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld
      # There need not be a C++ library, and nothing can be linked without.
      -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
      -DPATCHBAY_LIB_DIR=${CMAKE_BINARY_DIR}/lib/${arch}
    BUILD_ALWAYS ON
    INSTALL_COMMAND "")
endfunction()

patchbay_cross(aarch64 aarch64-linux-gnu)
patchbay_cross(ppc64le powerpc64le-linux-gnu)
patchbay_cross(riscv64 riscv64-linux-gnu)
