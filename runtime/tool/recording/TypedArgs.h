// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --args 'parse(name, req->uri, retval)' and --when 'len > 4096': converts
// names, for each function, into a string of places (trace/format/typed_spec.h), by
// debug information.
#pragma once

#include "arguments/DwarfFunctions.h"
#include "names/NameFilter.h"
#include <map>
#include <set>

namespace patchbay {

struct TypedCondition {
  std::string Text; // as given
  std::string Path, Compare, Constant;
};

struct TypedRequest {
  std::string Text; // as given
  NameFilter Functions;
  std::vector<std::string> Paths; // empty: all arguments, and the result
  /// For each path why the first function lacks it; empty if a function has it.
  std::map<std::string, std::string> Missing = {};
};

/// Nothing if it is a glob with parameters, as in 'parse(int)'.
std::optional<TypedRequest> parseTypedRequest(llvm::StringRef Text);

/// The conditions of --when, which must all hold: "len > 4096 && name == 'x'".
llvm::Expected<std::vector<TypedCondition>>
parseConditions(llvm::ArrayRef<std::string> Texts);

class TypedArgs {
public:
  std::vector<TypedRequest> Requests;
  std::vector<TypedCondition> Conditions;
  /// Roots for debug files.
  std::vector<std::string> Roots = {""};

  /// Does a request select the function? Then adds it to options().
  /// NameForRuntime is the name by which the runtime finds it. Fails if it
  /// lacks a requested value.
  llvm::Expected<bool> add(const ElfImage &Image, const SiteRecord &Record,
                           llvm::ArrayRef<llvm::StringRef> Symbols,
                           const std::string &NameForRuntime);
  /// If the function is one of <patchbay/mark.h>, records its arguments.
  void addMark(const ElfImage &Image, const SiteRecord &Record,
               llvm::ArrayRef<llvm::StringRef> Symbols, const std::string &NameForRuntime);
  /// Are marks recorded?
  bool WithMarks = false;
  /// Call after an image has been searched.
  void endImage() { Known.reset(); }
  /// Functions with requested arguments that are not recorded, and why.
  llvm::ArrayRef<std::string> leftOut() const { return LeftOut; }
  /// A warning for each function with arguments that are recorded or in a condition, and
  /// that callers need not pass.
  llvm::ArrayRef<std::string> unused() const { return Unused; }
  /// Symbols of functions that a request selects by the types of their
  /// parameters.
  std::set<std::string> Untyped;
  /// The options for PATCHBAY, each for one function.
  llvm::ArrayRef<std::string> options() const { return Options; }
  /// A message about a request without a function, a name that no function of a request
  /// has, or a condition without a function; empty if there is none.
  std::string unmatched() const;
  /// The strings of requests without a function.
  std::vector<std::string> unmatchedRequests() const;

private:
  void addOption(const ElfImage &Image, const SiteRecord &Record,
                 const std::string &NameForRuntime, llvm::StringRef Text);
  llvm::Expected<std::string> textFor(llvm::ArrayRef<TypedRequest *> Requests,
                                      llvm::DWARFDie Of, const SiteRecord &Record,
                                      uint16_t Machine, const std::string &Name);
  llvm::Expected<std::vector<std::string>> conditionsFor(const struct FunctionPlaces &F,
                                                         struct UnusedNames &NotUsed);

  std::unique_ptr<DwarfFunctions> Known; // of the last image
  std::vector<std::string> Options, LeftOut, Unused;
  std::set<std::string> Held; // conditions with a function
};

} // namespace patchbay
