// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"
#include "support/Terminal.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace patchbay;

// When to show progress: after this time a user may wonder whether anything
// happens. Often: the interval of updates.
static constexpr std::chrono::milliseconds Patience(1000), Often(200);

Progress::Progress(uint64_t All)
    : All(All), IsTerminal(sys::Process::StandardErrIsDisplayed()),
      Next(Clock::now() + Patience) {}

void Progress::add(uint64_t Events) {
  Done += Events;
  if (!IsTerminal || Clock::now() < Next)
    return;
  // Output on the terminal shows progress, too.
  if (outputIsTerminal() && outs().tell())
    return;
  Next = Clock::now() + Often;
  Shown = true;
  errs() << "\r\x1b[Kpatchbay: " << Done << " events";
  if (All)
    errs() << ", " << Done * 100 / All << " %";
}

Progress::~Progress() {
  if (Shown)
    errs() << "\r\x1b[K";
}
