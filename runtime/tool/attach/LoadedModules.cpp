// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadedModules.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DJB.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <elf.h>
#include <link.h>

using namespace llvm;
using namespace patchbay;

// Limits for data from the process, which is untrusted. No program needs more.
static constexpr unsigned MaxModules = 1 << 16;
static constexpr unsigned MaxDynamic = 1 << 10;

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

bool LoadedModule::containsCode(uint64_t Address) const {
  return any_of(Text, [&](const Range &R) { return R.contains(Address); });
}

// Limits the length of names, since each name in a damaged table may be as long as the
// table. Callers look up only shorter names.
static constexpr size_t MaxName = 256;

StringRef LoadedModule::nameOf(const Function &F) const {
  return StringRef(&Names[F.Name], strnlen(&Names[F.Name], MaxName));
}

static uint32_t hashOf(StringRef Name) { return djbHash(Name, 5381) | 1; }

// Searches all entries, since each version of a name has its own entry.
uint64_t LoadedModule::find(StringRef Name) const {
  const uint32_t Hash = hashOf(Name);
  uint64_t Lowest = 0;
  for (const Function &F : Functions)
    if (F.Hash == Hash && (!Lowest || F.Start < Lowest) && nameOf(F) == Name)
      Lowest = F.Start;
  return Lowest;
}

FunctionsByAddress::FunctionsByAddress(const LoadedModule &Module)
    : Module(Module), Functions(Module.Functions) {
  sort(Functions, [&](const auto &A, const auto &B) {
    return A.Start != B.Start ? A.Start < B.Start
                              : Module.nameOf(A) < Module.nameOf(B);
  });
}

StringRef FunctionsByAddress::at(uint64_t Address) const {
  auto I = partition_point(Functions, [&](const LoadedModule::Function &F) {
    return F.Start <= Address;
  });
  // Find the nearest function below the address. Aliases of one function are adjacent.
  if (I == Functions.begin())
    return "";
  --I;
  return Address - I->Start < I->Size ? Module.nameOf(*I) : "";
}

namespace {
/// The dynamic section of a module.
struct Dynamic {
  uint64_t Symbols = 0, Strings = 0, StringsSize = 0, Hash = 0, GnuHash = 0;
  uint64_t Debug = 0;
  std::vector<uint64_t> Needed; // offsets in the string table
};
} // namespace

// Returns an address for an entry of the dynamic section. glibc replaces offsets by
// addresses there, except in the vDSO. musl keeps offsets.
static uint64_t relocated(uint64_t Value, uint64_t Base) {
  return Value < Base ? Value + Base : Value;
}

// Reads the entries up to DT_NULL one page at a time, since the memory after the last entry
// may be unmapped.
static std::vector<Elf64_Dyn> readEntries(const ProcessMemory &Memory,
                                          uint64_t At) {
  std::vector<Elf64_Dyn> All;
  while (All.size() < MaxDynamic) {
    uint64_t Left = LoadedModule::PageSize - At % LoadedModule::PageSize;
    std::vector<Elf64_Dyn> Some(
        std::max<uint64_t>(Left / sizeof(Elf64_Dyn), 1));
    if (!Memory.read(At, Some.data(), Some.size() * sizeof(Elf64_Dyn)))
      break;
    auto End =
        find_if(Some, [](const Elf64_Dyn &E) { return E.d_tag == DT_NULL; });
    All.insert(All.end(), Some.begin(), End);
    if (End != Some.end())
      break;
    At += Some.size() * sizeof(Elf64_Dyn);
  }
  return All;
}

static Dynamic readDynamic(const ProcessMemory &Memory, uint64_t At,
                           uint64_t Base) {
  Dynamic D;
  for (const Elf64_Dyn &Entry : readEntries(Memory, At)) {
    uint64_t Address = relocated(Entry.d_un.d_ptr, Base);
    switch (Entry.d_tag) {
    case DT_SYMTAB:
      D.Symbols = Address;
      break;
    case DT_STRTAB:
      D.Strings = Address;
      break;
    case DT_STRSZ:
      D.StringsSize = Entry.d_un.d_val;
      break;
    case DT_HASH:
      D.Hash = Address;
      break;
    case DT_GNU_HASH:
      D.GnuHash = Address;
      break;
    case DT_NEEDED:
      D.Needed.push_back(Entry.d_un.d_val);
      break;
    case DT_DEBUG:
      D.Debug = Entry.d_un.d_ptr;
      break;
    }
  }
  return D;
}

namespace {
/// Remaining limits for all modules together. Each read reduces a limit, so that reading
/// damaged data ends. No program reaches the limits.
struct Room {
  uint64_t Symbols = 1 << 23, Strings = 1 << 28;
  static bool take(uint64_t &Of, uint64_t Size) {
    bool Fits = Size <= Of;
    Of = Fits ? Of - Size : 0;
    return Fits;
  }
};

struct HashTable {
  uint64_t Symbols = 0; // number of symbols in the symbol table
  uint64_t First = 0;   // the index of the first symbol with a hash
  std::vector<uint32_t> Hashes;
};
} // namespace

// Finds the number of symbols in a hash table, since the symbol table has no length. In GNU's
// hash table, the last chain ends with the last symbol.
static HashTable readHashes(const ProcessMemory &Memory, const Dynamic &D,
                            Room &Left) {
  struct {
    uint32_t Buckets, First, BloomWords, Shift;
  } Head;
  uint32_t Counts[2];
  if (!D.GnuHash || !Memory.read(D.GnuHash, Head))
    return {
        D.Hash && Memory.read(D.Hash, Counts) ? Counts[1] : 0u, UINT64_MAX, {}};
  if (!Room::take(Left.Symbols, Head.Buckets))
    return {};
  std::vector<uint32_t> Buckets(Head.Buckets);
  uint64_t At = D.GnuHash + sizeof(Head) + uint64_t(Head.BloomWords) * 8;
  if (!Memory.read(At, Buckets.data(), Buckets.size() * 4))
    return {};
  uint64_t Last = 0;
  for (uint32_t B : Buckets)
    Last = std::max<uint64_t>(Last, B);
  if (Last < Head.First)
    return {Head.First, UINT64_MAX, {}};
  if (!Room::take(Left.Symbols, Last - Head.First))
    return {};
  At += Buckets.size() * 4;
  std::vector<uint32_t> Hashes(Last - Head.First);
  if (!Memory.read(At, Hashes.data(), Hashes.size() * 4))
    return {};
  // Read the rest of the last chain one page at a time, since the memory after the table may
  // be unmapped.
  bool IsAtEnd = false;
  while (!IsAtEnd) {
    uint64_t From = At + Hashes.size() * 4;
    uint64_t InPage = LoadedModule::PageSize - From % LoadedModule::PageSize;
    std::vector<uint32_t> Some(std::max<uint64_t>(InPage / 4, 1));
    if (!Room::take(Left.Symbols, Some.size()))
      return {};
    if (!Memory.read(From, Some.data(), Some.size() * 4))
      break;
    auto End = find_if(Some, [](uint32_t Hash) { return Hash & 1; });
    IsAtEnd = End != Some.end();
    Hashes.insert(Hashes.end(), Some.begin(), IsAtEnd ? End + 1 : End);
  }
  return {Head.First + Hashes.size(), Head.First, std::move(Hashes)};
}

static void readFunctions(const ProcessMemory &Memory, const Dynamic &D,
                          Room &Left, LoadedModule &Module) {
  HashTable Table = readHashes(Memory, D, Left);
  if (!Room::take(Left.Symbols, Table.Symbols) ||
      !Room::take(Left.Strings, D.StringsSize))
    return;
  std::vector<Elf64_Sym> Symbols(Table.Symbols);
  std::vector<char> Names(D.StringsSize + 1);
  if (!Memory.read(D.Symbols, Symbols.data(),
                   Symbols.size() * sizeof(Elf64_Sym)) ||
      !Memory.read(D.Strings, Names.data(), D.StringsSize))
    return;
  Module.Names = std::move(Names);
  for (uint64_t I = 0; I != Symbols.size(); ++I) {
    const Elf64_Sym &S = Symbols[I];
    if (ELF64_ST_TYPE(S.st_info) != STT_FUNC || S.st_shndx == SHN_UNDEF ||
        S.st_name >= D.StringsSize)
      continue;
    LoadedModule::Function F = {Module.Base + S.st_value, S.st_size, S.st_name,
                                0};
    F.Hash = I < Table.First ? hashOf(Module.nameOf(F))
                             : Table.Hashes[I - Table.First] | 1;
    Module.Functions.push_back(F);
  }
}

static void readHeaders(const MappedImage &Image, LoadedModule &Module) {
  for (const ELF::Elf64_Phdr &P : Image.Headers) {
    uint64_t Start = Image.Base + P.p_vaddr;
    if (P.p_type == PT_LOAD && (P.p_flags & PF_X))
      Module.Text.push_back({Start, Start + P.p_memsz});
    if (P.p_type == PT_LOAD && !(P.p_flags & PF_W))
      Module.Constant.push_back(
          {alignDown(Start, LoadedModule::PageSize),
           alignTo(Start + P.p_filesz, LoadedModule::PageSize)});
    if (P.p_type == PT_GNU_EH_FRAME)
      Module.FrameHeader = Start;
  }
}

//===----------------------------------------------------------------------===//
// All modules
//===----------------------------------------------------------------------===//

uint64_t patchbay::auxiliaryValue(const ProcessMemory &Memory, uint64_t Type) {
  const std::string Text = fileText(Memory.proc("auxv"));
  for (StringRef Bytes = Text; Bytes.size() >= sizeof(Elf64_auxv_t);
       Bytes = Bytes.drop_front(sizeof(Elf64_auxv_t))) {
    Elf64_auxv_t Entry;
    memcpy(&Entry, Bytes.data(), sizeof(Entry));
    if (Entry.a_type == Type)
      return Entry.a_un.a_val;
  }
  return 0;
}

// Finds the program's dynamic section and its load address (Base). Fails for a program
// without a loader.
static Expected<uint64_t> findDynamic(const ProcessMemory &Memory,
                                      uint64_t &Base) {
  // The loader's list begins with the executable, whose program headers the
  // kernel gives in AT_PHDR.
  uint64_t At = auxiliaryValue(Memory, AT_PHDR), Dynamic = 0, HasLoader = 0;
  std::optional<uint64_t> Self;
  if (Elf64_Phdr First; !At || !Memory.read(At, First))
    return Memory.error("its memory is gone: it is ending or executing another program; try "
                        "again");
  for (unsigned I = 0; At && I != PN_XNUM; ++I) {
    Elf64_Phdr P;
    // In a program with a loader, PT_PHDR is the first entry. An invalid entry
    // ends the table.
    if (!Memory.read(At + I * sizeof(P), P) || P.p_type > PT_HIPROC ||
        (I && !P.p_type && !P.p_filesz && !P.p_flags))
      break;
    if (P.p_type == PT_PHDR)
      Self = At - P.p_vaddr;
    HasLoader |= P.p_type == PT_INTERP;
    if (P.p_type == PT_DYNAMIC)
      Dynamic = P.p_vaddr;
    if (Self && HasLoader && Dynamic)
      break;
  }
  if (!HasLoader || !Dynamic || !Self)
    return Memory.error("its program is statically linked, so no library can be "
                        "loaded into it: link it with libpatchbay and choose "
                        "the functions in the program");
  Base = *Self;
  return Base + Dynamic;
}

namespace {
/// The loader is changing its list of modules. Reading the list again may succeed.
class LoaderAtWork : public ErrorInfo<LoaderAtWork, ToolError> {
public:
  static char ID;
  explicit LoaderAtWork(const Twine &Message) : ErrorInfo(Failure, Message) {}
};
} // namespace
char LoaderAtWork::ID;

static Error notReady(const ProcessMemory &Memory) {
  return make_error<LoaderAtWork>("process " + Twine(Memory.pid()) + ": its loader is busy or "
                                                                     "has not begun: the "
                                                                     "process has just started "
                                                                     "or is loading a library; "
                                                                     "try again");
}

static bool isConsistent(const ProcessMemory &Memory, uint64_t Debug,
                         r_debug &List) {
  return Memory.read(Debug, List) && List.r_map &&
         List.r_state == r_debug::RT_CONSISTENT;
}

// Copies the list again until the list is consistent before and after the copy. A library
// that was loaded and unloaded during the copy may be in the result, but is not used.
Expected<LoadedModules> LoadedModules::read(ProcessMemory &Memory) {
  for (unsigned Tries = 0;; ++Tries) {
    auto Result = readOnce(Memory);
    if (Result || Tries == 500)
      return Result;
    if (!Result.errorIsA<LoaderAtWork>())
      return Result;
    consumeError(Result.takeError());
    usleep(2000);
    if (Error E = Memory.readMappings())
      return std::move(E);
  }
}

Expected<LoadedModules> LoadedModules::readOnce(const ProcessMemory &Memory) {
  uint64_t Base = 0;
  auto At = findDynamic(Memory, Base);
  if (!At)
    return At.takeError();
  r_debug List;
  Dynamic Program = readDynamic(Memory, *At, Base);
  if (!Program.Debug || !isConsistent(Memory, Program.Debug, List))
    return notReady(Memory);

  // Identify modules by their dynamic sections, since names depend on the C library.
  std::vector<MappedImage> Images;
  for (const ProcessMemory::Mapping &M : Memory.mappings())
    if (auto Image = MappedImage::at(Memory, M))
      Images.push_back(std::move(*Image));

  std::vector<std::string> Needed;
  for (uint64_t Name : Program.Needed)
    Needed.push_back(Memory.readString(Program.Strings + Name));

  LoadedModules Result;
  Room Left;
  link_map Link;
  uint64_t Next = reinterpret_cast<uintptr_t>(List.r_map);
  for (unsigned I = 0; Next && I != MaxModules; ++I) {
    if (!Memory.read(Next, Link))
      return notReady(Memory);
    Next = reinterpret_cast<uintptr_t>(Link.l_next);
    uint64_t Section = reinterpret_cast<uintptr_t>(Link.l_ld);
    auto Image = find_if(
        Images, [&](const MappedImage &M) { return M.contains(Section); });
    if (Image == Images.end())
      continue;
    LoadedModule Module;
    Module.Path = Image->Path.str();
    Module.Base = Image->Base;
    Module.Name =
        Memory.readString(reinterpret_cast<uintptr_t>(Link.l_name));
    StringRef Name = sys::path::filename(Module.Name);
    Module.IsPermanent = Module.Base == Base || is_contained(Needed, Name) ||
                         Module.Base == List.r_ldbase;
    readHeaders(*Image, Module);
    readFunctions(Memory, readDynamic(Memory, Section, Module.Base), Left,
                  Module);
    Result.Modules.push_back(std::move(Module));
    // Erase the image, so that reading a circular list ends.
    Images.erase(Image);
  }
  if (Result.Modules.empty() || !isConsistent(Memory, Program.Debug, List))
    return notReady(Memory);
  return Result;
}

const LoadedModule *LoadedModules::at(uint64_t Address) const {
  auto I = find_if(Modules, [&](const LoadedModule &M) {
    return M.containsCode(Address);
  });
  return I == Modules.end() ? nullptr : &*I;
}

bool LoadedModules::isConstant(uint64_t Address) const {
  return any_of(Modules, [&](const LoadedModule &M) {
    return M.IsPermanent &&
           any_of(M.Constant, [&](const LoadedModule::Range &R) {
             return R.contains(Address);
           });
  });
}

const LoadedModule *LoadedModules::provider(StringRef Name) const {
  auto I =
      find_if(Modules, [&](const LoadedModule &M) { return M.find(Name); });
  return I == Modules.end() ? nullptr : &*I;
}

uint64_t LoadedModules::find(StringRef Name) const {
  const LoadedModule *Module = provider(Name);
  return Module ? Module->find(Name) : 0;
}
