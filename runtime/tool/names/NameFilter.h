// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions by name: -F GLOB. A glob may name a function as its symbol does, with
// or without what the compiler appended to that (patchbay/names.h), or, in C++,
// as the source does. Globs are those of fnmatch(3), because that is what the
// runtime matches them with in the traced program.
#ifndef PATCHBAY_TOOL_NAMEFILTER_H
#define PATCHBAY_TOOL_NAMEFILTER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <vector>

namespace patchbay {

/// The names by which a function with these symbols is found: those, and without
/// what the compiler appended to them.
std::vector<llvm::StringRef> linkageNames(llvm::ArrayRef<llvm::StringRef> Symbols);

/// What to do when a glob matches nothing. Stripped: a file in which it was
/// looked for that has no symbol table, empty if all have one.
std::string matchHint(llvm::StringRef Stripped);

/// "did you mean 'svc::render'", of demangled names of which Globs are the last parts;
/// empty if there is none. For those that match nothing.
std::string meantBy(llvm::ArrayRef<std::string> Globs,
                    llvm::function_ref<std::string(size_t)> Name, size_t NrNames);

class NameFilter {
public:
  enum Match { None, ByLinkageName, ByDemangledName };

  /// Without a glob every function matches.
  explicit NameFilter(llvm::ArrayRef<std::string> Globs);

  /// Any of a function's names will do. A function without a name matches "*"
  /// alone.
  Match match(llvm::ArrayRef<llvm::StringRef> Names);

  /// The globs that no function matched so far.
  std::vector<std::string> unmatchedGlobs() const;
  /// The same, "'a', 'b'".
  std::string unmatched() const;
  /// "did you mean 'svc::render'", if one of them is the last part of such a name.
  std::string meant() const;
  /// That, or matchHint().
  std::string hint(llvm::StringRef Stripped) const {
    return meant().empty() ? matchHint(Stripped) : meant();
  }

private:
  struct Glob {
    std::string Text;
    bool Matched = false;
    std::set<std::string> Meant; // of those that it is the last part of
  };
  std::vector<Glob> Globs;
};

} // namespace patchbay

#endif
