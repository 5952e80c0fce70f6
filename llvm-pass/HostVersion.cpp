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

// The first priority that is not the implementation's (GCC manual, "constructor"):
// initialisers of the plugin's variables call LLVM, and come later.
__attribute__((constructor(101))) static void checkHostVersion() {
  if (!LLVMGetVersion)
    return;
  unsigned Major, Minor, Patch;
  LLVMGetVersion(&Major, &Minor, &Patch);
  if (Major == LLVM_VERSION_MAJOR)
    return;
  Dl_info Self;
  const char *File = "patchbay-pass.so";
  if (dladdr(reinterpret_cast<void *>(checkHostVersion), &Self))
    File = Self.dli_fname;
  fprintf(stderr,
          "error: %s is made for LLVM %s and cannot be loaded into LLVM %u.%u.%u: use "
          "clang %d, or the plugin of a Patchbay built for LLVM %u\n",
          File, LLVM_VERSION_STRING, Major, Minor, Patch, LLVM_VERSION_MAJOR, Major);
  // Nothing was done yet that would have to be undone; what the program set up to be
  // called at its end is not to run in the middle of loading.
  _exit(1);
}
