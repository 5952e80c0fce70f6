// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the pass with LLVM when the library is loaded. If several options
// load the plugin, from one file or from copies, it is registered once. The
// interfaces of LLVM that this file uses may change in each version.
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

/// Returns the file that the code or data at \p Address was loaded from.
static std::string fileOf(const void *Address) {
  Dl_info Info;
  return dladdr(Address, &Info) ? Info.dli_fname : "a file";
}

static bool haveSameContent(StringRef PathA, StringRef PathB) {
  auto A = MemoryBuffer::getFile(PathA), B = MemoryBuffer::getFile(PathB);
  return A && B && (*A)->getBuffer() == (*B)->getBuffer();
}

/// Registers the pass, printer and options with LLVM, unless a copy of this
/// file has done so. Two different plugins are an error, because both would add
/// slots, and only the user knows which plugin is right.
static bool activate() {
  if (const cl::Option *Known =
          cl::getRegisteredOptions().lookup(DisableName)) {
    std::string First = fileOf(Known), Second = fileOf(DisableName);
    if (haveSameContent(First, Second))
      return false;
    // LLVM has no context for errors yet. Exit as LLVM does for an unknown
    // option, because clang prints a stack dump for a fatal error.
    WithColor::error(errs()) << "patchbay: two different plugins are loaded, '"
                             << First << "' and '" << Second
                             << "': load one of them\n";
    exit(1);
  }
  options();
  static RegisterTargetPassConfigCallback InsertPass(insertPass);
  // LLVM looks up insertPass()'s ID and llc's -run-pass= in the registry.
  initializeOpsSlotPassPass(*PassRegistry::getPassRegistry());
  // These give the pass access to LLVM's AsmPrinter: see SitePrinter.h.
  static GCRegistry::Add<SiteStrategy> Strategy(PassName, "Patchbay slots");
  static GCMetadataPrinterRegistry::Add<SitePrinterHook> Hook(PassName,
                                                              "Patchbay slots");
  return true;
}

static const bool Active = activate();

/// Whether clang's options select code generation by the new pass manager: the
/// last of -f(no-)enable-new-pm-codegen counts. Clang quotes each argument.
static bool isNewInClang(StringRef InQuotes) {
  static_assert(StringRef::npos + 1 == 0, "not found is before all places");
  return InQuotes.rfind("\"-fenable-new-pm-codegen\"") + 1 >
         InQuotes.rfind("\"-fno-enable-new-pm-codegen\"") + 1;
}

/// Whether llc's option selects the new pass manager.
static bool isNewInLLC() {
  cl::Option *O = cl::getRegisteredOptions().lookup("enable-new-pm");
  return O && static_cast<cl::opt<bool> *>(O)->getValue();
}

/// Refuses code generation by the new pass manager, to which a plugin cannot
/// add machine passes: functions would silently have no slots. LLVM calls this
/// function before setting up either pass manager.
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
            // These passes run last before clang writes bitcode. After LTO's
            // link, code generation follows in the same process.
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
