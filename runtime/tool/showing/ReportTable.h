// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of `patchbay report`: its columns and their order, for one
// recording, or for two side by side.
#pragma once

#include "analysis/Comparison.h"
#include "llvm/Support/raw_ostream.h"

namespace patchbay {

enum class Field {
  Made,
  Calls,
  Unfinished,
  Total,
  Error,
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
  Module,
  Source
};

/// The default columns and sort order.
std::vector<Field> defaultFields(const Trace &T, Apart By = Apart::Nothing);
std::vector<Field> defaultDiffFields(const Trace &T);
/// Adds the field for sorting to the columns.
std::vector<Field> withSorted(std::vector<Field> Fields, Field By);
Field defaultSort(const Trace &T);
Field defaultDiffSort(const Trace &T);

/// Does it need FunctionDurations::Durations?
bool isQuantile(Field F);

/// The title and the cells of a column.
llvm::StringRef fieldTitle(Field F);
std::string fieldText(const TraceFunction &Function, const FunctionDurations &F,
                      Field Of, bool HasSelf);

/// The shares of functions in the sum of all self times, or in all calls if self times
/// are unknown.
class FunctionShares {
public:
  FunctionShares(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions);
  std::string text(const FunctionDurations &F) const { return shareText(F.*Part, Whole); }

private:
  uint64_t FunctionDurations::*Part;
  double Whole = 0;
};

/// Indices of the functions, by value or name: largest value first, or alphabetical.
std::vector<size_t> sortFunctions(const Trace &T,
                                  llvm::ArrayRef<FunctionDurations> Functions,
                                  Field By);

/// Indices of called functions. Those with the largest change of By come first.
std::vector<size_t> sortCompared(llvm::ArrayRef<Compared> Functions, Field By);

/// Prints the functions in Order, in lines of at most Width characters; 0: unlimited.
void printReport(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions,
                 llvm::ArrayRef<size_t> Order, llvm::ArrayRef<Field> Fields,
                 unsigned Width, llvm::raw_ostream &OS);

/// Prints the differences between After and Before, sorted by the change of By.
/// Functions are compared by name, so Field::Module, Source and Sub are not possible.
void printReportDiff(const ReportSide &Before, const ReportSide &After, Field By,
                     llvm::ArrayRef<Field> Fields, bool AreDefault,
                     unsigned Width, llvm::raw_ostream &OS);

} // namespace patchbay
