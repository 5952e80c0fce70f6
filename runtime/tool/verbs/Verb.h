// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A verb is a subcommand: `patchbay list`, `patchbay record`, ... The file with the verb's
// name has its options and help.
#pragma once

#include "Options.h"
#include "names/NameFilter.h"

namespace patchbay {

struct Verb {
  OptionTable &Options;
  /// Sections to print after the options: EXAMPLES first, EXIT CODES last.
  /// help-to-man.py makes the man page from the whole help.
  const char *Help;
  /// Returns the exit code. Program: PROG and its arguments; empty if the verb does not
  /// run a program.
  llvm::Expected<int> (*Run)(llvm::ArrayRef<const char *> Program);
};

extern const Verb ArchiveVerb, AttachVerb, DumpVerb, GraphVerb, ImportVerb, InfoVerb,
    ListVerb, LiveVerb, OutliersVerb, RecordVerb, ReplayVerb, ReportVerb, StatusVerb,
    TuiVerb, VerifyVerb;

/// Shows the functions of a process that match Filter but not Without. Without may be
/// nullptr. Returns the exit code.
llvm::Expected<int> listLive(unsigned Pid, NameFilter &Filter,
                             NameFilter *Without, bool Json);

} // namespace patchbay
