# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check-lld-upstream runs LLD's own tests with Patchbay's linker and compares the results
# with an unpatched build's. The target is not part of check, because it takes minutes.
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
foreach(suffix "" -twice)
  add_custom_target(check-lld-upstream${suffix}
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check-upstream.py
      --lld $<TARGET_FILE:lld-patchbay> --source ${PATCHBAY_LLD_SOURCE}
      --llvm-config ${LLVM_TOOLS_BINARY_DIR}/llvm-config
      --lit ${LLVM_TOOLS_BINARY_DIR}/lit
      --baseline ${PATCHBAY_LLD_SERIES}/upstream-suite.txt
      --work ${CMAKE_CURRENT_BINARY_DIR}/upstream-suite
      $<$<STREQUAL:${suffix},-twice>:--twice>
    DEPENDS lld-patchbay USES_TERMINAL COMMAND_EXPAND_LISTS VERBATIM)
endforeach()
