// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions of the C library that ask which module called them.
//
// dlsym(RTLD_NEXT) and dlopen() with $ORIGIN or RUNPATH go by their return address. In
// a tail call that is the return address of the function which makes the call. While a
// tracer of exits is armed on that function, the address lies in code of the tracer, and
// the C library takes another module for the caller. Without the tail call the address
// lies in the function itself, whatever the caller is.
#ifndef PATCHBAY_LLVM_PASS_LOADERCALLS_H
#define PATCHBAY_LLVM_PASS_LOADERCALLS_H

namespace llvm {
class Module;
}

namespace patchbay {

/// Marks such calls as no tail calls, but for guaranteed ones. Before code is
/// generated. Returns whether there were any.
bool keepLoaderCalls(llvm::Module &M);

} // namespace patchbay

#endif
