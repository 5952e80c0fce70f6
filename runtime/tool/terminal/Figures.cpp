// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Figures.h"
#include "support/PlainText.h"

using namespace llvm;
using namespace patchbay;

void Figures::readNames() {
  std::vector<std::string> All;
  for (const TraceFunction &Function : T->Functions)
    All.push_back(printable(Function.Name));
  Names.set(std::move(All));
}
