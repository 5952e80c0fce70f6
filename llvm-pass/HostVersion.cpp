// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses a compiler or linker of another LLVM, whose C++ interfaces are others. This
// runs before anything else of the plugin. The loader would refuse first, for some
// function that the other LLVM does not have, and name that; so what the plugin takes
// from LLVM is weak (weaken-llvm.py), and this comes to say what is the matter.
#include "llvm/Config/llvm-config.h"
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

// Of LLVM's C interface, which stays (llvm-c/Core.h). A program that LLVM is linked into
// statically need not have it: there a wrong version is not noticed here.
extern "C" void LLVMGetVersion(unsigned *Major, unsigned *Minor, unsigned *Patch)
    __attribute__((weak));

// What every program with LLVM in it has of its C++ interface: llvm::errs().
extern "C" void _ZN4llvm4errsEv() __attribute__((weak));

static const char *ownFile() {
  Dl_info Self;
  return dladdr(reinterpret_cast<void *>(ownFile), &Self) ? Self.dli_fname
                                                          : "patchbay-pass.so";
}

// The first priority that is not the implementation's (GCC manual, "constructor"):
// initialisers of the plugin's variables call LLVM, and come later. When it ends the
// process nothing was done yet that would have to be undone; what the program set up to
// be called at its end is not to run in the middle of loading.
__attribute__((constructor(101))) static void checkHostVersion() {
  // GCC has an option of the same name.
  if (!LLVMGetVersion && !_ZN4llvm4errsEv) {
    fprintf(stderr, "error: %s is for clang %d, and this is no program with LLVM in it\n",
            ownFile(), LLVM_VERSION_MAJOR);
    _exit(1);
  }
  if (!LLVMGetVersion)
    return;
  unsigned Major, Minor, Patch;
  LLVMGetVersion(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR)
    return;
  fprintf(stderr,
          "error: %s is made for LLVM %s and cannot be loaded into LLVM %u.%u.%u: use "
          "clang %d, or the plugin of a Patchbay built for LLVM %u\n",
          ownFile(), LLVM_VERSION_STRING, Major, Minor, Patch, LLVM_VERSION_MAJOR, Major);
  _exit(1);
}
