// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "NewPassManager.h"
#include "Diagnostics.h"
#include "Options.h"
#include "SlotLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace patchbay;

static constexpr StringLiteral
    Refusal("code generation by the new pass manager (-fenable-new-pm-codegen, "
            "llc -enable-new-pm) has no place for plugins, no function would "
            "have a slot: leave the option out");

static constexpr StringLiteral Option("-fenable-new-pm-codegen"),
    Opposite("-fno-enable-new-pm-codegen");

/// The last of the option and its opposite counts. clang puts each argument in quotes.
static bool asksForIt(StringRef InQuotes) {
  auto LastOf = [&](StringRef Option) {
    size_t At = InQuotes.rfind(("\"" + Option + "\"").str());
    return At == StringRef::npos ? 0 : At + 1;
  };
  return LastOf(Option) > LastOf(Opposite);
}

/// llc's own option; what it parses has the type that it was declared with.
static bool isNewInLLC() {
  cl::Option *O = cl::getRegisteredOptions().lookup("enable-new-pm");
  return O && static_cast<cl::opt<bool> *>(O)->getValue();
}

bool patchbay::refuseNewPassManager(Module &M, TargetMachine &TM) {
  if (options().Disable || !findSlotLayout(TM.getTargetTriple()))
    return false;
  if (!asksForIt(TM.Options.MCOptions.CommandlineArgs) && !isNewInLLC())
    return false;
  error(M, Refusal);
  return true;
}
