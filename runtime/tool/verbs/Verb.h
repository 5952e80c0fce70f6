// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A verb is a subcommand: `patchbay list`, `patchbay record`, ... Each lives in
// the file of its name, with its options and its help.
#ifndef PATCHBAY_TOOL_VERB_H
#define PATCHBAY_TOOL_VERB_H

#include "Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

namespace patchbay {

/// Where `record` writes and `report` reads unless told otherwise.
constexpr char DefaultDataDir[] = "patchbay.data";

struct Verb {
  llvm::cl::SubCommand &Command;
  /// Examples and exit codes, printed after the options.
  const char *Help;
  /// Returns the exit code. Program is PROG and its arguments, empty for verbs
  /// that do not run one.
  llvm::Expected<int> (*Run)(llvm::ArrayRef<const char *> Program);
  bool RunsProgram = false;
};

extern llvm::cl::OptionCategory ToolOptions;
extern const Verb ArchiveVerb, AttachVerb, DumpVerb, GraphVerb, ImportVerb, InfoVerb,
    ListVerb, LiveVerb, OutliersVerb, RecordVerb, ReplayVerb, ReportVerb, StatusVerb,
    TuiVerb, VerifyVerb;

} // namespace patchbay

#endif
