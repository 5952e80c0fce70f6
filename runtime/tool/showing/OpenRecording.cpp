// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenRecording.h"
#include "Losses.h"
#include "reading/DataFiles.h"
#include "support/PlainText.h"

using namespace llvm;
using namespace patchbay;

// Prints losses, except functions that could not be traced from the start:
// `record` has reported them, and `info` shows them.
static Expected<Trace> sayLossesOf(Expected<Trace> T, StringRef Dir) {
  if (!T)
    return T;
  Losses Lost = lossesOf(*T);
  Lost.LeftOut.clear();
  sayLosses(Lost, Dir);
  return T;
}

// If Dir is a folder of snapshots, returns the newest one.
static std::string snapshotIn(const std::string &Dir) {
  std::string Newest = newestSnapshot(Dir);
  if (Newest.empty())
    return Dir;
  errs() << "patchbay: "
         << printable(Dir + ": a folder of snapshots: reading the newest, " + Newest) << '\n';
  return Newest;
}

Expected<Trace> patchbay::openTrace(const std::string &Given, StringRef Symfs) {
  const std::string Dir = snapshotIn(Given);
  return sayLossesOf(readTrace(Dir, Symfs), Dir);
}

Expected<Trace> patchbay::openOutline(const std::string &Given, StringRef Symfs) {
  const std::string Dir = snapshotIn(Given);
  return sayLossesOf(readOutline(Dir, Symfs), Dir);
}
