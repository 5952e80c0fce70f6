// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of `patchbay report`: which columns, in which order, and the same
// of two recordings side by side.
#ifndef PATCHBAY_TOOL_REPORTTABLE_H
#define PATCHBAY_TOOL_REPORTTABLE_H

#include "Comparison.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

enum class Field {
  Made,
  Calls,
  Unfinished,
  Total,
  Average,
  Self,
  Longest,
  P50,
  P95,
  P99,
  Share,
  Name,
  Thread,
  Caller,
  Sub,
  Module
};

/// What to show and by what to sort unless somebody says so.
std::vector<Field> defaultFields(const Trace &T, Apart By = Apart::Nothing);
std::vector<Field> defaultDiffFields(const Trace &T);
/// What is sorted by is seen, too.
std::vector<Field> withSorted(std::vector<Field> Fields, Field By);
Field defaultSort(const Trace &T);
Field defaultDiffSort(const Trace &T);

/// Whether it takes FunctionDurations::Durations.
bool isQuantile(Field F);

/// What is above a column, and in it.
llvm::StringRef fieldTitle(Field F);
std::string fieldText(const TraceFunction &Function, const FunctionDurations &F,
                      Field Of, bool HasSelf);

/// Indices of the functions, largest or first name first.
std::vector<size_t> sortFunctions(const Trace &T,
                                  llvm::ArrayRef<FunctionDurations> Functions,
                                  Field By);

/// Indices of those that were called, first those of which By has changed most.
std::vector<size_t> sortCompared(llvm::ArrayRef<Compared> Functions, Field By);

/// The functions in Order, in lines of at most Width characters; 0: of any length.
void printReport(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions,
                 llvm::ArrayRef<size_t> Order, llvm::ArrayRef<Field> Fields,
                 unsigned Width, llvm::raw_ostream &OS);

/// How After differs from Before, by how much By has changed. Functions are compared
/// by name, so Field::Module is not for this, and neither is Sub.
void printReportDiff(const ReportSide &Before, const ReportSide &After, Field By,
                     llvm::ArrayRef<Field> Fields, bool AreDefault,
                     unsigned Width, llvm::raw_ostream &OS);

} // namespace patchbay

#endif
