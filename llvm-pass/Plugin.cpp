// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the pass with LLVM, when the library is loaded. Several options may
// load it: the dynamic linker maps a file once, and a second file with the same
// plugin does nothing. LLVM's interfaces used here may change with its versions.
#include "Options.h"
#include "SitePrinter.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace patchbay;

// Insert the pass so late that no other pass adds code between entry and site.
static void insertPass(TargetMachine &TM, PassManagerBase &,
                       TargetPassConfig *TPC) {
  const SlotLayout *Layout = findSlotLayout(TM.getTargetTriple());
  const PassInfo *Before =
      Layout ? PassRegistry::getPassRegistry()->getPassInfo(Layout->InsertAfter)
             : nullptr;
  TPC->insertPass(Before ? Before->getTypeInfo() : &FuncletLayoutID,
                  &OpsSlotPassID);
}

/// The file that the code or data at \p Address was loaded from.
static std::string fileOf(const void *Address) {
  Dl_info Info;
  return dladdr(Address, &Info) ? Info.dli_fname : "a file";
}

static bool haveSameContent(StringRef PathA, StringRef PathB) {
  auto A = MemoryBuffer::getFile(PathA), B = MemoryBuffer::getFile(PathB);
  return A && B && (*A)->getBuffer() == (*B)->getBuffer();
}

/// Registers everything with LLVM, unless a copy of this file has done so. Two
/// different plugins are an error: both would instrument, and only the user
/// knows which one is the right one.
static bool activate() {
  if (const cl::Option *Known =
          cl::getRegisteredOptions().lookup(DisableName)) {
    std::string First = fileOf(Known), Second = fileOf(DisableName);
    if (haveSameContent(First, Second))
      return false;
    // There is no compilation yet that could fail. So exit as LLVM does for an
    // unknown option; a fatal error would make clang dump its stack.
    WithColor::error(errs()) << "patchbay: two different plugins are loaded, '"
                             << First << "' and '" << Second
                             << "': load one of them\n";
    exit(1);
  }
  options();
  static RegisterTargetPassConfigCallback InsertPass(insertPass);
  // Insertion is by ID and llc's -run-pass= is by name. Both need a registered
  // pass.
  initializeOpsSlotPassPass(*PassRegistry::getPassRegistry());
  // Gives the pass access to LLVM's printer; see SitePrinter.h.
  static GCRegistry::Add<SiteStrategy> Strategy(PassName, "Patchbay slots");
  static GCMetadataPrinterRegistry::Add<SitePrinterHook> Hook(PassName,
                                                              "Patchbay slots");
  return true;
}

static const bool Active = activate();

/// Whether clang's options select code generation by the new pass manager. The
/// last of -f(no-)enable-new-pm-codegen counts. Clang quotes each argument.
static bool isNewInClang(StringRef InQuotes) {
  static_assert(StringRef::npos + 1 == 0, "not found is before all places");
  return InQuotes.rfind("\"-fenable-new-pm-codegen\"") + 1 >
         InQuotes.rfind("\"-fno-enable-new-pm-codegen\"") + 1;
}

/// Whether llc's option selects the new pass manager. The option is a bool.
static bool isNewInLLC() {
  cl::Option *O = cl::getRegisteredOptions().lookup("enable-new-pm");
  return O && static_cast<cl::opt<bool> *>(O)->getValue();
}

/// Refuses code generation by the new pass manager. A plugin cannot add machine
/// passes to it, so without this error no function would have a slot. LLVM
/// calls this before it sets up either pass manager.
static bool refuseNewPassManager(Module &M, TargetMachine &TM, CodeGenFileType,
                                 raw_pwrite_stream &) {
  if (!Active || options().Disable || !findSlotLayout(TM.getTargetTriple()) ||
      (!isNewInClang(TM.Options.MCOptions.CommandlineArgs) && !isNewInLLC()))
    return false;
  error(M, "code generation by the new pass manager (-fenable-new-pm-codegen, "
           "llc -enable-new-pm) cannot run the plugin: remove the option");
  return true;
}

// The entry point of -fpass-plugin= and --load-pass-plugin=.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, PassName, LLVM_VERSION_STRING,
          [](PassBuilder &PB) {
            if (!Active)
              return;
            PB.registerPipelineStartEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel) {
                  MPM.addPass(DropPrefixesPass());
                });
            // Runs last before bitcode is written. If LTO continues from there,
            // code generation follows in the same process.
            PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM,
                                                  OptimizationLevel,
                                                  ThinOrFullLTOPhase Phase) {
              if (Phase != ThinOrFullLTOPhase::ThinLTOPostLink &&
                  Phase != ThinOrFullLTOPhase::FullLTOPostLink)
                MPM.addPass(AddBitcodeNotePass());
            });
          },
          refuseNewPassManager};
}
