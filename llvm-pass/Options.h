// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass's options are LLVM options. llc reads them as -patchbay-..., clang
// after -Xclang -mllvm -Xclang; the README says why. The names are those of
// clang's options for XRay, with our prefix.
#ifndef PATCHBAY_LLVM_PASS_OPTIONS_H
#define PATCHBAY_LLVM_PASS_OPTIONS_H

#include "llvm/Support/CommandLine.h"
#include <string>

namespace patchbay {

namespace cl = llvm::cl;

/// In user mode the pass emits sites and records. In kernel mode LLVM emits the
/// NOPs of -fpatchable-function-entry and their table instead.
enum class Mode { Auto, User, Kernel };

/// The option by which a copy of the plugin finds another one.
inline constexpr char DisableName[] = "patchbay-disable";

struct Options {
  cl::OptionCategory Category{"Patchbay options"};
  cl::opt<bool> Disable{
      DisableName,
      cl::desc("Leave every function alone, as if the plugin were not loaded"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<Mode> ModeOption{
      "patchbay-mode", cl::init(Mode::Auto), cl::desc("What is emitted:"),
      cl::values(
          clEnumValN(Mode::Auto, "auto",
                     "kernel mode in a module where all functions have "
                     "-fpatchable-function-entry, else user mode"),
          clEnumValN(Mode::User, "user",
                     "slots, sites and records, but none for functions with "
                     "-fpatchable-function-entry"),
          clEnumValN(Mode::Kernel, "kernel",
                     "slots, and only for functions with "
                     "-fpatchable-function-entry")),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::list<std::string> AttrListPaths{
      "patchbay-attr-list", cl::value_desc("file"),
      cl::desc("Read which functions to instrument, in sections [always] and "
               "[never] of entries fun:<glob> and mainfile:<glob>. Attributes "
               "in the source come before the list, fun before mainfile, always "
               "before never, and all of them before the threshold. May be "
               "given several times"),
      cl::cat(Category)};
  cl::opt<unsigned> InstructionThreshold{
      "patchbay-instruction-threshold", cl::init(0), cl::value_desc("n"),
      cl::desc("Leave functions of fewer than <n> machine instructions alone, "
               "unless they have a loop"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> IgnoreLoops{
      "patchbay-ignore-loops",
      cl::desc("Leave functions below the threshold alone even if they have a "
               "loop"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> Require{
      "patchbay-require",
      cl::desc("Make it an error if a module has functions, but none of them "
               "gets a slot"),
      cl::ZeroOrMore, cl::cat(Category)};
  cl::opt<bool> ZeroSites{
      "patchbay-zero-sites",
      cl::desc("x86-64: leave the immediates of sites 0, for memcheck and for "
               "GNU objcopy that makes hidden symbols local; arming a function "
               "for the first time is slower"),
      cl::ZeroOrMore, cl::cat(Category)};
};

/// The first call registers the options with LLVM. Global variables would not
/// do: if the plugin is loaded from two files, LLVM aborts because each option
/// exists twice.
inline const Options &options() {
  static const Options TheOptions;
  return TheOptions;
}

} // namespace patchbay

#endif
