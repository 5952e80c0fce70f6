// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Diagnostics.h"
#include "Table.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace patchbay;

char ToolError::ID;

std::string patchbay::noRecords() {
  return "no patchbay records: compile with -fplugin=patchbay-pass.so, with "
         "-flto also link with Patchbay's ld.lld and "
         "-Wl,--load-pass-plugin=DIR/patchbay-pass.so; "
         "-Rpass-missed=patchbay says why functions were left out";
}

void patchbay::warn(const Twine &Message) {
  WithColor::warning(errs(), "patchbay") << printable(Message.str()) << '\n';
}

ExitCode patchbay::report(Error E) {
  ExitCode Code = Failure;
  handleAllErrors(
      std::move(E),
      [&](const ToolError &Tool) {
        Code = Tool.code();
        WithColor::error(errs(), "patchbay")
            << printable(Tool.message()) << '\n';
      },
      [](const ErrorInfoBase &Other) {
        WithColor::error(errs(), "patchbay")
            << printable(Other.message()) << '\n';
      });
  return Code;
}
