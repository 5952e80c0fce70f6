// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AskedFor.h"
#include "trace/format/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace patchbay;

std::string patchbay::askedText(const DataAsked &A) {
  const char *Option = "an option of a newer patchbay";
  switch (A.By) {
  case PBD_FILTER:
    Option = "filter";
    break;
  case PBD_ARGS:
    Option = "args";
    break;
  case PBD_START_AT:
    Option = "start-at";
    break;
  case PBD_STOP_AT:
    Option = "stop-at";
    break;
  case PBD_UNDER:
    Option = "under";
    break;
  }
  return Option + ("='" + A.Text + "'");
}

static std::string
matchedNothing(const std::map<std::string, bool> &WasMatched) {
  std::vector<std::string> Texts;
  for (const auto &[Text, Matched] : WasMatched)
    if (!Matched)
      Texts.push_back(Text);
  return join(Texts, ", ");
}

static void addAsked(const DataFile &Data, std::map<std::string, bool> &WasMatched) {
  for (const DataAsked &A : Data.Asked)
    WasMatched[askedText(A)] |= A.Matched;
}

std::string patchbay::matchedNothing(const Trace &T) {
  std::map<std::string, bool> WasMatched;
  for (const TraceProcess &P : T.Processes)
    addAsked(P.Data, WasMatched);
  return ::matchedNothing(WasMatched);
}

std::string patchbay::matchedNothing(const DataFile &Data) {
  std::map<std::string, bool> WasMatched;
  addAsked(Data, WasMatched);
  return ::matchedNothing(WasMatched);
}
