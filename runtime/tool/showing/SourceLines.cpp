// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SourceLines.h"
#include "reading/TracedNames.h"

using namespace llvm;
using namespace patchbay;

std::string SourceLines::of(const Trace &T, const TraceFunction &Function) {
  auto [At, IsNew] = Files.try_emplace({Function.Module, Function.BuildId});
  File &Of = At->second;
  if (IsNew) {
    const std::string &Symfs = T.Names.Sources.Symfs;
    auto Image = openTraced(Function.Module, Function.BuildId, Symfs);
    if (Image) {
      Of.Image = std::move(*Image);
      auto Found = DwarfFunctions::open(*Of.Image, Symfs);
      if (Found)
        Of.Functions = std::move(*Found);
      else
        consumeError(Found.takeError());
    } else {
      consumeError(Image.takeError());
    }
  }
  return Of.Functions ? Of.Functions->sourceOf(Function.Entry) : "";
}
