# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds libpatchbay for other architectures, into lib/<arch>: configures this
# project again for each target whose C library is installed. <arch> is the output
# of uname -m on the target, and the target's folder in runtime/core/arch.
include(ExternalProject)

set(cache $ENV{XDG_CACHE_HOME})
if(NOT cache)
  set(cache $ENV{HOME}/.cache)
endif()
string(APPEND cache /patchbay)

function(patchbay_cross arch target)
  if(arch STREQUAL CMAKE_SYSTEM_PROCESSOR OR
     NOT EXISTS /usr/${target}/lib/libc.so.6)
    return()
  endif()
  # Also build the command if fetch-llvm.sh has fetched LLVM's archives.
  set(command_args)
  set(llvm ${cache}/llvm/${arch}-${LLVM_VERSION_MAJOR})
  if(EXISTS ${llvm}/libLLVMSupport.a AND
     EXISTS ${CMAKE_SOURCE_DIR}/runtime/tool/attach/arch/${arch}/Stub.S)
    set(libs DebugInfoDWARF Object TextAPI MCParser IRReader AsmParser MC BitReader Core
      Remarks BitstreamReader DebugInfoDWARFLowLevel BinaryFormat TargetParser Support
      Demangle)
    list(JOIN libs "|" libs)
    set(command_args
      -DPATCHBAY_CROSS_LLVM=${llvm}
      -DPATCHBAY_CROSS_LLVM_LIBS=${libs}
      -DLLVM_DEFINITIONS=${LLVM_DEFINITIONS})
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
      # CMake cannot link its test programs, because the target may have no C++ library.
      -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
      -DPATCHBAY_LIB_DIR=${CMAKE_BINARY_DIR}/lib/${arch}
      -DLLVM_INCLUDE_DIRS=${LLVM_INCLUDE_DIRS}
      ${command_args}
    LIST_SEPARATOR "|"
    BUILD_ALWAYS ON
    INSTALL_COMMAND "")
endfunction()

patchbay_cross(aarch64 aarch64-linux-gnu)
patchbay_cross(ppc64le powerpc64le-linux-gnu)
patchbay_cross(riscv64 riscv64-linux-gnu)
