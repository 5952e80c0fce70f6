// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stub.h"

using namespace llvm;
using namespace patchbay;

Expected<StubFunctions>
patchbay::findStubFunctions(const ProcessMemory &Memory,
                            const LoadedModules &Modules) {
  StubFunctions F;
  const std::pair<const char *, uint64_t *> Wanted[] = {
      {"pthread_create", &F.CreateThread}, {"pthread_self", &F.Self},
      {"pthread_detach", &F.Detach},       {"__errno_location", &F.ErrnoLocation},
      {"dlopen", &F.Open},                 {"dlsym", &F.Symbol},
      {"dlerror", &F.Error},               {"dlclose", &F.Close}};
  for (auto [Name, Address] : Wanted) {
    *Address = Modules.find(Name);
    if (!*Address)
      return Memory.error(Twine("it has no ") + Name +
                          "(), by which the runtime would be loaded: glibc has "
                          "had it in every program since 2.34; older programs "
                          "are to be linked with -pthread -ldl");
  }
  return F;
}
