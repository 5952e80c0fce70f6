// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of ld.lld, which calls LLD's library as LLD's own tool
// does, but with only the ELF driver.
//
// If the environment has LLD_IN_TEST=N, main() runs the linker N times in one
// process and prints the output of the last run. LLD's test suite and
// Patchbay's use LLD_IN_TEST to check that a link leaves no state behind.

#include "lld/Common/Driver.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

LLD_HAS_DRIVER(elf)

namespace lld {
// Internals of liblldCommon. LLD's own tool declares them the same way.
extern bool inTestOutputDisabled;
int unsafeLldMain(ArrayRef<const char *> args, raw_ostream &stdoutOS,
                  raw_ostream &stderrOS, ArrayRef<DriverDef> drivers,
                  bool exitEarly);
} // namespace lld

// Load the plugins of --load-pass-plugin=. A plugin's -mllvm options exist only
// after the plugin is loaded, and LLD parses -mllvm long before LTO loads
// plugins. Ignore errors: LLD will report a plugin that cannot be loaded and a
// response file that cannot be expanded.
static void loadPassPlugins(ArrayRef<const char *> argsRef) {
  SmallVector<const char *, 0> args(argsRef.begin(), argsRef.end());
  BumpPtrAllocator allocator;
  cl::ExpansionContext expansion(allocator, cl::TokenizeGNUCommandLine);
  if (Error e = expansion.expandResponseFiles(args))
    consumeError(std::move(e));
  for (size_t i = 0; i != args.size(); ++i) {
    StringRef path = args[i];
    if (path == "--load-pass-plugin" && i + 1 != args.size())
      path = args[++i];
    else if (!path.consume_front("--load-pass-plugin="))
      continue;
    sys::DynamicLibrary::LoadLibraryPermanently(path.str().c_str());
  }
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  // LLVM's own message asks to report crashes of Patchbay's linker to LLVM.
  setBugReportMsg("PLEASE report this crash to Patchbay, not to LLVM, with the "
                  "backtrace, this linker's --version and, if you can, the "
                  "archive that --reproduce= makes.\n");
  sys::Process::UseANSIEscapeCodes(true);
  ArrayRef<const char *> args(argv, argv + argc);
  loadPassPlugins(args);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};

  unsigned runs = 0;
  StringRef(getenv("LLD_IN_TEST")).getAsInteger(10, runs);
  // A linker that runs once exits without freeing memory, which saves time.
  if (!runs)
    return lld::unsafeLldMain(args, outs(), errs(), drivers,
                              /*exitEarly=*/true);

  CrashRecoveryContext::Enable();
  int first = 0;
  for (unsigned i = 0; i != runs; ++i) {
    lld::inTestOutputDisabled = i + 1 != runs;
    lld::Result r = lld::lldMain(args, outs(), errs(), drivers);
    if (!r.canRunAgain)
      lld::exitLld(r.retCode);
    if (i == 0)
      first = r.retCode;
    else if (r.retCode != first)
      return r.retCode;
  }
  return first;
}
