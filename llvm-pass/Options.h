// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's options, which are LLVM options: llc reads -patchbay-..., and
// clang reads -Xclang -mllvm -Xclang -patchbay-... (README.md says why). The
// names are the names of clang's options for XRay, with the prefix patchbay.
#ifndef PATCHBAY_LLVM_PASS_OPTIONS_H
#define PATCHBAY_LLVM_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace patchbay {

namespace cl = llvm::cl;

/// In user mode the pass emits sites and records. In kernel mode LLVM emits the
/// NOPs of -fpatchable-function-entry and their table instead.
enum class Mode { Auto, User, Kernel };

/// The option by which a copy of the plugin finds another copy.
inline constexpr char DisableName[] = "patchbay-disable";

struct Options {
  cl::OptionCategory Category{"Patchbay options"};
  cl::opt<bool> Disable{
      DisableName,
      cl::desc("Instrument nothing, as if the plugin were not loaded"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<Mode> ModeOption{
      "patchbay-mode", cl::init(Mode::Auto), cl::desc("What to emit:"),
      cl::values(
          clEnumValN(Mode::Auto, "auto",
                     "kernel mode if all functions of the module have "
                     "-fpatchable-function-entry, otherwise user mode"),
          clEnumValN(Mode::User, "user",
                     "slots, sites and records, except for functions with "
                     "-fpatchable-function-entry"),
          clEnumValN(Mode::Kernel, "kernel",
                     "only slots, for functions with "
                     "-fpatchable-function-entry")),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::list<std::string> AttrListPaths{
      "patchbay-attr-list", cl::value_desc("file"),
      cl::desc("Select functions by a list with sections [always] and [never] of "
               "entries fun:<glob> and mainfile:<glob>. Attributes in the source "
               "override lists, fun overrides mainfile, always overrides never, "
               "and the threshold is used last. May be given several times"),
      cl::cat(Category)};
  cl::opt<unsigned> InstructionThreshold{
      "patchbay-instruction-threshold", cl::init(0), cl::value_desc("n"),
      cl::desc("Exclude functions of fewer than <n> machine instructions, "
               "unless they have a loop"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> IgnoreLoops{
      "patchbay-ignore-loops",
      cl::desc("Exclude functions below the threshold even if they have a loop"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> Require{
      "patchbay-require",
      cl::desc("Fail if a module has functions, but none of them gets a slot"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> ZeroSites{
      "patchbay-zero-sites",
      cl::desc("x86-64: emit sites with the immediate 0, for memcheck, and for "
               "GNU objcopy, which makes hidden symbols local. Arming a function "
               "for the first time is slower"),
      cl::ZeroOrMore, cl::cat(Category)};
};

/// The first call registers the options with LLVM. A global variable would
/// register them when the plugin is loaded, and LLVM would abort if a second
/// copy of the plugin registers the same options.
inline const Options &options() {
  static const Options TheOptions;
  return TheOptions;
}

} // namespace patchbay

#endif
