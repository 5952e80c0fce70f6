// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenRecording.h"
#include "Losses.h"
#include "support/Diagnostics.h"

using namespace llvm;
using namespace patchbay;

// `record` has reported the functions left out from the start, and `info`
// shows them.
static Expected<Trace> sayLossesOf(Expected<Trace> T, StringRef Dir) {
  if (!T)
    return T;
  Losses Lost = lossesOf(*T);
  Lost.LeftOut.clear();
  sayLosses(Lost, Dir);
  return T;
}

Expected<Trace> patchbay::openTrace(const std::string &Dir, StringRef Symfs) {
  return sayLossesOf(readTrace(Dir, Symfs), Dir);
}

Expected<Trace> patchbay::openOutline(const std::string &Dir, StringRef Symfs) {
  return sayLossesOf(readOutline(Dir, Symfs), Dir);
}

Expected<Trace> patchbay::openEvents(const std::string &Dir, StringRef Symfs) {
  Expected<Trace> Result = openTrace(Dir, Symfs);
  if (Result && !Result->hasEvents())
    return makeError(Twine(Dir) +
                     ": has no events, only counts: 'patchbay report' shows "
                     "them, 'patchbay record -t function_graph' records events");
  return Result;
}
