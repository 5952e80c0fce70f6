// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of `patchbay report`, for one recording or for two side by side: columns,
// sorting and printing.
#pragma once

#include "analysis/Comparison.h"
#include "arguments/DwarfFunctions.h"

namespace patchbay {

/// Source locations of a recording's functions, from debug information (-g).
class SourceLines {
public:
  /// "a.c:3"; empty if the traced file is missing, or has no debug information.
  std::string of(const Trace &T, const TraceFunction &Function);

private:
  struct File {
    std::optional<ElfImage> Image;
    std::unique_ptr<DwarfFunctions> Functions;
  };
  std::map<std::pair<std::string, std::string>, File> Files; // by path and build id
};

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

/// The default columns, in their order.
std::vector<Field> defaultFields(const Trace &T, Apart By = Apart::Nothing);
std::vector<Field> defaultDiffFields(const Trace &T);
/// The columns, plus the field to sort by.
std::vector<Field> withSorted(std::vector<Field> Fields, Field By);
Field defaultSort(const Trace &T);
Field defaultDiffSort(const Trace &T);

/// Does the field need FunctionDurations::Durations?
bool isQuantile(Field F);

/// The title and the cells of a column.
llvm::StringRef fieldTitle(Field F);
std::string fieldText(const TraceFunction &Function, const FunctionDurations &F,
                      Field Of, bool HasSelf);

/// The share of each function in the sum of all self times. Without self times, the share
/// in the number of calls.
class FunctionShares {
public:
  FunctionShares(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions);
  std::string text(const FunctionDurations &F) const { return shareText(F.*Part, Whole); }

private:
  uint64_t FunctionDurations::*Part;
  double Whole = 0;
};

/// Indices of the functions, sorted by a field: the largest value first, or names
/// alphabetically.
std::vector<size_t> sortFunctions(const Trace &T,
                                  llvm::ArrayRef<FunctionDurations> Functions,
                                  Field By);

/// Indices of called functions, sorted by the change of By, largest first.
std::vector<size_t> sortCompared(llvm::ArrayRef<Compared> Functions, Field By);

/// Prints the functions in Order, in lines of at most Width characters; 0: unlimited.
void printReport(const Trace &T, llvm::ArrayRef<FunctionDurations> Functions,
                 llvm::ArrayRef<size_t> Order, llvm::ArrayRef<Field> Fields,
                 unsigned Width, llvm::raw_ostream &OS);

/// Prints the differences between After and Before, sorted by the change of By.
/// Field::Module, Source and Sub are excluded, since functions are compared by name.
void printReportDiff(const ReportSide &Before, const ReportSide &After, Field By,
                     llvm::ArrayRef<Field> Fields, bool AreDefault,
                     unsigned Width, llvm::raw_ostream &OS);

/// Prints a line in bpftrace's format for each bucket, from the first to the last bucket
/// with calls.
void printHistogram(llvm::StringRef Title, double Unit,
                    llvm::ArrayRef<uint64_t> Buckets, llvm::raw_ostream &OS);

} // namespace patchbay
