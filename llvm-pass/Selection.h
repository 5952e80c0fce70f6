// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions get a slot.
#ifndef PATCHBAY_LLVM_PASS_SELECTION_H
#define PATCHBAY_LLVM_PASS_SELECTION_H

#include <string>

namespace llvm {
class Function;
class MachineFunction;
class Module;
class TargetMachine;
} // namespace llvm

namespace patchbay {

class Requests;
struct SiteTable;
struct SlotLayout;

/// Why no function of a module can have a slot; empty if they can.
std::string whyNotModule(const llvm::TargetMachine &TM,
                         const SlotLayout *Layout);

/// Whether -fpatchable-function-entry puts NOPs at the function's entry, and so
/// an address into LLVM's table.
bool hasEntryNOPs(const llvm::Function &F);

/// Whether LLVM made a function up, for CFI, a sanitizer or a profile: it says
/// nothing about what the module's author wanted.
bool isSynthesized(const llvm::Function &F);

struct Choice {
  bool Instrument;
  const char *Reason; // null if the function is one like any other
  /// Whether nobody asks to leave the function alone, but an option of the
  /// command line keeps it, and others like it, from having a slot.
  bool ForbiddenByFlags = false;
};

/// Decides about one function: first what cannot be, then, in user mode, by the
/// user's requests, and then by the threshold.
Choice choose(const llvm::MachineFunction &MF, const SiteTable &Table,
              const Requests &Requested);

} // namespace patchbay

#endif
