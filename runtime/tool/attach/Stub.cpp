// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stub.h"

using namespace llvm;
using namespace patchbay;

// Finds a function of the C library. Ignores a function of the same name in the program,
// which may count or limit calls. Prefers a sanitizer's function, since the sanitizer must
// see each thread. Before glibc 2.34, some functions are in separate libraries.
static uint64_t findInC(const LoadedModules &Modules, StringRef Name) {
  if (!Modules.find("__sanitizer_set_report_path"))
    for (const LoadedModule &M : Modules.all())
      if (M.find("__libc_start_main") || M.find("__pthread_key_create"))
        if (uint64_t Address = M.find(Name))
          return Address;
  return Modules.find(Name);
}

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
    *Address = findInC(Modules, Name);
    if (!*Address)
      return Memory.error(Twine("it has no ") + Name +
                          "(), which is needed to load the runtime: programs have it since "
                          "glibc 2.34; link older ones with -pthread -ldl");
  }
  return F;
}
