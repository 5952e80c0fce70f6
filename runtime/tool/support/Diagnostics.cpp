// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Diagnostics.h"
#include "PlainText.h"
#include "Terminal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace patchbay;

char ToolError::ID;

Error patchbay::processError(int Pid, const Twine &What) {
  return makeError("process " + Twine(Pid) + ": " + What);
}

std::string patchbay::errnoText(int Errno) {
  return std::generic_category().message(Errno);
}

std::string patchbay::noRecords() {
  return "no patchbay records: compile with -fplugin=patchbay-pass.so; for "
         "-flto, give the plugin to Patchbay's ld.lld, too; -Rpass-missed=patchbay says "
         "why functions were left out";
}

// Prints "patchbay: KIND: ", with LLVM's colours if colours are enabled.
static raw_ostream &say(HighlightColor Color, StringRef Kind) {
  using LlvmMode = llvm::ColorMode;
  errs() << "patchbay: ";
  WithColor(errs(), Color, errorsHaveColor() ? LlvmMode::Enable : LlvmMode::Disable)
      << Kind;
  return errs();
}

void patchbay::warn(const Twine &Message) {
  say(HighlightColor::Warning, "warning: ") << printable(Message.str()) << '\n';
}

ExitCode patchbay::report(Error E) {
  ExitCode Code = Failure;
  handleAllErrors(
      std::move(E),
      [&](const ToolError &Tool) {
        Code = Tool.code();
        say(HighlightColor::Error, "error: ") << printable(Tool.message()) << '\n';
      },
      [](const ErrorInfoBase &Other) {
        say(HighlightColor::Error, "error: ") << printable(Other.message()) << '\n';
      });
  return Code;
}

std::string patchbay::shellQuoted(StringRef Text) {
  auto IsPlain = [](char C) {
    return isAlnum(C) || StringRef("%+,-./:=@_").contains(C);
  };
  if (llvm::all_of(Text, IsPlain))
    return Text.str();
  std::string Quoted = "'";
  for (char C : Text)
    Quoted += C == '\'' ? "'\\''" : std::string(1, C);
  return Quoted + "'";
}
