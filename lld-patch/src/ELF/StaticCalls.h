// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static calls: see StaticCalls.cpp for what they are. The functions below are
// all that the rest of LLD knows of them, in the order in which a link calls
// them. Each does nothing unless --static-calls is given.

#ifndef PATCHBAY_LLD_ELF_STATIC_CALLS_H
#define PATCHBAY_LLD_ELF_STATIC_CALLS_H

#include "SyntheticSections.h"

namespace lld::elf {

// After the input files are parsed: pull the keys of all static calls out of
// archives, as a call refers to its key only through its tramp.
void initStaticCalls(Ctx &, bool enabled);

// Once symbol resolution is complete but for LTO, before version scripts: give
// every static call that has no tramp yet one.
void declareStaticCalls(Ctx &);

// Before markLive: a live tramp keeps its key alive.
void addStaticCallEdges(Ctx &);

// After createSyntheticSections: forget the tramps that nothing calls.
void dropDeadStaticCalls(Ctx &);

// After postScanRelocations, when it is known which symbols can be preempted:
// check the keys and find out where each tramp goes first.
void resolveStaticCalls(Ctx &);

class StaticCallArch;

// One tramp, __SCT__name. A section per tramp: --gc-sections can drop it, while
// ICF, branch-to-branch and thunks, which change calls and their targets, leave
// synthetic sections alone.
class StaticCallTramp final : public SyntheticSection {
public:
  StaticCallTramp(Ctx &ctx, const StaticCallArch &arch, StringRef callName,
                  InputFile *caller);
  size_t getSize() const override;
  void writeTo(uint8_t *buf) override;

  // What the program calls it: the symbols' names without their prefix.
  StringRef callName;
  // The first file that refers to the tramp, for messages.
  InputFile *caller;
  Defined *sym = nullptr;
  // The key, from resolveStaticCalls() on.
  Defined *key = nullptr;
  // The function that the key names first, or null if the key has none, if it
  // is known only to the dynamic linker, or if it is no address in this output.
  Defined *target = nullptr;
  int64_t targetAddend = 0;

private:
  const StaticCallArch &arch;
};

// What an architecture has to know, one implementation in Arch/ for each.
class StaticCallArch {
public:
  virtual ~StaticCallArch() = default;

  // Write the tramp at address `tramp`, whose key's func field is at `func`.
  // The first target is `target`; null means that only the field knows it.
  // Return false if no tramp at this address can reach the field.
  virtual bool writeTramp(uint8_t *buf, uint64_t tramp, uint64_t func,
                          std::optional<uint64_t> target) const = 0;

  uint32_t trampSize;
  uint32_t trampAlign;
  // sizeof(struct static_call_key) and its alignment.
  uint32_t keySize;
  uint32_t keyAlign;

protected:
  StaticCallArch(uint32_t trampSize, uint32_t trampAlign, uint32_t wordSize)
      : trampSize(trampSize), trampAlign(trampAlign), keySize(2 * wordSize),
        keyAlign(wordSize) {}
};

std::unique_ptr<StaticCallArch> makeStaticCallArchX86_64();

} // namespace lld::elf

#endif
