// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Recorder.h"
#include "MemoryFiles.h"
#include "reading/OwnFiles.h"
#include "support/Diagnostics.h"
#include "trace/format/format.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace patchbay;
using namespace std::chrono_literals;

// A block's records, except the last one, which readers ignore.
static constexpr size_t RecordAt = offsetof(pbd_block, record);
static constexpr size_t MostRecords = (PBA_CHUNK_SIZE - RecordAt) / sizeof(pbd_record) - 1;

// Intervals between reads of all chunks' states, and of the records of owned chunks.
static constexpr std::chrono::microseconds ShortestWait = 500us, LongestWait = 20ms,
                                           OwnedWait = 100ms;

// Free chunks whose pages the recorder makes, once a chunk is in use.
static constexpr unsigned Prepares = 8;

// After this many rounds without a new record, check whether a chunk's process has ended.
static constexpr unsigned LooksUnused = 10;

// Descriptors for this command itself. Events of files that it cannot open are lost.
static constexpr rlim_t LeastFiles = 16;

// Pages of the arena count in the control group's memory, and cannot be swapped to files.
// Writing beyond a limit of file sizes would kill this command.
static uint32_t fittingChunks() {
  rlimit FileSize, Files;
  if (getrlimit(RLIMIT_FSIZE, &FileSize) || FileSize.rlim_cur != RLIM_INFINITY ||
      getrlimit(RLIMIT_NOFILE, &Files) || Files.rlim_cur < LeastFiles)
    return 0;
  const uint64_t Limit = memoryLimit(getpid()).value_or(UINT64_MAX);
  return uint32_t(std::min<uint64_t>(PBA_CHUNKS_MAX, Limit / 8 / PBA_CHUNK_SIZE));
}

Recorder::Recorder(int Dir) : Dir(Dir) {
  Nr = fittingChunks();
  Memory = Nr ? memfd_create("patchbay", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
  if (Memory < 0)
    return;
  void *Mapped = MAP_FAILED;
  if (!ftruncate(Memory, off_t(PBA_SIZE(Nr))) &&
      !fcntl(Memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    Mapped = mmap(nullptr, PBA_SIZE(Nr), PROT_READ | PROT_WRITE, MAP_SHARED, Memory, 0);
  if (Mapped == MAP_FAILED)
    return;
  Arena = static_cast<pba_arena *>(Mapped);
  memcpy(Arena->magic, PBA_MAGIC, sizeof(Arena->magic));
  Id = std::random_device()() | 1;
  Arena->id = Id;
  Arena->nr = Nr;
  // The command handles signals in its first thread.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  HasThread = !pthread_create(&Thread, nullptr, drain, this);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

Recorder::~Recorder() {
  finish();
  if (Arena)
    munmap(Arena, PBA_SIZE(Nr));
  if (File >= 0)
    close(File);
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

// A record counts once its last word is written. From is known to be complete.
static size_t completeRecords(const char *Block, size_t From) {
  const auto *Record = reinterpret_cast<const pbd_record *>(Block + RecordAt);
  while (From != MostRecords && __atomic_load_n(&Record[From].last, __ATOMIC_ACQUIRE))
    ++From;
  return From;
}

// A process gives the file's name, and may lie.
int Recorder::openFile(const pba_chunk &Chunk) {
  std::string Name(Chunk.file, strnlen(Chunk.file, sizeof(Chunk.file)));
  const uint64_t StartNs = Chunk.start_ns;
  if (File >= 0 && Name == FileName && StartNs == FileStartNs)
    return File;
  if (File >= 0)
    close(File);
  File = -1;
  const OwnName Kind = ownName(Name);
  if (StringRef(Name).contains('/') || (Kind != OwnName::Data && Kind != OwnName::Spare))
    return -1;
  auto Header = ownHeader(Dir, Name);
  if (!Header || Header->start_ns != StartNs)
    return -1;
  File = openat(Dir, Name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  FileName = Name;
  FileStartNs = StartNs;
  return File;
}

static bool writeAll(int File, const char *From, size_t Size, uint64_t At) {
  while (Size) {
    ssize_t Written = pwrite(File, From, Size, off_t(At));
    if (Written <= 0)
      return false;
    From += Written;
    Size -= size_t(Written);
    At += uint64_t(Written);
  }
  return true;
}

// Writes the block's head, and records from those that were written last time on.
bool Recorder::write(unsigned I, size_t Records) {
  const pba_chunk Chunk = Arena->chunk[I];
  Progress &Of = Known[I];
  if (Of.At != Chunk.at || Of.StartNs != Chunk.start_ns)
    Of = {Chunk.at, Chunk.start_ns};
  pbd_block Head;
  memcpy(&Head, memory(I), RecordAt);
  // Its process was killed before it began the block.
  if (!Head.thread)
    return true;
  if (Head.chunk.kind != PBD_BLOCK || Head.chunk.size != PBA_CHUNK_SIZE)
    return false;
  int To = openFile(Chunk);
  struct stat Status;
  // The process has allocated the block's space: the file never grows here.
  if (To < 0 || fstat(To, &Status) || Chunk.at < sizeof(pbd_header) || Chunk.at % 8 ||
      Chunk.at > uint64_t(Status.st_size) ||
      uint64_t(Status.st_size) - Chunk.at < PBA_CHUNK_SIZE)
    return false;
  const size_t From = RecordAt + std::min(Of.Records, Records) * sizeof(pbd_record);
  const size_t End = Records == MostRecords ? PBA_CHUNK_SIZE
                                            : RecordAt + Records * sizeof(pbd_record);
  // Readers find the block by its head.
  if (!writeAll(To, memory(I) + From, End - From, Chunk.at + From) ||
      !writeAll(To, reinterpret_cast<const char *>(&Head), RecordAt, Chunk.at))
    return false;
  Of.Unchanged = Of.Records == Records ? Of.Unchanged + 1 : 0;
  Of.Records = Records;
  return true;
}

void Recorder::release(unsigned I) {
  Known[I] = {};
  // When the arena is closed, a process that ends may be writing the same block. If this
  // command is killed here, the process must not write zeros to the block in its file.
  if (!Ends) {
    __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_TAKEN), __ATOMIC_RELEASE);
    memset(memory(I), 0, PBA_CHUNK_SIZE);
  }
  __atomic_store_n(&Arena->chunk[I].state, uint32_t(PBA_FREE), __ATOMIC_RELEASE);
}

// See filesInUse().
bool Recorder::isInUse(unsigned I) {
  int Of = openFile(Arena->chunk[I]);
  if (Of < 0)
    return false;
  if (flock(Of, LOCK_EX | LOCK_NB))
    return true;
  flock(Of, LOCK_UN);
  return false;
}

void Recorder::writeAndRelease(unsigned I) {
  Unwritten += !write(I, MostRecords);
  release(I);
}

// Returns whether any chunk was full.
bool Recorder::drainFull() {
  bool Any = false;
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    if ((State != PBA_FULL && State != PBA_ENDED) || Known[I].IsHeld)
      continue;
    Any = true;
    const size_t Complete =
        completeRecords(memory(I), Known[I].WasHeld ? Known[I].Records : 0);
    // A signal handler interrupted a thread that is still writing a record. It
    // comes back, unless it jumped away. Then nothing changes until its process ends.
    const bool IsWritten = Known[I].WasHeld && Complete == Known[I].Records;
    if (State == PBA_FULL && Complete != MostRecords &&
        (IsWritten || write(I, MostRecords)) && isInUse(I)) {
      Known[I].IsHeld = Known[I].WasHeld = true;
      Known[I].Records = Complete;
      continue;
    }
    writeAndRelease(I);
  }
  return Any;
}

void Recorder::drainOwned() {
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    Known[I].IsHeld = false;
    if (State != PBA_OWNED)
      continue;
    const pba_chunk &Chunk = Arena->chunk[I];
    const bool IsSame = Known[I].At == Chunk.at && Known[I].StartNs == Chunk.start_ns;
    const size_t Complete = completeRecords(memory(I), IsSame ? Known[I].Records : 0);
    if (Complete)
      write(I, Complete);
    else
      ++Known[I].Unchanged;
    if (Known[I].Unchanged > LooksUnused) {
      Known[I].Unchanged = 0;
      if (!isInUse(I))
        writeAndRelease(I);
    }
  }
}

// The kernel marks Arena->recorder when this thread ends, however it ends. It reads no
// address from the arena.
void Recorder::announceEnd() {
  AtEnd.list.next = &AtEnd.list;
  AtEnd.list_op_pending = reinterpret_cast<robust_list *>(&Arena->recorder);
  __atomic_store_n(&Arena->recorder, uint32_t(gettid()), __ATOMIC_RELEASE);
  syscall(SYS_set_robust_list, &AtEnd, sizeof(AtEnd));
}

// Threads take the first free chunk, whose pages should exist by then.
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
  while (!Ends) {
    prepareChunks();
    // Write blocks that became full meanwhile first.
    if (drainFull())
      Wait = ShortestWait;
    else
      Wait = std::min(2 * Wait, LongestWait);
    auto Now = std::chrono::steady_clock::now();
    const uint32_t Asked = __atomic_load_n(&Arena->asked, __ATOMIC_SEQ_CST);
    if (Now >= Next || Asked != Arena->answered) {
      drainFull();
      drainOwned();
      __atomic_store_n(&Arena->answered, Asked, __ATOMIC_RELEASE);
      Next = Now + OwnedWait;
    }
    std::this_thread::sleep_for(Wait);
  }
  drainRest();
}

// Chunks of processes that have ended, and records of the others so far.
void Recorder::drainRest() {
  for (unsigned I = 0; I != Nr; ++I)
    Known[I].IsHeld = false;
  drainFull();
  for (unsigned I = 0; I != Nr; ++I) {
    const uint32_t State = state(I);
    if (State != PBA_OWNED && State != PBA_FULL)
      continue;
    if (isInUse(I))
      write(I, completeRecords(memory(I), 0));
    else
      writeAndRelease(I);
  }
}

void Recorder::sayUnwritten(StringRef Output) const {
  if (Unwritten)
    warn(Output + ": " + Twine(Unwritten) +
         " MB of events cannot be written to their files and are lost");
}

bool Recorder::hasOwned() const {
  for (unsigned I = 0; I != Nr; ++I)
    if (state(I) >= PBA_OWNED && state(I) <= PBA_ENDED)
      return true;
  return false;
}

void Recorder::goOnInBackground() {
  if (fork())
    return;
  setsid();
  // The command's lock of the directory ends with the command.
  const int Own = openat(Dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int Null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int Standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(Null, Standard);
  Dir = dup2(Own, STDERR_FILENO + 1);
  close_range(unsigned(STDERR_FILENO) + 2, ~0u, 0);
  File = Memory = -1;
  announceEnd();
  while (hasOwned()) {
    std::this_thread::sleep_for(OwnedWait);
    drainRest();
  }
  _exit(0);
}

void Recorder::finish() {
  if (!HasThread)
    return;
  HasThread = false;
  __atomic_store_n(&Arena->closed, 1u, __ATOMIC_SEQ_CST);
  Ends = true;
  pthread_join(Thread, nullptr);
  if (hasOwned())
    goOnInBackground();
}
