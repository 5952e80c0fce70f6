// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that say which functions to instrument:
//
//   [always]
//   fun:interesting_*          a glob of functions' names, mangled
//   [never]
//   mainfile:third_party/*     a glob of files, as the compiler is given them
//
// It is the form of clang's -fxray-attr-list, the one list in clang that, too,
// chooses functions to be patched, and can say both yes and no. Globs, comments
// and the version in the first line are those of every list that clang reads,
// because LLVM's SpecialCaseList does the reading.
//
// XRay's src: is missing. It means the file a function is written in, which may
// be a header and which reaches code generation only with -g; the choice would
// depend on it. mainfile:, as in sanitizers' lists, names what is compiled.
#ifndef PATCHBAY_LLVM_PASS_ATTRLIST_H
#define PATCHBAY_LLVM_PASS_ATTRLIST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SpecialCaseList.h"
#include <memory>
#include <string>
#include <vector>

namespace patchbay {

class AttrList {
  std::vector<std::unique_ptr<llvm::SpecialCaseList>> Files;

public:
  /// Reads all of \p Paths. An error names the file and the line.
  llvm::Error read(llvm::ArrayRef<std::string> Paths);

  /// Whether an entry of \p Section, "fun" or "mainfile", matches \p Name.
  bool matches(llvm::StringRef Section, llvm::StringRef Entry,
               llvm::StringRef Name) const;
};

} // namespace patchbay

#endif
