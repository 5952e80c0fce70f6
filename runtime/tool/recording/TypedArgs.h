// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --args 'parse(name, req->uri, retval)' and --when 'len > 4096': what is said there by
// names becomes, for each function, a text of where that is (trace/typed_spec.h), with
// what debug information says.
#ifndef PATCHBAY_TOOL_TYPEDARGS_H
#define PATCHBAY_TOOL_TYPEDARGS_H

#include "elf/DwarfFunctions.h"
#include "names/NameFilter.h"
#include <set>

namespace patchbay {

struct TypedCondition {
  std::string Text; // as it was given
  std::string Path, Compare, Constant;
};

struct TypedRequest {
  std::string Text; // as it was given
  NameFilter Functions;
  std::vector<std::string> Paths; // empty: all arguments, and the result
};

/// Nothing if it is a glob with parameters, as in 'parse(int)'.
std::optional<TypedRequest> parseTypedRequest(llvm::StringRef Text);

/// The conditions of --when, which are all to hold: "len > 4096 && name == 'x'".
llvm::Expected<std::vector<TypedCondition>>
parseConditions(llvm::ArrayRef<std::string> Texts);

class TypedArgs {
public:
  std::vector<TypedRequest> Requests;
  std::vector<TypedCondition> Conditions;
  /// Below what debug files are looked for.
  std::vector<std::string> Roots = {""};

  /// Whether a request means the function, which the runtime finds by NameForRuntime; it
  /// is then in options(). Fails if what is asked for is not there.
  llvm::Expected<bool> add(const ElfImage &Image, const SiteRecord &Record,
                           llvm::ArrayRef<llvm::StringRef> Symbols,
                           const std::string &NameForRuntime);
  /// To be called when an image has been looked through.
  void endImage() { Known.reset(); }
  /// Of functions of which all arguments were asked for: which are not
  /// recorded, and why.
  llvm::ArrayRef<std::string> leftOut() const { return LeftOut; }
  /// Functions, and which arguments of theirs that are recorded, or are in a
  /// condition, they do not use: "parse(int): 'len'".
  llvm::ArrayRef<std::string> unused() const { return Unused; }
  /// Symbols of functions that a request means by the types of their parameters.
  std::set<std::string> Untyped;
  /// What PATCHBAY is told, each for one function.
  llvm::ArrayRef<std::string> options() const { return Options; }
  /// What no function was found for; empty if there is nothing.
  std::string unmatched() const;
  /// The texts of requests that mean no function.
  std::vector<std::string> unmatchedRequests() const;

private:
  llvm::Expected<std::string>
  textFor(llvm::ArrayRef<const TypedRequest *> Requests, llvm::DWARFDie Of,
          const SiteRecord &Record, uint16_t Machine,
          std::vector<std::string> &NotRead, std::vector<std::string> &NotUsed);

  std::unique_ptr<DwarfFunctions> Known; // of the image that was looked at last
  std::vector<std::string> Options, LeftOut, Unused;
  std::set<std::string> Held; // conditions for which a function was found
};

} // namespace patchbay

#endif
