// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LiveProcess.h"
#include "elf/CodeForm.h"
#include "elf/ElfImage.h"
#include "support/Diagnostics.h"
#include "llvm/Support/Endian.h"
#include <atomic>
#include <cstring>

using namespace llvm;
using namespace llvm::support::endian;
using namespace patchbay;

// Number of attempts for a consistent read, which takes some microseconds. A process that
// arms and disarms continuously has pauses of that length.
static constexpr int Attempts = 1000;
// Pause between attempts, in us. A process that patches many sites takes milliseconds.
static constexpr useconds_t Pause = 200;

// Limits for lists in the process, so that reading damaged lists ends soon. No process needs
// more.
static constexpr size_t MaxModules = 1 << 16;
static constexpr size_t MaxTracers = 1 << 16;
// Limits for all modules together. The process reports these numbers, and may map the
// same page of records many times.
static constexpr uint64_t MaxSites = 1 << 24;
static constexpr uint64_t MaxTracersOfAll = 1 << 24;

static uint64_t address(const volatile void *Pointer) {
  return reinterpret_cast<uintptr_t>(Pointer);
}

//===----------------------------------------------------------------------===//
// Finding libpatchbay
//===----------------------------------------------------------------------===//

Error LiveProcess::addRuntime(const MappedImage &Image,
                              uint64_t NoteDescriptor) {
  pb_live_note Note;
  if (!Memory.read(NoteDescriptor, Note))
    return Error::success();
  if (Note.version != PB_LIVE_VERSION)
    return Memory.error("the libpatchbay in " + Twine(Image.Path) +
                        " has state of version " + Twine(Note.version) +
                        ", this patchbay reads version " + Twine(PB_LIVE_VERSION) +
                        ": use the patchbay that came with it");
  if (!isKnownMachine(Image.Machine))
    return Error::success();
  Runtime R;
  R.Machine = Image.Machine;
  uint64_t At =
      NoteDescriptor + offsetof(pb_live_note, live) + int64_t(Note.live);
  if (!Memory.read(At, R.Live))
    return Error::success();
  // Skip a file that the loader has not relocated yet, or that the program itself has mapped,
  // such as a debugger: the pointers are invalid.
  for (uint64_t P : {address(R.Live.generation), address(R.Live.modules),
                     address(R.Live.stats)})
    if (!Image.contains(P))
      return Error::success();
  if (R.Live.size != sizeof(R.Live) || R.Live.layout != PB_LIVE_LAYOUT ||
      R.Live.shared_layout != PB_LIVE_SHARED_LAYOUT)
    return Memory.error("the libpatchbay in " + Twine(Image.Path) +
                        " was built from a different source than this patchbay: use the "
                        "patchbay that came with it");
  Runtimes.push_back(R);
  return Error::success();
}

Error LiveProcess::findRuntimes() {
  return forEachMappedNote(
      Memory, PATCHBAY_NOTE_RUNTIME, sizeof(pb_live_note),
      [&](const MappedImage &Image, uint64_t Descriptor) {
        return addRuntime(Image, Descriptor);
      });
}

// Finds modules by their loaded notes, as core/modules/earlier_modules.c does in a process
// that loads libpatchbay after its modules.
void LiveProcess::addUnregistered(const MappedImage &Image,
                                  uint64_t NoteDescriptor) {
  patchbay_module_note Note;
  patchbay_module Module;
  if (!Memory.read(NoteDescriptor, Note))
    return;
  uint64_t At =
      NoteDescriptor + offsetof(patchbay_module_note, module) + Note.module;
  if (!Image.contains(At) || !Memory.read(At, Module))
    return;
  if (Module.abi_version != PATCHBAY_ABI_VERSION) {
    Others.push_back({Image.Path.str(), Module.abi_version});
    return;
  }
  auto Place = [&](size_t Field, int64_t Offset) {
    return At + Field + uint64_t(Offset);
  };
  LiveModule M = {};
  M.Base = Image.Base;
  M.Path = Image.Path.str();
  M.Records =
      Place(offsetof(patchbay_module, sites_start), Module.sites_start);
  uint64_t Stop =
      Place(offsetof(patchbay_module, sites_stop), Module.sites_stop);
  if (Stop < M.Records || (Stop != M.Records && !Image.contains(M.Records)) ||
      any_of(Unregistered,
             [&](const LiveModule &Other) { return Other.Records == M.Records; }))
    return;
  M.NumRecords = (Stop - M.Records) / sizeof(patchbay_record);
  M.Stubs =
      Module.stubs ? Place(offsetof(patchbay_module, stubs), Module.stubs) : 0;
  M.Low = UINT64_MAX;
  for (const ELF::Elf64_Phdr &P : Image.Headers)
    if (P.p_type == ELF::PT_LOAD && P.p_flags & ELF::PF_X) {
      // Look up the mapping of this segment: if a segment ends in the first page of a file,
      // that page is mapped several times.
      const ProcessMemory::Mapping *Text =
          Memory.mappingAt(Image.Base + P.p_vaddr);
      if (!Text || !Text->Executable ||
          Text->Start - Text->Offset != Image.Base + P.p_vaddr - P.p_offset)
        return;
      M.Low = std::min<uint64_t>(M.Low, Image.Base + P.p_vaddr);
      M.High = std::max<uint64_t>(M.High, Image.Base + P.p_vaddr + P.p_memsz);
    }
  Machine = Image.Machine;
  Unregistered.push_back(std::move(M));
}

Error LiveProcess::findUnregistered() {
  return forEachMappedNote(
      Memory, PATCHBAY_NOTE_MODULE, sizeof(patchbay_module_note),
      [&](const MappedImage &Image, uint64_t Descriptor) {
        if (isKnownMachine(Image.Machine))
          addUnregistered(Image, Descriptor);
        return Error::success();
      });
}

Expected<LiveProcess> LiveProcess::open(unsigned Pid) {
  Expected<ProcessMemory> Memory = ProcessMemory::open(Pid);
  if (!Memory)
    return Memory.takeError();
  LiveProcess Process(std::move(*Memory));
  if (Error E = Process.findRuntimes())
    return E;
  if (Process.hasRuntime())
    return Process;
  if (Error E = Process.findUnregistered())
    return E;
  if (Process.Unregistered.empty() && Process.Others.empty())
    Process.Others = otherVersionsMapped(Process.Memory);
  if (Process.Unregistered.empty() && Process.Others.empty())
    return makeError(NothingFound, "process " + Twine(Pid) +
                                       ": it has no functions to trace: " +
                                       noRecords());
  return Process;
}

//===----------------------------------------------------------------------===//
// Consistent reads
//===----------------------------------------------------------------------===//

// Calls Read until the generation is the same even number before and after the call. Returns
// false after too many attempts. Read may see inconsistent data.
template <typename Callable>
static bool readConsistently(const ProcessMemory &Memory,
                             const struct pb_live &Live, Callable Read) {
  for (int I = 0; I != Attempts; ++I) {
    uint64_t Before, After;
    if (I >= Attempts / 2)
      usleep(Pause);
    if (!Memory.read(address(Live.generation), Before))
      return false;
    if (Before % 2)
      continue;
    std::atomic_thread_fence(std::memory_order_acquire);
    bool Complete = Read();
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!Memory.read(address(Live.generation), After))
      return false;
    if (Before == After)
      return Complete;
  }
  return false;
}

bool LiveProcess::readList(const Runtime &R,
                           std::vector<LiveModule> &Found) const {
  // Read only the fixed fields; the path follows the structure.
  alignas(pb_module) unsigned char Bytes[sizeof(pb_module)];
  auto *Node = reinterpret_cast<pb_module *>(Bytes);
  uint64_t At;
  if (!Memory.read(address(R.Live.modules), At))
    return false;
  Found.clear();
  while (At) {
    if (Found.size() == MaxModules ||
        !Memory.read(At, Bytes, offsetof(pb_module, path)))
      return false;
    LiveModule M;
    M.At = At;
    M.Base = Node->info.base;
    M.Records = address(Node->records);
    M.NumRecords = Node->nr;
    M.Low = Node->low;
    M.High = Node->high;
    M.Path = Memory.readString(At + offsetof(pb_module, path));
    uint64_t Field = address(Node->desc) + offsetof(patchbay_module, stubs);
    uint64_t ToStubs;
    M.Stubs = Memory.read(Field, ToStubs) && ToStubs ? Field + ToStubs : 0;
    Found.push_back(std::move(M));
    At = address(Node->next);
  }
  return true;
}

bool LiveProcess::readOthers(const Runtime &R,
                             std::vector<OtherModule> &Found) const {
  uint64_t At;
  if (!Memory.read(address(R.Live.others), At))
    return false;
  while (At) {
    pb_other Other;
    if (Found.size() == MaxModules ||
        !Memory.read(At, &Other, offsetof(pb_other, path)))
      return false;
    // Skip unloaded modules, which stay in the list until the process loads another module.
    if (Memory.mappingAt(address(Other.desc)))
      Found.push_back(
          {Memory.readString(At + offsetof(pb_other, path)), Other.version});
    At = address(Other.next);
  }
  return true;
}

std::vector<OtherModule> LiveProcess::otherModules() const {
  std::vector<OtherModule> All = Others;
  for (const Runtime &R : Runtimes) {
    std::vector<OtherModule> Found;
    // Ignore an error, since reading the list of modules reports it.
    if (readConsistently(Memory, R.Live, [&] {
          Found.clear();
          return readOthers(R, Found);
        }))
      append_range(All, Found);
  }
  return All;
}

Expected<std::vector<LiveModule>> LiveProcess::list(const Runtime &R) const {
  std::vector<LiveModule> Found;
  if (!readConsistently(Memory, R.Live, [&] { return readList(R, Found); }))
    return Memory.error("its list of modules cannot be read: the process has ended, or the "
                        "list keeps changing, or the process was stopped while it changed the "
                        "list");
  return Found;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

namespace {
/// The bytes from the function's prefix to the end of its site.
struct Window {
  static constexpr int Before = -PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET;
  static constexpr int Behind = 24;
  uint8_t Bytes[Before + Behind];

  const uint8_t *at(int64_t FromEntry) const {
    return Bytes + Before + FromEntry;
  }
  uint64_t slot() const { return read64le(at(PATCHBAY_SLOT_OFFSET)); }
};
} // namespace

// The offset of the pad from the entry; std::nullopt if the function has no slot.
static std::optional<int> padOffset(const CodeForm &Form, const Window &W) {
  CodeBytes Pad = Form.pad();
  // On x86-64 the opcode before a hash follows the third byte of the pad.
  size_t Proof = Form.Machine == ELF::EM_X86_64 ? 3 : 4;
  if (!memcmp(W.at(PATCHBAY_PAD_OFFSET), Pad.data(), Proof))
    return PATCHBAY_PAD_OFFSET;
  if (read32le(W.at(PATCHBAY_PAD_OFFSET)) ==
          PATCHBAY_FUNCTION_SANITIZER_MAGIC &&
      !memcmp(W.at(PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET), Pad.data(),
              Pad.size()))
    return PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET;
  return std::nullopt;
}

// Is the word the branch of an armed site?
static bool isBranch(uint16_t Machine, uint32_t Word) {
  switch (Machine) {
  case ELF::EM_AARCH64:
    return (Word & 0x7c000000) == PATCHBAY_AARCH64_SITE_B;
  case ELF::EM_PPC64:
    return (Word & 0xfc000003) == PATCHBAY_PPC64LE_SITE_B;
  case ELF::EM_RISCV:
    return (Word & 0xfffff) == PATCHBAY_RISCV64_SITE_JALR;
  default:
    return false;
  }
}

static LiveSite::States stateOf(const CodeForm &Form, const Window &W,
                                int64_t SiteFromEntry, int64_t SiteToStub) {
  std::optional<int> Pad = padOffset(Form, W);
  if (!Pad)
    return LiveSite::NoSlot;
  CodeBytes Disarmed = Form.site(*Pad - SiteFromEntry, SiteToStub);
  ArrayRef<uint8_t> Found(W.at(SiteFromEntry), Disarmed.size());
  if (Form.Machine == ELF::EM_X86_64) {
    // The first byte is the state. The next four bytes of a disarmed site may have any value.
    constexpr size_t Branch = PATCHBAY_X86_64_SITE_BRANCH_SIZE;
    ArrayRef<uint8_t> Expected(Disarmed);
    if (Found.drop_front(Branch) != Expected.drop_front(Branch))
      return LiveSite::Unknown;
    if (Found[0] == PATCHBAY_X86_64_SITE_DISARMED)
      return LiveSite::Disarmed;
    return Found[0] == PATCHBAY_X86_64_SITE_CALL &&
                   Found.drop_front() == Expected.drop_front()
               ? LiveSite::Armed
               : LiveSite::Unknown;
  }
  if (Found == ArrayRef<uint8_t>(Disarmed))
    return LiveSite::Disarmed;
  if (Form.Machine == ELF::EM_RISCV) {
    // Disarmed and armed sites both begin with the auipc.
    if ((read32le(Found.data()) & 0xfff) != PATCHBAY_RISCV64_SITE_AUIPC)
      return LiveSite::Unknown;
    write32le(Disarmed.data(), read32le(Found.data()));
    if (Found == ArrayRef<uint8_t>(Disarmed))
      return LiveSite::Disarmed;
  }
  return Found.drop_back(4) == ArrayRef<uint8_t>(Disarmed).drop_back(4) &&
                 isBranch(Form.Machine, read32le(Found.take_back(4).data()))
             ? LiveSite::Armed
             : LiveSite::Unknown;
}

// Reads the tracers of a cell. All must have the same record. Returns false if the data is
// invalid.
static bool readCell(const ProcessMemory &Memory, const patchbay_cell &Own,
                     std::vector<LiveTracer> &Tracers) {
  if (!Own.ops)
    return true;
  std::vector<patchbay_cell> Cells = {Own};
  if (Own.set) {
    size_t Number;
    uint64_t Set = address(Own.set);
    if (!Memory.read(Set + offsetof(pb_set, nr), Number) || !Number ||
        Number > MaxTracers)
      return false;
    Cells.resize(Number);
    if (!Memory.read(Set + offsetof(pb_set, cells), Cells.data(),
                     Number * sizeof(patchbay_cell)))
      return false;
  }
  for (const patchbay_cell &C : Cells) {
    if (C.record != Own.record)
      return false;
    Tracers.push_back({reinterpret_cast<uintptr_t>(C.func), address(C.data)});
  }
  return true;
}

// Does the table of owners assign this shared cell to the function with this
// index?
static bool isOwner(const ProcessMemory &Memory, const pb_shared &Shared,
                    uint64_t Index, uint64_t Owner) {
  uint8_t Found;
  return Owner && Memory.read(address(Shared.owners) + Index, Found) && Found == Owner;
}

// Follows the slot of a function to its tracers. The slot points to the function's own cell
// with its record, to a shared cell with a similar record, or to a gate before the
// function's own cell.
static bool readTracers(const ProcessMemory &Memory, const LiveModule &Module,
                        uint64_t Slot, uint64_t Record,
                        const patchbay_record &Like,
                        std::vector<LiveTracer> &Tracers) {
  patchbay_cell Cell;
  Tracers.clear();
  if (!Memory.read(Slot, Cell))
    return false;
  if (address(Cell.record) == Record)
    return readCell(Memory, Cell, Tracers);

  uint64_t At, Own;
  uint64_t Index = (Record - Module.Records) / sizeof(patchbay_record);
  pb_shared Shared;
  if (!Memory.read(Module.At + offsetof(pb_module, shared), At) || !At ||
      !Memory.read(At, Shared))
    return false;
  uint64_t Owner = (Slot - address(Shared.cells)) / PB_SHARED_STEP;
  if (Owner >= PB_NR_SHARED ||
      Slot != address(Shared.cells) + Owner * PB_SHARED_STEP ||
      !isOwner(Memory, Shared, Index, Owner))
    return false;
  if (Owner == PB_OWNER_NOBODY)
    return true;
  if (Owner == PB_OWNER_GATE)
    return (Own = address(Shared.own)) &&
           Memory.read(Own + Index * sizeof(uint64_t), Slot) &&
           Memory.read(Slot, Cell) && address(Cell.record) == Record &&
           readCell(Memory, Cell, Tracers);
  patchbay_record Shape;
  return Memory.read(Slot + offsetof(pb_shared_cell, shape), Shape) &&
         address(Cell.record) == Slot + offsetof(pb_shared_cell, shape) &&
         pb_shape(&Shape) == pb_shape(&Like) && readCell(Memory, Cell, Tracers);
}

LiveSite LiveProcess::readSite(const Runtime &R, const LiveModule &Module,
                               uint64_t Address,
                               const patchbay_record &Record) const {
  const CodeForm &Form = codeForm(R.Machine);
  LiveSite S{Address + int64_t(Record.entry), LiveSite::Outside, {}};
  uint64_t Site =
      Address + offsetof(patchbay_record, site) + int64_t(Record.site);
  int64_t FromEntry = Site - S.Entry;
  if (S.Entry < Module.Low + PATCHBAY_PREFIX_SIZE || S.Entry > Module.High ||
      FromEntry < 0 || FromEntry + Form.siteSize() > Window::Behind ||
      Site + Form.siteSize() > Module.High)
    return S;

  uint64_t Stub = Module.Stubs + Form.stubOffset(Record, FromEntry != 0);

  // The window is shorter at the ends of the module's text.
  Window W = {};
  size_t Start = std::max(S.Entry - Window::Before, Module.Low) -
                 (S.Entry - Window::Before);
  size_t End = Window::Before + FromEntry + Form.siteSize();
  auto Read = [&] {
    if (!Memory.read(S.Entry - Window::Before + Start, W.Bytes + Start,
                     End - Start))
      return false;
    S.State = stateOf(Form, W, FromEntry, Stub - Site);
    S.Tracers.clear();
    if (S.State == LiveSite::Armed &&
        !readTracers(Memory, Module, W.slot(), Address, Record, S.Tracers))
      S.State = LiveSite::Foreign;
    // If the slot of a disarmed site still points to tracers, code other than libpatchbay has
    // overwritten the site.
    if (S.State != LiveSite::Disarmed || !W.slot())
      return true;
    if (readTracers(Memory, Module, W.slot(), Address, Record, S.Tracers) &&
        !S.Tracers.empty())
      S.State = LiveSite::Changed;
    else
      S.Tracers.clear();
    return true;
  };
  // Most sites do not change, so one read suffices.
  bool IsRead = Read();
  if (IsRead && (S.State == LiveSite::Disarmed || !R.Live.generation))
    return S;
  if (!readConsistently(Memory, R.Live, Read)) {
    S.State = LiveSite::Unreadable;
    S.Tracers.clear();
  }
  return S;
}

Expected<bool> LiveProcess::readSites(const Runtime &R, LiveModule &Module,
                                      Budget &Left) const {
  const ProcessMemory::Mapping *Mapped = Memory.mappingAt(Module.Records);
  constexpr size_t Block = 4096;
  std::vector<patchbay_record> Records;
  // The memory of an unloaded module's list entry may have any contents, so its number of
  // records may be wrong.
  if (Module.NumRecords && !Mapped)
    return false;
  if (Module.NumRecords > Left.Sites)
    return Memory.error("it reports more than " + Twine(MaxSites) +
                        " functions, which are not read");
  Left.Sites -= Module.NumRecords;
  for (uint64_t I = 0; I < Module.NumRecords; I += Records.size()) {
    Records.resize(std::min<uint64_t>(Block, Module.NumRecords - I));
    if (!Memory.read(Module.Records + I * sizeof(patchbay_record),
                     Records.data(), Records.size() * sizeof(patchbay_record)))
      return false;
    for (size_t J = 0; J != Records.size(); ++J) {
      LiveSite Site = readSite(
          R, Module, Module.Records + (I + J) * sizeof(patchbay_record),
          Records[J]);
      if (Site.Tracers.size() > Left.Tracers)
        return Memory.error("it reports that its functions have more than " +
                            Twine(MaxTracersOfAll) +
                            " tracers, which are not read");
      Left.Tracers -= Site.Tracers.size();
      Module.Sites.push_back(std::move(Site));
    }
  }
  llvm::sort(Module.Sites, [](const LiveSite &A, const LiveSite &B) {
    return A.Entry < B.Entry;
  });
  return true;
}

Expected<std::vector<LiveModule>> LiveProcess::modules() const {
  std::vector<LiveModule> Result;
  Budget Left = {MaxSites, MaxTracersOfAll};
  for (LiveModule M : Unregistered) {
    auto IsThere = readSites({{}, Machine}, M, Left);
    if (!IsThere)
      return IsThere.takeError();
    if (*IsThere)
      Result.push_back(std::move(M));
  }
  for (const Runtime &R : Runtimes) {
    auto Listed = list(R);
    if (!Listed)
      return Listed.takeError();
    std::vector<LiveModule> Found;
    for (LiveModule &M : *Listed) {
      auto IsThere = readSites(R, M, Left);
      if (!IsThere)
        return IsThere.takeError();
      if (*IsThere)
        Found.push_back(std::move(M));
    }
    auto Still = list(R);
    if (!Still)
      return Still.takeError();
    for (LiveModule &M : Found)
      if (any_of(*Still, [&](const LiveModule &S) {
            return S.Records == M.Records && S.NumRecords == M.NumRecords &&
                   S.Base == M.Base && S.Path == M.Path;
          }))
        Result.push_back(std::move(M));
  }
  return Result;
}

LiveCounters LiveProcess::counters() const {
  LiveCounters Sum;
  for (const Runtime &R : Runtimes) {
    struct pb_stats Stats;
    if (!Memory.read(address(R.Live.stats), Stats))
      continue;
    Sum.Batches += Stats.batches;
    Sum.Membarriers += Stats.membarriers;
    Sum.TextWrites += Stats.text_writes;
    Sum.Left += Stats.left;
    Sum.Timeouts += Stats.timeouts;
    if (Stats.waited_for)
      Sum.WaitedFor = Stats.waited_for;
    for (size_t I = 0; I != std::size(Sum.Refused); ++I)
      Sum.Refused[I] += Stats.refused[I];
  }
  return Sum;
}

static std::optional<uint32_t> versionOf(int File, StringRef Path) {
  auto Image = expectedToOptional(ElfImage::read(File, Path));
  if (!Image)
    return std::nullopt;
  return expectedToOptional(Image->abiVersion());
}

std::vector<OtherModule>
patchbay::otherVersionsMapped(const ProcessMemory &Memory) {
  std::vector<OtherModule> Others;
  for (const ProcessMemory::Mapping *M : Memory.codeOfFiles()) {
    const Descriptor File = Memory.openFile(*M);
    if (File < 0)
      continue;
    if (auto Version = versionOf(File, M->Path);
        Version && *Version != PATCHBAY_ABI_VERSION)
      Others.push_back({M->Path, *Version});
  }
  return Others;
}
