// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NewPassManager.h"
#include "Diagnostics.h"
#include "Options.h"
#include "SlotLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

static constexpr StringLiteral
    Refusal("code generation by the new pass manager (-fenable-new-pm-codegen, "
            "llc -enable-new-pm) has no place for plugins, no function would "
            "have a slot: leave the option out");

/// The last of the option and its opposite counts.
static bool asksForIt(StringRef CommandLine, StringRef Before,
                      StringRef Behind) {
  auto LastOf = [&](StringRef Option) {
    size_t At = CommandLine.rfind((Before + Option + Behind).str());
    return At == StringRef::npos ? 0 : At + 1;
  };
  return LastOf("-fenable-new-pm-codegen") >
         LastOf("-fno-enable-new-pm-codegen");
}

/// llc's own option; what it parses has the type that it was declared with.
static bool isNewInLLC() {
  cl::Option *O = cl::getRegisteredOptions().lookup("enable-new-pm");
  return O && static_cast<cl::opt<bool> *>(O)->getValue();
}

bool patchbay::refuseNewPassManager(Module &M, TargetMachine &TM) {
  if (options().Disable || !findSlotLayout(TM.getTargetTriple()))
    return false;
  // clang puts each argument in quotes.
  if (!asksForIt(TM.Options.MCOptions.CommandlineArgs, "\"", "\"") &&
      !isNewInLLC())
    return false;
  error(M, Refusal);
  return true;
}

StringRef patchbay::whyNotThisCommandLine() {
  // A file of this kind has no size that could be known before it is read.
  auto Buffer = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  if (!Buffer)
    return "";
  // Each argument ends with a zero; the first one is the program.
  StringRef Zero("\0", 1), CommandLine = (*Buffer)->getBuffer();
  bool Disabled =
      CommandLine.contains((Zero + "-" + DisableName + Zero).str());
  return !Disabled && asksForIt(CommandLine, Zero, Zero) ? StringRef(Refusal)
                                                         : StringRef();
}
