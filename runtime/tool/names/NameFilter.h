// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects functions by name: -F GLOB. A glob may match a symbol, with or without the
// compiler's suffixes (patchbay/names.h), and in C++ also the source name. Globs follow
// fnmatch(3), like the runtime in the traced program.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <vector>

namespace patchbay {

/// Advice for a glob without a match. Stripped: a searched file without a symbol table;
/// empty if all files have a symbol table.
std::string matchHint(llvm::StringRef Stripped);

/// A suggestion for globs without a match: "did you mean 'svc::render'". Lists demangled
/// names whose last component matches. Empty if no name does.
std::string meantBy(llvm::ArrayRef<std::string> Globs,
                    llvm::function_ref<std::string(size_t)> Name, size_t NrNames);

class NameFilter {
public:
  enum Match { None, ByLinkageName, ByDemangledName };

  /// Without globs every function matches.
  explicit NameFilter(llvm::ArrayRef<std::string> Globs);

  /// Matches a function with these names: one matching name suffices. A function without a
  /// name matches only "*".
  Match match(llvm::ArrayRef<llvm::StringRef> Names);

  /// The globs that have not matched yet.
  std::vector<std::string> unmatchedGlobs() const;
  /// unmatchedGlobs() as a list: "'a', 'b'".
  std::string unmatched() const;
  /// See meantBy().
  std::string meant() const;
  /// meant() or, without suggestions, matchHint().
  std::string hint(llvm::StringRef Stripped) const {
    return meant().empty() ? matchHint(Stripped) : meant();
  }

private:
  struct Glob {
    std::string Text;
    bool Matched = false;
    std::set<std::string> Meant; // names whose last component the glob matches
  };
  std::vector<Glob> Globs;
};

} // namespace patchbay
