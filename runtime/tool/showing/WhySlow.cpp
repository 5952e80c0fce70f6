// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WhySlow.h"
#include "Table.h"
#include "analysis/Durations.h"
#include "elf/LoadMap.h"
#include "elf/Unwinder.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"
#include <sys/stat.h>

using namespace llvm;
using namespace patchbay;

// Limits stack traces, since the untrusted process controls how long unwinding takes.
static constexpr size_t MaxCallers = 128;

//===----------------------------------------------------------------------===//
// Mapped files
//===----------------------------------------------------------------------===//

namespace {
/// A file whose code is on a stack. Image is unset if the file was replaced.
struct CodeFile {
  std::optional<ElfImage> Image;
  std::optional<LoadMap> Bytes;
  uint64_t FrameHeader = 0; // ELF address
  std::vector<std::array<uint64_t, 3>> Code; // offset, size, ELF address
};
} // namespace

struct WhySlow::Files {
  std::map<std::pair<std::string, uint64_t>, CodeFile> ByPath; // by path and inode
  const CodeFile &of(const MemoryMapping &M, StringRef Symfs);
};

const CodeFile &WhySlow::Files::of(const MemoryMapping &M, StringRef Symfs) {
  auto [At, New] = ByPath.try_emplace({M.Path, M.Inode});
  CodeFile &F = At->second;
  std::string Path = (Symfs + M.Path).str();
  struct stat Status;
  // Ignore a file that was replaced, which has other functions.
  if (!New || !StringRef(M.Path).starts_with("/") || stat(Path.c_str(), &Status) ||
      (Symfs.empty() && Status.st_ino != M.Inode))
    return F;
  auto Image = expectedToOptional(ElfImage::open(Path));
  if (!Image)
    return F;
  F.Image = std::move(*Image);
  Expected<LoadMap> Bytes = LoadMap::create(*F.Image);
  auto Headers = F.Image->elf().program_headers();
  if (Bytes && Headers) {
    F.Bytes = std::move(*Bytes);
    for (const auto &H : *Headers)
      if (H.p_type == ELF::PT_GNU_EH_FRAME)
        F.FrameHeader = H.p_vaddr;
      else if (H.p_type == ELF::PT_LOAD && H.p_flags & ELF::PF_X)
        F.Code.push_back({H.p_offset, H.p_filesz, H.p_vaddr});
  } else {
    consumeError(Bytes.takeError());
    consumeError(Headers.takeError());
  }
  return F;
}

static const MemoryMapping *mappingOf(const DataFile &Data, uint32_t Maps,
                                      uint64_t Address) {
  auto Found = Data.Maps.find(Maps);
  return Found == Data.Maps.end() ? nullptr : patchbay::mappingAt(Found->second, Address);
}

/// The difference between run-time addresses and ELF addresses of the file.
static std::optional<uint64_t> baseOf(const MemoryMapping &M, const CodeFile &F) {
  for (auto [Offset, Size, Address] : F.Code)
    if (M.Offset + (M.End - M.Start) > Offset && M.Offset < Offset + Size)
      return M.Start - (Address - Offset + M.Offset);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Reads the copied stack, and the unwind tables of the files.
class WhySlow::Stack : public UnwindSource {
public:
  Stack(const DataFile &Data, const DataSlow &S, Files &Opened, StringRef Symfs)
      : Data(Data), S(S), Opened(Opened), Symfs(Symfs) {}
  bool read(uint64_t Address, void *Bytes, size_t Size) const override;
  using UnwindSource::read;
  uint64_t frameHeader(uint64_t Code) const override;
  /// Was the last request beyond the copied part of the stack?
  bool wasTooShort() const { return WasTooShort; }

private:
  const DataFile &Data;
  const DataSlow &S;
  Files &Opened;
  StringRef Symfs;
  mutable const CodeFile *Last = nullptr; // the file read last
  mutable uint64_t Base = 0;
  mutable bool WasTooShort = false;
};

bool WhySlow::Stack::read(uint64_t Address, void *Bytes, size_t Size) const {
  if (Address >= S.StackBegin && Address - S.StackBegin <= S.Stack.size() &&
      Size <= S.Stack.size() - (Address - S.StackBegin)) {
    memcpy(Bytes, S.Stack.data() + (Address - S.StackBegin), Size);
    return true;
  }
  ArrayRef<uint8_t> Found;
  if (Last && Last->Bytes)
    Found = Last->Bytes->bytes(Address - Base, Size);
  WasTooShort = Found.size() != Size && Address + Size > S.StackBegin + S.Stack.size();
  if (Found.size() != Size)
    return false;
  memcpy(Bytes, Found.data(), Size);
  return true;
}

uint64_t WhySlow::Stack::frameHeader(uint64_t Code) const {
  Last = nullptr;
  const MemoryMapping *M = mappingOf(Data, S.Maps, Code);
  if (!M)
    return 0;
  const CodeFile &F = Opened.of(*M, Symfs);
  auto Of = baseOf(*M, F);
  if (!Of || !F.FrameHeader)
    return 0;
  Last = &F;
  Base = *Of;
  return Base + F.FrameHeader;
}

// Follows frame pointers on AArch64, ppc64le and riscv64: each frame has the
// return address and the address of the caller's frame.
static std::vector<uint64_t> linkedFrames(uint16_t Machine, const UnwindSource &Stack,
                                          const DataSlow &S) {
  std::vector<uint64_t> Found = {S.CallerPc};
  bool IsPower = Machine == ELF::EM_PPC64;
  uint64_t Frame = IsPower ? S.CallerSp : S.CallerFp, Next, Pc;
  while (Found.size() < MaxCallers) {
    uint64_t NextAt = Frame - (Machine == ELF::EM_RISCV ? 16 : 0);
    if (!Stack.read(NextAt, Next) || Next <= Frame)
      break;
    uint64_t PcAt = IsPower ? Next + 16 : NextAt + 8;
    if (!Stack.read(PcAt, Pc) || !Pc)
      break;
    Found.push_back(Pc);
    Frame = Next;
  }
  return Found;
}

static DwarfRegisters registersOf(const DataSlow &S) {
  constexpr const RegisterNumbers &Numbers = NumbersOfX86_64;
  DwarfRegisters Registers;
  for (unsigned I = 0; I != Numbers.Number; ++I)
    if (Numbers.isPreserved(I) || I == Numbers.StackPointer || I == Numbers.Pc)
      Registers[I] = S.Here[I];
  return Registers;
}

// Returns the registers of the caller, to begin unwinding there if files of the runtime are
// missing.
static DwarfRegisters callersOf(const DataSlow &S) {
  DwarfRegisters Registers;
  Registers[NumbersOfX86_64.Pc] = S.CallerPc;
  Registers[NumbersOfX86_64.StackPointer] = S.CallerSp;
  constexpr unsigned FramePointer = 6;
  Registers[FramePointer] = S.CallerFp;
  return Registers;
}

void WhySlow::addCallers(const DataFile &Data, const DataSlow &S, SlowReason &To) {
  if (S.StackErrno) {
    To.CallersEnd = "the stack could not be read: " + errnoText(S.StackErrno);
    To.Callers.push_back(place(Data, S.Maps, S.CallerPc));
    return;
  }
  Stack Memory(Data, S, *Opened, T.Names.Sources.Symfs);
  std::vector<uint64_t> Pcs;
  bool IsWhole = false, WasCut = false;
  if (Data.Machine == ELF::EM_X86_64) {
    Unwound U = unwindStack(Memory, NumbersOfX86_64, registersOf(S));
    // Skip the frames before the caller, which belong to the runtime.
    size_t First = llvm::find_if(U.StackPointers,
                                 [&](uint64_t Sp) { return Sp >= S.CallerSp; }) -
                   U.StackPointers.begin();
    if (First == U.Frames.size() || U.Frames[First].Pc != S.CallerPc) {
      U = unwindStack(Memory, NumbersOfX86_64, callersOf(S));
      First = 0;
    }
    for (size_t I = First; I != U.Frames.size() && Pcs.size() != MaxCallers; ++I)
      Pcs.push_back(U.Frames[I].Pc);
    IsWhole = U.IsWhole;
    WasCut = !IsWhole && Memory.wasTooShort();
  } else {
    Pcs = linkedFrames(Data.Machine, Memory, S);
    IsWhole = true; // all linked frames were followed
  }
  // Skip frames of the runtime: calls of traced functions go through a trampoline of the
  // library or of the module. A thread's first call goes through the library's general path.
  for (uint64_t Pc : Pcs)
    if (std::string Name = place(Data, S.Maps, Pc);
        !StringRef(Name).starts_with("pb_x86_64_") &&
        !StringRef(Name).starts_with("pb_arch_call_") &&
        !StringRef(Name).starts_with(PATCHBAY_X86_64_STUBS_SYMBOL))
      To.Callers.push_back(std::move(Name));
  if (!IsWhole)
    To.CallersEnd = WasCut ? "the rest of the stack was not copied"
                           : "the caller has no unwind table here";
}

std::string WhySlow::place(const DataFile &Data, uint32_t Maps, uint64_t Address) {
  std::string Number = "0x" + utohexstr(Address, /*LowerCase=*/true);
  const MemoryMapping *M = mappingOf(Data, Maps, Address);
  if (!M)
    return Number;
  StringRef File = sys::path::filename(M->Path);
  const CodeFile &F = Opened->of(*M, T.Names.Sources.Symfs);
  auto Base = baseOf(*M, F);
  if (!Base)
    return (File + "+0x" + utohexstr(Address - M->Start + M->Offset, true)).str();
  DataModule Module;
  Module.Base = *Base;
  Module.Path = M->Path;
  Module.BuildId = toStringRef(F.Image->buildId()).str();
  std::string Name = T.Names.around(Module, Address - *Base);
  if (Name.empty())
    return (File + "+0x" + utohexstr(Address - *Base, true)).str();
  // Names in libraries have a version appended: "read@@GLIBC_2.2.5".
  auto [Function, Version] = StringRef(Name).split('@');
  return Version.empty() ? Name : (Function + Version.substr(Version.rfind('+'))).str();
}

// Is the function a part of every wait, so that its name explains nothing?
static bool isOfScheduler(StringRef Function) {
  static constexpr StringRef Known[] = {
      "__schedule", "schedule", "schedule_timeout", "io_schedule", "preempt_schedule",
      "schedule_hrtimeout_range", "schedule_hrtimeout_range_clock",
      "preempt_schedule_common", "preempt_schedule_irq", "io_schedule_timeout",
      "schedule_timeout_interruptible", "schedule_preempt_disabled", "__cond_resched",
      "perf_trace_sched_switch", "__traceiter_sched_switch", "schedule_hrtimeout"};
  return is_contained(Known, Function);
}

// Returns "futex" for __x64_sys_futex, __arm64_sys_futex, __se_sys_futex and sys_futex.
static StringRef systemCall(StringRef Function) {
  auto [Before, Name] = Function.split("sys_");
  if (Name.empty() || !(Before.empty() || Before.starts_with("__")) ||
      Function.starts_with("do_"))
    return "";
  return Name;
}

static std::string waitedFor(ArrayRef<std::string> Kernel) {
  StringRef Innermost, Call;
  for (StringRef F : Kernel) {
    if (Innermost.empty() && !isOfScheduler(F))
      Innermost = F;
    if (Call.empty())
      Call = systemCall(F);
    if (Call.empty() && (F == "exc_page_fault" || F == "do_page_fault" ||
                         F == "do_mem_abort"))
      Call = "page fault";
  }
  if (Call.empty())
    return Innermost.str();
  if (Innermost.empty() || systemCall(Innermost) == Call)
    return Call.str();
  return (Call + " (" + Innermost + ")").str();
}

WhySlow::WhySlow(Trace &T) : T(T), Opened(std::make_unique<Files>()) {}
WhySlow::~WhySlow() = default;

std::optional<SlowReason> WhySlow::of(const TraceThread &Thread,
                                      const DataValues *V, uint64_t Cost) {
  const DataFile &Data = T.Processes[Thread.Process].Data;
  std::optional<DataSlow> S = V && V->Slow ? Data.slow(V->Slow) : std::nullopt;
  if (!S)
    return std::nullopt;
  SlowReason R;
  R.IsMeasured = Cost && Cost > S->Ns - std::min(S->OffNs, S->Ns);
  R.Ns = R.IsMeasured ? S->Ns : S->Ns - Cost;
  R.OffNs = S->OffNs;
  R.PreemptedNs = S->PreemptedNs;
  R.NrWaits = S->NrWaits;
  R.IsWhole = S->IsWhole;
  StringRef BootId = Data.Place ? StringRef(Data.Place->BootId) : "";
  for (const DataWait &W : S->Waits) {
    SlowReason::Wait To;
    To.BeginNs = W.BeginNs;
    To.Ns = W.Ns;
    To.IsPreempted = W.IsPreempted;
    for (uint64_t Address : W.Kernel)
      if (StringRef Name = Kernel.at(Address - 1, BootId); !Name.empty())
        To.Kernel.push_back(Name.str());
    if (!W.IsPreempted)
      To.For = waitedFor(To.Kernel);
    if (W.User)
      To.At = place(Data, S->Maps, *W.User);
    R.Waits.push_back(std::move(To));
  }
  llvm::sort(R.Waits, [](const auto &A, const auto &B) {
    return std::tie(B.Ns, A.BeginNs) < std::tie(A.Ns, B.BeginNs);
  });
  addCallers(Data, *S, R);
  return R;
}

std::string SlowReason::summary(size_t Room) const {
  if (!OffNs && IsWhole)
    return "on-CPU all the time: it computed";
  if (!OffNs)
    return "off-CPU time unknown";
  std::string Text = "off-CPU for " + std::string(IsWhole ? "" : "at least ") +
                     durationText(OffNs) + " of " + durationText(Ns) +
                     (IsMeasured ? " as measured" : "");
  if (IsWhole && OffNs < Ns / 2)
    Text = "computed for " + durationText(Ns - OffNs) + " of " + durationText(Ns) +
           "; off-CPU for " + durationText(OffNs);
  // Group the waits by cause, since most have the same cause.
  std::vector<std::pair<std::string, uint64_t>> By;
  for (const Wait &W : Waits) {
    std::string What = W.IsPreempted ? "preempted" : W.For.empty() ? W.At : W.For;
    if (What.empty())
      What = "it waited";
    auto Known = llvm::find_if(By, [&](const auto &B) { return B.first == What; });
    if (Known == By.end())
      By.push_back({What, W.Ns});
    else
      Known->second += W.Ns;
  }
  llvm::sort(By, [](const auto &A, const auto &B) {
    return std::tie(B.second, A.first) < std::tie(A.second, B.first);
  });
  std::vector<std::string> Waited;
  for (const auto &[What, Ns] : By)
    Waited.push_back(What + (hasAllWaits() ? " " : " >= ") + durationText(Ns));
  if (Waited.empty())
    return Text;
  size_t Left = Room > Text.size() + 2 ? Room - Text.size() - 2 : Room ? 1 : 0;
  return Text + ": " + listed(Waited, 3, Left);
}

void SlowReason::print(json::OStream &J) const {
  J.attribute("off_cpu_ns", OffNs);
  J.attribute("off_cpu_is_exact", IsWhole);
  J.attribute("preempted_ns", PreemptedNs);
  J.attribute("nr_waits", NrWaits);
  J.attributeArray("waits", [&] {
    for (const Wait &W : Waits)
      J.object([&] {
        J.attribute("start_ns", W.BeginNs);
        J.attribute("ns", W.Ns);
        J.attribute("preempted", W.IsPreempted);
        if (!W.For.empty())
          J.attribute("for", json::fixUTF8(W.For));
        if (!W.At.empty())
          J.attribute("at", json::fixUTF8(W.At));
        if (!W.Kernel.empty())
          J.attributeArray("kernel", [&] {
            for (const std::string &F : W.Kernel)
              J.value(json::fixUTF8(F));
          });
      });
  });
  J.attributeArray("stack", [&] {
    for (const std::string &Caller : Callers)
      J.value(json::fixUTF8(Caller));
  });
  if (!CallersEnd.empty())
    J.attribute("stack_ends", json::fixUTF8(CallersEnd));
}

std::string patchbay::whatIsKnown(const DataWhy &Why) {
  std::string Text;
  if (Why.Have & PBD_WHY_KERNEL)
    Text = "each wait with its kernel functions";
  else if (Why.Have & PBD_WHY_SWITCHES)
    Text = "each wait, without its cause";
  else if (Why.Have & PBD_WHY_NEITHER)
    Text = "a lower bound of the off-CPU time, no waits";
  else
    return "no thread was traced yet";
  if (Why.Have & PBD_WHY_NEITHER && Why.Have & PBD_WHY_SWITCHES)
    Text += "; for some threads only a lower bound of the off-CPU time";
  if (Why.Have & PBD_WHY_FILTERED)
    Text += ": the process began with a filter of system calls";
  else if (Why.Refused)
    Text += ": perf_event_open(2) was refused: " + errnoText(Why.Refused);
  return Text;
}

// Threads wait for locks in futex(2). If functions of the kernel are unknown, checks the
// functions of the C library.
static bool isForLock(const SlowReason::Wait &W) {
  StringRef At = W.At;
  return !W.IsPreempted &&
         (StringRef(W.For).starts_with("futex") ||
          (W.For.empty() && (At.contains("futex") || At.contains("lll_lock_wait"))));
}

size_t LockHolders::add(const TraceThread &Waiter, const std::optional<SlowReason> &R) {
  Wait To;
  To.Waiter = &Waiter;
  if (R)
    if (auto W = llvm::find_if(R->Waits, isForLock); W != R->Waits.end() && W->Ns) {
      To.Begin = W->BeginNs;
      To.End = SaturatingAdd(W->BeginNs, W->Ns);
      Shortest = std::min(Shortest, To.length());
    }
  Waits.push_back(To);
  return Waits.size() - 1;
}

void LockHolders::begin(ArrayRef<TraceCall> Open, const DataValues *V) {
  SlowOf.resize(Open.size());
  SlowOf.back() = V ? V->Slow : 0;
}

// Did the slow call itself wait for locks during half of the wait At? Then the call probably waited
// for the same lock, and does not hold it.
bool LockHolders::hasWaited(const Wait &At, uint64_t Slow) {
  DataValues V;
  V.Slow = Slow;
  uint64_t Ns = 0;
  if (auto R = Why.of(*Current, &V))
    for (const SlowReason::Wait &W : R->Waits)
      if (isForLock(W)) {
        const uint64_t Begin = std::max(W.BeginNs, At.Begin);
        Ns += std::max(std::min(SaturatingAdd(W.BeginNs, W.Ns), At.End), Begin) - Begin;
      }
  return Ns >= At.length() / 2;
}

// Makes C the holder for At if C fits better than the previous holder. Of two nested calls
// that fit equally well, prefers the inner call: outer calls belong to the main loop.
void LockHolders::look(Wait &At, const TraceCall &C, uint64_t Slow) {
  const uint64_t Slack = At.tolerance(), End = C.end();
  if (!At.length() || Current == At.Waiter || Current->Process != At.Waiter->Process ||
      End + Slack < At.End || End > SaturatingAdd(At.End, Slack))
    return;
  const uint64_t Start = std::max(C.Start, At.Begin), Stop = std::min(End, At.End);
  const uint64_t Overlap = Stop - std::min(Start, Stop);
  if (Overlap < At.length() / 2 || (Slow && hasWaited(At, Slow)))
    return;
  Holder &By = At.By;
  bool IsDeeper = By.Thread == Current && C.Depth > By.Depth;
  if (Overlap > By.Overlap + Slack || !By.Thread ||
      (IsDeeper && Overlap + Slack >= By.Overlap))
    By = {C.Function, Current, Overlap, C.Depth};
}

void LockHolders::end(ArrayRef<TraceCall> Open, size_t Depth, std::optional<uint64_t>) {
  for (; Depth != Open.size(); ++Depth)
    if (Open[Depth].elapsed() >= Shortest / 2)
      for (Wait &At : Waits)
        look(At, Open[Depth], SlowOf[Depth]);
}
