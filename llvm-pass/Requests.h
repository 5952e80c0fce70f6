// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions the user asks to instrument or to leave alone: by attributes
// in the source, or by name in lists:
//
//   [always]
//   fun:interesting_*          a glob of functions' names, mangled
//   [never]
//   mainfile:third_party/*     a glob of files, as the compiler is given them
//
// The format is that of clang's -fxray-attr-list, clang's one list that chooses
// functions to be patched. LLVM's SpecialCaseList reads it, so globs, comments
// and the version in the first line are those of every list of clang's.
//
// XRay's src: is an error. It means the file that contains a function, which
// may be a header; code generation knows it only with -g. mainfile: names the
// compiled file, as in sanitizers' lists.
#ifndef PATCHBAY_LLVM_PASS_REQUESTS_H
#define PATCHBAY_LLVM_PASS_REQUESTS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SpecialCaseList.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace patchbay {

struct Request {
  enum { None, Never, Always } Wish = None;
  /// The source of the request, for remarks.
  const char *Reason = nullptr;
  /// Whether it names this function and not the whole file.
  bool OfFunction = false;
};

class Requests {
  std::vector<std::unique_ptr<llvm::SpecialCaseList>> Lists;
  Request OfModule;
  llvm::SetVector<const llvm::Function *> AnnotatedAlways, AnnotatedNever;

  void readAnnotations(const llvm::Module &M, bool KernelMode);
  const char *whyNever(const llvm::Function &F) const;
  bool isListed(llvm::StringRef Section, llvm::StringRef Entry,
                llvm::StringRef Name) const;
  bool isListed(llvm::StringRef Section, const llvm::Function &F) const;

public:
  /// Reads the requests that all functions of a module share. If that fails,
  /// reports the error and returns it; otherwise returns an empty string.
  std::string read(const llvm::Module &M, bool KernelMode);

  /// Whether a list names the module's file under [never].
  bool leaveModuleAlone() const { return OfModule.Wish == Request::Never; }

  /// Whether there are any requests: annotations, lists or the threshold.
  bool exist() const;

  /// The request for a function, by precedence: attributes, a list's fun
  /// entries, a list's mainfile entries. Never wins among attributes, always
  /// wins in a list.
  Request find(const llvm::Function &F) const;
};

} // namespace patchbay

#endif
