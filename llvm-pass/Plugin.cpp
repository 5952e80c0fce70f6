// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and nothing else: the ways in may change with LLVM's versions.
//
// Loading the library is what registers the pass, so it does not matter which
// option loaded it, or how many did: a process maps a library once.
#include "Diagnostics.h"
#include "KernelMode.h"
#include "OpsSlotPass.h"
#include "SitePrinter.h"
#include "SlotLayout.h"
#include "patchbay/abi.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace llvm;
using namespace patchbay;

// Late enough that nothing comes between the entry and the site any more.
static RegisterTargetPassConfigCallback
    InsertPass([](TargetMachine &TM, PassManagerBase &, TargetPassConfig *TPC) {
      const SlotLayout *Layout = findSlotLayout(TM.getTargetTriple());
      const PassInfo *Behind =
          Layout ? PassRegistry::getPassRegistry()->getPassInfo(Layout->Behind)
                 : nullptr;
      TPC->insertPass(Behind ? Behind->getTypeInfo() : &FuncletLayoutID,
                      &OpsSlotLegacy::ID);
    });

// Insertion is by ID and llc's -run-pass= is by name: both need a pass that is
// registered.
[[maybe_unused]] static const bool Registered = [] {
  initializeOpsSlotLegacyPass(*PassRegistry::getPassRegistry());
  return true;
}();

// How the pass gets at LLVM's printer; SitePrinter.h says why.
static GCRegistry::Add<SiteStrategy> Strategy(PassName, "Patchbay slots");
static GCMetadataPrinterRegistry::Add<SitePrinterHook> Hook(PassName,
                                                            "Patchbay slots");

// What -fpass-plugin= and --load-pass-plugin= look for.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, PassName, LLVM_VERSION_STRING,
          [](PassBuilder &PB) {
            PB.registerPipelineStartEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel) {
                  MPM.addPass(DropPrefixesPass());
                });
          },
          nullptr};
}
