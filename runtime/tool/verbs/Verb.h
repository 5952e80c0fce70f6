// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A verb is a subcommand: `patchbay list`, `patchbay record`, ... Each has a file of its
// name, with its options and its help.
#pragma once

#include "Options.h"

namespace patchbay {

struct Verb {
  OptionTable &Options;
  /// Sections printed after the options: EXAMPLES first, EXIT CODES last. The man page
  /// is made from the same text (help-to-man.py).
  const char *Help;
  /// Returns the exit code. Program is PROG and its arguments; empty if the verb
  /// does not run a program.
  llvm::Expected<int> (*Run)(llvm::ArrayRef<const char *> Program);
};

extern const Verb ArchiveVerb, AttachVerb, DumpVerb, GraphVerb, ImportVerb, InfoVerb,
    ListVerb, LiveVerb, OutliersVerb, RecordVerb, ReplayVerb, ReportVerb, StatusVerb,
    TuiVerb, VerifyVerb;

} // namespace patchbay
