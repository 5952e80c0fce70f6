// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser of an option with named values. Its errors suggest a near value or list all.
#ifndef PATCHBAY_TOOL_NAMEDVALUE_H
#define PATCHBAY_TOOL_NAMEDVALUE_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace patchbay {

/// The one name that contains Text or is similar to it; empty if there is none or several.
llvm::StringRef nearestName(llvm::StringRef Text, llvm::ArrayRef<llvm::StringRef> Names);

/// For llvm::cl::opt<T, false, NamedValue<T>>.
template <class T> class NamedValue : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &O, llvm::StringRef ArgName, llvm::StringRef Text, T &V) {
    llvm::SmallVector<llvm::StringRef> Names;
    for (const auto &Known : this->Values) {
      Names.push_back(Known.Name);
      if (Known.Name == Text) {
        V = Known.V.getValue();
        return false;
      }
    }
    llvm::StringRef Near = nearestName(Text, Names);
    return O.error("unknown value '" + Text + "'" +
                       (Near.empty() ? ": use " + llvm::join(Names, ", ")
                                     : ", did you mean '" + Near.str() + "'"),
                   ArgName);
  }
};

} // namespace patchbay

#endif
