// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recorder.h"
#include "OutputDir.h"
#include "reading/DataFiles.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

// Intervals between checks of all chunks' states, and between checks of the records in
// owned chunks.
static constexpr std::chrono::microseconds ShortestWait = 500us, LongestWait = 20ms,
                                           OwnedWait = 100ms;

// Number of free chunks whose pages the recorder allocates in advance, once a chunk is
// in use.
static constexpr unsigned Prepares = 8;

// Number of files whose losses are counted separately.
static constexpr size_t MostNamed = 1000;

// The minimum limit for open files. Without free descriptors, this command could not write
// events.
static constexpr rlim_t LeastFiles = 16;

// Returns the number of chunks in the arena. Uses at most an eighth of the control group's
// memory, since the arena's pages count there. Returns 0 with a limit for file sizes,
// since a write beyond the limit would kill this command.
static uint32_t fittingChunks() {
  rlimit FileSize, Files;
  if (getrlimit(RLIMIT_FSIZE, &FileSize) || FileSize.rlim_cur != RLIM_INFINITY ||
      getrlimit(RLIMIT_NOFILE, &Files) || Files.rlim_cur < LeastFiles)
    return 0;
  const uint64_t Limit = memoryLimit(getpid()).value_or(UINT64_MAX);
  return uint32_t(std::min<uint64_t>(PBA_CHUNKS_MAX, Limit / 8 / PBA_CHUNK_SIZE));
}

// For finishOnPipeSignal(): the recorder, and the process that has the recorder's thread.
static Recorder *InUse;
static pid_t UserOfIt;

// Handles SIGPIPE: writes all data before this command ends, since processes that have
// ended rely on this command.
static void finishOnPipeSignal(int Signal) {
  if (InUse && getpid() == UserOfIt)
    InUse->finish();
  signal(Signal, SIG_DFL);
  raise(Signal);
}

// LooksUnused: number of rounds without a new record after which the recorder checks
// whether the chunk's process has ended or switched to another file.
Recorder::Recorder(int Dir, bool Rotates)
    : Dir(Dir), Files(Dir), LooksUnused(Rotates ? 0 : 10) {
  Nr = fittingChunks();
  NrPages = Nr * (PBA_PAGES_MAX / PBA_CHUNKS_MAX);
  Memory = Nr ? memfd_create("patchbay", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
  if (Memory < 0)
    return;
  void *Mapped = MAP_FAILED;
  if (!ftruncate(Memory, off_t(PBA_SIZE(Nr, NrPages))) &&
      !fcntl(Memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    Mapped = mmap(nullptr, PBA_SIZE(Nr, NrPages), PROT_READ | PROT_WRITE, MAP_SHARED, Memory,
                  0);
  if (Mapped == MAP_FAILED)
    return;
  Arena = static_cast<pba_arena *>(Mapped);
  memcpy(Arena->magic, PBA_MAGIC, sizeof(Arena->magic));
  Id = std::random_device()() | 1;
  Arena->id = Id;
  Arena->nr = Nr;
  Arena->nr_pages = NrPages;
  // Block signals in the new thread: the command's first thread handles signals.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  HasThread = !pthread_create(&Thread, nullptr, drain, this);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  struct sigaction Pipe;
  if (HasThread && !sigaction(SIGPIPE, nullptr, &Pipe) && Pipe.sa_handler == SIG_DFL) {
    InUse = this;
    UserOfIt = getpid();
    signal(SIGPIPE, finishOnPipeSignal);
  }
}

Recorder::~Recorder() {
  finish();
  if (InUse == this) {
    signal(SIGPIPE, SIG_DFL);
    InUse = nullptr;
  }
  if (Arena)
    munmap(Arena, PBA_SIZE(Nr, NrPages));
  if (Memory >= 0)
    close(Memory);
}

std::string Recorder::option() const {
  return HasThread ? ",arena=/proc/" + utostr(getpid()) + "/fd/" + utostr(Memory) +
                         ",arena-id=" + utostr(Id)
                   : "";
}

char *Recorder::memory(unsigned I) const {
  return reinterpret_cast<char *>(Arena) + PBA_DATA_AT + I * PBA_CHUNK_SIZE;
}

uint32_t Recorder::state(unsigned I) const {
  return __atomic_load_n(&Arena->chunk[I].state, __ATOMIC_ACQUIRE);
}

char *Recorder::page(unsigned Page) const {
  return reinterpret_cast<char *>(Arena) + PBA_PAGES_AT(Nr) + Page * PBA_PAGE_SIZE;
}

unsigned Recorder::usedPages() const {
  return std::min(__atomic_load_n(&Arena->nr_used, __ATOMIC_RELAXED), NrPages);
}

DataWriter::File *Recorder::openFile(const pba_chunk &Head) {
  if (DataWriter::File *Open = Files.open(nameOf(Head), Head.start_ns))
    return Open;
  // The file may have lost its header by truncation.
  const auto Header = headerOf(Head);
  return Header ? Files.adopt(nameOf(Head), *Header) : nullptr;
}

// Finds the header of the chunk's file in the arena.
std::optional<pbd_header> Recorder::headerOf(const pba_chunk &Head) const {
  for (unsigned Page = 0; Page < usedPages(); ++Page) {
    const pba_chunk First = headOf(Arena->page[Page]);
    if (!isOwned(First.state) || First.at || !isOfFile(First, Head))
      continue;
    pbd_header Header;
    memcpy(&Header, page(Page), sizeof(Header));
    if (Header.start_ns == Head.start_ns)
      return Header;
  }
  return std::nullopt;
}

bool Recorder::writeTo(const pba_chunk &Head, const char *From, size_t Size, uint64_t At) {
  if (Files.write(From, Size, At))
    return true;
  const auto Header = headerOf(Head);
  return Header && Files.extend(Header->committed) && Files.write(From, Size, At);
}

// Writes the block's head, and the records that are not written yet.
bool Recorder::write(unsigned I, size_t Records) {
  const pba_chunk Chunk = Arena->chunk[I];
  Progress &Of = Known[I];
  if (Of.At != Chunk.at || Of.StartNs != Chunk.start_ns) {
    Of = {};
    Of.At = Chunk.at;
    Of.StartNs = Chunk.start_ns;
  }
  pbd_block Head;
  memcpy(&Head, memory(I), RecordAt);
  // A block has no thread if the process was killed before the begin of the block.
  if (!Head.thread)
    return true;
  if (Head.chunk.kind != PBD_BLOCK || Head.chunk.size != PBA_CHUNK_SIZE)
    return false;
  DataWriter::File *To = openFile(Chunk);
  if (!To || Chunk.at % 8 || Chunk.at > UINT64_MAX - PBA_CHUNK_SIZE)
    return false;
  if (To->Cuts)
    Files.splitUnused({Chunk.at, PBA_CHUNK_SIZE});
  if (Of.Cuts != To->Cuts)
    Of.Records = 0;
  Of.Cuts = To->Cuts;
  const size_t From = RecordAt + std::min(Of.Records, Records) * sizeof(pbd_record);
  const size_t End = Records == MostRecords ? PBA_CHUNK_SIZE
                                            : RecordAt + Records * sizeof(pbd_record);
  // The file does not grow, since the process has allocated space for the block. Write
  // the head last, since readers find the block by its head.
  if (!writeTo(Chunk, memory(I) + From, End - From, Chunk.at + From) ||
      !writeTo(Chunk, reinterpret_cast<const char *>(&Head), RecordAt, Chunk.at))
    return false;
  Of.Unchanged = Of.Records == Records ? Of.Unchanged + 1 : 0;
  Of.Records = Records;
  return true;
}

void Recorder::release(unsigned I) {
  Known[I] = {};
  // While the arena is closed (Ends), an ending process may copy the same chunk to its
  // file. So do not zero the chunk now: the process would write zeros if this command were
  // killed.
  if (!Ends) {
    __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_TAKEN), __ATOMIC_RELEASE);
    memset(memory(I), 0, PBA_CHUNK_SIZE);
  } else {
    Dirty.push_back({&Arena->chunk[I].state, memory(I), PBA_CHUNK_SIZE});
  }
  __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_FREE), __ATOMIC_RELEASE);
}

// Returns Use::Unknown if the file was moved or deleted.
Recorder::Use Recorder::useOf(const pba_chunk &Head) {
  return !openFile(Head) ? Use::Unknown : Files.isUnused() ? Use::None : Use::Process;
}

// Gives up a chunk. The chunk stays PBA_TAKEN and is never reused, since a process may
// still use it.
void Recorder::abandon(unsigned I) {
  lose(Arena->chunk[I], PBA_CHUNK_SIZE);
  Known[I] = {};
  __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_TAKEN), __ATOMIC_RELEASE);
}

void Recorder::writeAndRelease(unsigned I) {
  if (write(I, MostRecords))
    finish(Arena->chunk[I], memory(I), PBA_CHUNK_SIZE);
  else
    lose(Arena->chunk[I], PBA_CHUNK_SIZE);
  release(I);
}

// Counts lost bytes. The count is by file only for valid names of data files, since the
// name is untrusted.
void Recorder::lose(const pba_chunk &Head, uint64_t Size) {
  const std::string Name = nameOf(Head).str();
  const OwnName Kind = ownName(Name);
  ++Unwritten;
  if (StringRef(Name).contains('/') || (Kind != OwnName::Data && Kind != OwnName::Spare) ||
      (Lost.size() == MostNamed && !Lost.count(Name)))
    LostOfOthers += Size;
  else
    Lost[Name] += Size;
}

// Marks the part as final, with its last word.
void Recorder::finish(const pba_chunk &Head, const char *From, uint64_t Size) {
  const uint64_t At = __atomic_load_n(&Head.at, __ATOMIC_RELAXED);
  if (openFile(Head))
    Files.finish({At, Size}, lastWord(From, Size, At));
}

// Writes full chunks. Returns whether any chunk was full.
bool Recorder::drainFull() {
  bool Any = false;
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    if ((State != PBA_FULL && State != PBA_ENDED) || Known[I].IsHeld)
      continue;
    // In the state PBA_WRITTEN, the chunk's process does not write to the chunk.
    uint32_t Before = State;
    if (!__atomic_compare_exchange_n(&Arena->chunk[I].state, &Before, uint32_t(PBA_WRITTEN),
                                     false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    Any = true;
    if (Known[I].At != Arena->chunk[I].at || Known[I].StartNs != Arena->chunk[I].start_ns)
      Known[I] = {};
    const size_t Complete =
        completeRecords(memory(I), Known[I].WasHeld ? Known[I].Records : 0);
    // If a record of a full chunk is missing, a signal handler has interrupted the thread
    // that writes the record. Keep the chunk until the thread completes the record. If the
    // handler has jumped away, the chunk stays until its process ends.
    const bool IsWritten = Known[I].WasHeld && Complete == Known[I].Records;
    if (State == PBA_FULL && Complete != MostRecords &&
        (IsWritten || write(I, MostRecords)) && useOf(Arena->chunk[I]) == Use::Process) {
      Known[I].IsHeld = Known[I].WasHeld = true;
      Known[I].Records = Complete;
      __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_FULL), __ATOMIC_RELEASE);
      continue;
    }
    writeAndRelease(I);
  }
  return Any;
}

// Writes records of a chunk that its process still owns. The process may fill the chunk at
// the same time. While is_read is set, the process does not empty the chunk.
void Recorder::copyOwned(unsigned I, size_t Records) {
  uint32_t &IsRead = Arena->chunk[I].is_read;
  __atomic_store_n(&IsRead, 1u, __ATOMIC_SEQ_CST);
  const uint32_t State = __atomic_load_n(&Arena->chunk[I].state, __ATOMIC_SEQ_CST);
  if (State == PBA_OWNED || State == PBA_FULL)
    write(I, Records);
  __atomic_store_n(&IsRead, 0u, __ATOMIC_RELEASE);
}

void Recorder::drainOwned() {
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    Known[I].IsHeld = false;
    if (State != PBA_OWNED && State != PBA_WRITTEN)
      continue;
    // The chunk's process is writing the chunk to the file, unless the process has ended.
    if (State == PBA_WRITTEN) {
      if (++Known[I].Unchanged > LooksUnused && useOf(Arena->chunk[I]) == Use::None)
        writeAndRelease(I);
      continue;
    }
    const pba_chunk &Chunk = Arena->chunk[I];
    const bool IsSame = Known[I].At == Chunk.at && Known[I].StartNs == Chunk.start_ns;
    const size_t Complete = completeRecords(memory(I), IsSame ? Known[I].Records : 0);
    if (Complete)
      copyOwned(I, Complete);
    else
      ++Known[I].Unchanged;
    if (Known[I].Unchanged > LooksUnused) {
      Known[I].Unchanged = 0;
      if (useOf(Arena->chunk[I]) == Use::None)
        writeAndRelease(I);
    }
  }
}

// Makes the kernel mark Arena->recorder when this thread ends, even by SIGKILL. This
// is safe although processes can write to the arena: the kernel reads no address there.
void Recorder::announceEnd() {
  AtEnd.list.next = &AtEnd.list;
  AtEnd.list_op_pending = reinterpret_cast<robust_list *>(&Arena->recorder);
  __atomic_store_n(&Arena->recorder, uint32_t(gettid()), __ATOMIC_RELEASE);
  syscall(SYS_set_robust_list, &AtEnd, sizeof(AtEnd));
}

// Allocates the pages of the next free chunks, so that a thread that takes the first free
// chunk causes no page faults.
void Recorder::prepareChunks() {
  unsigned InUse = 0;
  for (unsigned I = 0; I != Nr; ++I)
    InUse += state(I) != PBA_FREE;
  const unsigned Wanted = std::min(Nr, InUse ? 2 * InUse + Prepares : 2);
  for (; Prepared < Wanted; ++Prepared)
    madvise(memory(Prepared), PBA_CHUNK_SIZE, MADV_POPULATE_WRITE);
}

void *Recorder::drain(void *Self) {
  static_cast<Recorder *>(Self)->drain();
  return nullptr;
}

void Recorder::drain() {
  announceEnd();
  std::chrono::microseconds Wait = LongestWait;
  auto Next = std::chrono::steady_clock::now();
  unsigned Seen = 0;
  while (!Ends) {
    prepareChunks();
    // Write full blocks first.
    if (drainFull())
      Wait = ShortestWait;
    else
      Wait = std::min(2 * Wait, LongestWait);
    auto Now = std::chrono::steady_clock::now();
    const uint32_t Asked = __atomic_load_n(&Arena->asked, __ATOMIC_SEQ_CST);
    // A new area may be the beginning of a file, which describes the file's later chunks:
    // write it at once.
    const bool HasNew = usedPages() != Seen;
    Seen = usedPages();
    if (Now >= Next || HasNew || Asked != Arena->answered) {
      drainFull();
      drainOwned();
      drainAreas(/*IsEnd=*/false);
      __atomic_store_n(&Arena->answered, Asked, __ATOMIC_RELEASE);
      Next = Now + OwnedWait;
    }
    std::this_thread::sleep_for(Wait);
  }
  drainRest();
}

// Writes the chunks of processes that have ended, and the complete records of running
// processes.
void Recorder::drainRest() {
  const uint32_t Asked = __atomic_load_n(&Arena->asked, __ATOMIC_SEQ_CST);
  for (unsigned I = 0; I != Nr; ++I)
    Known[I].IsHeld = false;
  drainFull();
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    if (State != PBA_OWNED && State != PBA_FULL && State != PBA_WRITTEN)
      continue;
    switch (useOf(Arena->chunk[I])) {
    case Use::Process:
      copyOwned(I, completeRecords(memory(I), 0));
      break;
    case Use::None:
      writeAndRelease(I);
      break;
    case Use::Unknown:
      abandon(I);
      break;
    }
  }
  drainAreas(/*IsEnd=*/true);
  __atomic_store_n(&Arena->answered, Asked, __ATOMIC_RELEASE);
}

void Recorder::sayUnwritten(StringRef Output) const {
  constexpr size_t Named = 3;
  auto Say = [&](const std::map<std::string, uint64_t> &Files, StringRef Why) {
    uint64_t Rest = 0;
    size_t I = 0;
    for (const auto &[Name, Bytes] : Files)
      if (I++ < Named)
        warn(Output + "/" + Name + ": " + Why + ": " + Twine(Bytes) +
             " bytes of events are lost");
      else
        Rest += Bytes;
    if (I > Named)
      warn(Output + ": " + Twine(I - Named) + " more files: " + Why + ": " + Twine(Rest) +
           " bytes of events are lost");
  };
  Say(Files.cutFiles(), "another program truncated the file");
  Say(Lost, "the file cannot be written");
  if (LostOfOthers)
    warn(Output + ": " + Twine(LostOfOthers) +
         " bytes in shared memory belong to no file there and are lost");
}

bool Recorder::has(StringRef File, uint64_t StartNs) const {
  auto IsOfFile = [&](const pba_chunk &Shared) {
    const pba_chunk Head = headOf(Shared);
    return isOwned(Head.state) && Head.start_ns == StartNs && nameOf(Head) == File;
  };
  return Arena && (std::any_of(Arena->chunk, Arena->chunk + Nr, IsOfFile) ||
                   std::any_of(Arena->page, Arena->page + usedPages(), IsOfFile));
}

bool Recorder::hasOwned() const {
  for (unsigned I = 0; I != Nr; ++I)
    if (isOwned(state(I)))
      return true;
  for (unsigned Page = 0; Page < usedPages(); ++Page)
    if (isOwned(stateOf(Arena->page[Page])))
      return true;
  return false;
}

// Zeros released memory. Safe while the arena is closed, since no process takes memory.
void Recorder::cleanReleased() {
  for (auto &[State, Begin, Size] : Dirty)
    if (__atomic_load_n(State, __ATOMIC_ACQUIRE) == PBA_FREE)
      memset(Begin, 0, Size);
  Dirty.clear();
}

// Continues in a child process. If fork() fails, the recorded processes write the rest
// themselves, as they do when this command is killed.
void Recorder::goOnInBackground(function_ref<bool()> MoreWork) {
  if (fork())
    return;
  setsid();
  // Open the directory again, so that the command's lock of the directory ends with the
  // command.
  const int Own = openat(Dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int Null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int Standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(Null, Standard);
  Files.setDirectory(dup2(Own, STDERR_FILENO + 1));
  close_range(unsigned(STDERR_FILENO) + 2, ~0u, 0);
  Memory = -1;
  // Reopen the arena for processes that are still recorded.
  Ends = false;
  announceEnd();
  cleanReleased();
  __atomic_store_n(&Arena->closed, 0u, __ATOMIC_SEQ_CST);
  do {
    std::this_thread::sleep_for(OwnedWait);
    drainRest();
  } while ((MoreWork && MoreWork()) || hasOwned());
  _exit(0);
}

void Recorder::finish(function_ref<bool()> MoreWork) {
  if (!HasThread)
    return;
  HasThread = false;
  __atomic_store_n(&Arena->closed, 1u, __ATOMIC_SEQ_CST);
  Ends = true;
  pthread_join(Thread, nullptr);
  if (hasOwned() || (MoreWork && MoreWork()))
    goOnInBackground(MoreWork);
}
