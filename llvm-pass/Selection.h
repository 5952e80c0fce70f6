// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the functions that get a slot.
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

/// Whether LLVM synthesized a function, for CFI, a sanitizer or a profile. Such
/// a function does not show the wishes of the module's author.
bool isSynthesized(const llvm::Function &F);

struct Choice {
  bool Instrument;
  const char *Reason; // null if the function is an ordinary one
  /// Whether a command line option keeps this function and similar ones from
  /// having a slot, although no request excludes it.
  bool ForbiddenByFlags = false;
};

/// Decides about one function: first by obstacles, then, in user mode, by the
/// user's requests and by the threshold.
Choice choose(const llvm::MachineFunction &MF, const SiteTable &Table,
              const Requests &Requested);

} // namespace patchbay

#endif
