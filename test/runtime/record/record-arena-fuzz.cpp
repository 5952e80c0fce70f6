// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No content of the arena makes the recorder crash or hang. The recorder writes only to
// data files in its folder, and creates no other files. Each round fills heads, chunks
// and areas with garbage, and the recorder reads all of it. Concurrently, another
// process writes garbage to heads and records in a loop. Some rounds truncate, replace or
// lock a file. Before the first round, a process changes a file name in a loop: the
// recorder writes only to the file that it has checked.
//
// To run more rounds: PATCHBAY_TEST_ARENAS=10000000 (ten minutes of CPU time). The second
// argument is the seed.
//
// REQUIRES: host-x86_64
// DEFINE: %{tool} = %patchbay_source/runtime/tool
// RUN: rm -rf %t && mkdir %t
// RUN: sh %S/../Inputs/build-arena-fuzzer.sh %clangxx %patchbay_source %s %t/fuzz
// RUN: %t/fuzz %t/work 1 | FileCheck %s
// CHECK: {{^}}fuzzed arenas: {{[1-9][0-9]+}}, blocks written: {{[1-9][0-9]+}}, refused: {{[1-9][0-9]+}}

#include "recording/Recorder.h"
#include "trace/format/format.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <random>
#include <signal.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace patchbay;

// Replaces the query for the control group's limit: here there is no limit.
namespace patchbay {
std::optional<uint64_t> memoryLimit(pid_t) { return std::nullopt; }
} // namespace patchbay

static constexpr uint64_t StartNs = 4711;
static constexpr unsigned long Rounds = 20000, RoundsPerCheck = 100, Openings = 50000;

static void fail(const char *What) {
  printf("failed: %s\n", What);
  exit(1);
}

static void check(bool Holds, const char *What) {
  if (!Holds)
    fail(What);
}

// ===----------------------------------------------------------------------===//
// Files
// ===----------------------------------------------------------------------===//

namespace {
struct File {
  std::string Path;
  std::string Content; // the expected content of the whole file
};
} // namespace

static std::string read(const std::string &Path) {
  std::string Content;
  FILE *Stream = fopen(Path.c_str(), "r");
  char Part[4096];
  while (Stream) {
    const size_t Size = fread(Part, 1, sizeof(Part), Stream);
    if (!Size)
      break;
    Content.append(Part, Size);
  }
  if (Stream)
    fclose(Stream);
  return Content;
}

// Counts files in all folders.
static size_t files(const std::string &Folder) {
  const std::filesystem::recursive_directory_iterator All(Folder);
  return size_t(std::distance(begin(All), end(All)));
}

static void write(const std::string &Path, const std::string &Content) {
  FILE *Stream = fopen(Path.c_str(), "w");
  check(Stream && fwrite(Content.data(), 1, Content.size(), Stream) == Content.size() &&
            !fclose(Stream),
        "cannot make a file");
}

static std::string header(uint32_t Pid) {
  pbd_header Header = {};
  memcpy(Header.magic, PBD_MAGIC, sizeof(Header.magic));
  Header.byte_order = PBD_BYTE_ORDER;
  Header.version = PBD_VERSION;
  Header.header_size = sizeof(Header);
  Header.pid = Pid;
  Header.start_ns = StartNs;
  Header.committed = sizeof(Header);
  return std::string(reinterpret_cast<const char *>(&Header), sizeof(Header));
}

static constexpr off_t DataSize = 3 * PBA_CHUNK_SIZE;

static void makeDataFile(const std::string &Path) {
  write(Path, header(100));
  check(!truncate(Path.c_str(), DataSize), "cannot make a data file");
}

// Checks that the data file is the same and only slightly longer.
static void checkDataFile(const std::string &Path) {
  struct stat Status;
  check(!stat(Path.c_str(), &Status) && Status.st_size >= DataSize &&
            Status.st_size <= off_t(1) << 40 && Status.st_blocks * 512 < DataSize * 64,
        "a data file has another size");
  pbd_header Header, Expected;
  memcpy(&Expected, header(100).data(), sizeof(Expected));
  FILE *Stream = fopen(Path.c_str(), "r");
  check(Stream && fread(&Header, sizeof(Header), 1, Stream) == 1 && !fclose(Stream),
        "cannot read a data file");
  check(!memcmp(&Header, &Expected, offsetof(pbd_header, error)) &&
            Header.start_ns == Expected.start_ns,
        "a header was written to");
}

// ===----------------------------------------------------------------------===//
// Garbage
// ===----------------------------------------------------------------------===//

using Random = std::mt19937_64;

static uint64_t oneOf(Random &Choose, std::initializer_list<uint64_t> Values) {
  return Values.begin()[Choose() % Values.size()];
}

static void name(Random &Choose, char (&Name)[PBA_NAME_MAX]) {
  static const char *const Names[] = {
      "100.pbd",       "100.2.pbd",      "100.3.spare.pbd",  "../outside/1.pbd",
      "../1.pbd",      "200.pbd",        "300.pbd",          "400.pbd",
      "notes.pbd",     "500.pbd",        "..",               ".",
      "",              "/dev/zero",      ".size",            ".command",
      "./100.pbd",     "100.pbd.new",    "100.selection",    "1/../../outside/1.pbd",
      "18446744073709551616.pbd"};
  const char *From = Choose() % 2 ? Names[Choose() % 3]
                                  : Names[Choose() % (sizeof(Names) / sizeof(*Names))];
  memset(Name, 0, sizeof(Name));
  strncpy(Name, From, sizeof(Name));
  if (Choose() % 8 == 0)
    Name[Choose() % sizeof(Name)] = char(Choose());
  if (Choose() % 32 == 0)
    memset(Name, 'x', sizeof(Name));
}

static void state(Random &Choose, pba_chunk &Chunk) {
  const uint64_t State = Choose();
  __atomic_store_n(&Chunk.state,
                   uint32_t(State % 8 ? State / 8 % (PBA_WRITTEN + 1) : State >> 32),
                   __ATOMIC_RELEASE);
}

static void head(Random &Choose, pba_chunk &Chunk) {
  const uint64_t Size = DataSize;
  // One time in four, keep a block that the recorder already knows.
  if (Choose() % 4 == 0)
    return state(Choose, Chunk);
  Chunk.at = oneOf(Choose, {sizeof(pbd_header), 4096, Size - PBA_CHUNK_SIZE, 0, 8,
                            Size - PBA_CHUNK_SIZE + 8, Size, Size + 8, 1, UINT64_MAX,
                            UINT64_MAX - 7, UINT64_MAX << 20, INT64_MAX, Choose()});
  Chunk.start_ns = Choose() % 8 ? StartNs : Choose();
  name(Choose, Chunk.file);
  state(Choose, Chunk);
}

static char *memory(pba_arena *Arena, uint64_t Nr) {
  return reinterpret_cast<char *>(Arena) + PBA_DATA_AT + Nr * PBA_CHUNK_SIZE;
}

static void records(Random &Choose, pba_arena *Arena) {
  auto *Block = reinterpret_cast<pbd_block *>(
      memory(Arena, Choose() % 4 ? Choose() % 4 : Choose() % PBA_CHUNKS_MAX));
  const uint64_t Most = (PBA_CHUNK_SIZE - sizeof(*Block)) / sizeof(Block->record[0]);
  const uint64_t Nr = Choose() % 4 ? Choose() % 16 : Choose() % (Most + 1);
  const uint64_t From = Choose() % 2 ? 0 : Choose() % (Most - Nr + 1);
  for (uint64_t I = 0; I != sizeof(*Block) / 8; ++I)
    reinterpret_cast<uint64_t *>(Block)[I] = Choose();
  if (Choose() % 4) {
    Block->chunk.kind = PBD_BLOCK;
    Block->chunk.size = PBA_CHUNK_SIZE;
  }
  for (uint64_t I = From; I != From + Nr; ++I)
    Block->record[I].last = Choose() % 64 ? Choose() : 0;
}

static void wholeHead(Random &Choose, pba_arena *Arena) {
  Arena->nr = uint32_t(Choose());
  Arena->closed = uint32_t(Choose());
  Arena->recorder = uint32_t(Choose());
  memset(Arena->magic, int(Choose()), sizeof(Arena->magic));
}

// Fills an area with garbage, often the first area, which has a file's header.
static void area(Random &Choose, pba_arena *Arena) {
  const uint64_t Size = DataSize, Nr = Choose() % 16 ? Choose() % 16 : Choose() % PBA_PAGES_MAX;
  pba_chunk &Head = Arena->page[Nr];
  char *Content = reinterpret_cast<char *>(Arena) + PBA_PAGES_AT(PBA_CHUNKS_MAX) +
                  Nr * PBA_PAGE_SIZE;
  Arena->nr_used = uint32_t(Choose() % 64 ? 16 : oneOf(Choose, {UINT32_MAX, Choose()}));
  if (Choose() % 4 == 0)
    return state(Choose, Head);
  Head.at = oneOf(Choose, {0, 0, 0, sizeof(pbd_header), 4096, 8200, Size - 4096, Size,
                           UINT64_MAX - 7, INT64_MAX, Choose()});
  // Reading a large area takes a long time.
  const bool IsLarge = Choose() % 64 == 0;
  Head.size = uint32_t(IsLarge ? oneOf(Choose, {PBA_CHUNK_SIZE, UINT32_MAX, Choose()})
                               : oneOf(Choose, {4096, 8192, 0, 8, 100, 20000}));
  Head.pages = uint32_t(IsLarge ? oneOf(Choose, {256, UINT32_MAX, Choose()})
                                : oneOf(Choose, {1, 2, 0, 5}));
  Head.start_ns = Choose() % 8 ? StartNs : Choose();
  name(Choose, Head.file);
  if (Choose() % 2) {
    memcpy(Content, header(100).data(), sizeof(pbd_header));
    reinterpret_cast<pbd_header *>(Content)->committed =
        oneOf(Choose, {sizeof(pbd_header), Size, Size + 4096, 0, UINT64_MAX, Choose()});
  }
  for (uint64_t I = Choose() % 16; I; --I)
    reinterpret_cast<uint64_t *>(Content)[Choose() % 512] =
        oneOf(Choose, {PBD_BLOCK, PBD_NAMES, PBD_SPARE, 4096, 16, Choose()});
  if (Choose() % 4 == 0)
    *reinterpret_cast<pbd_chunk *>(Content) = {uint32_t(Choose() % 32), 0, Head.size};
  state(Choose, Head);
}

// Truncates, replaces or rewrites a file, or locks it as its process does.
static void change(Random &Choose, const std::string &Path) {
  static int Lock = -1;
  switch (Choose() % 8) {
  case 0:
    check(!truncate(Path.c_str(), off_t(Choose() % DataSize)), "cannot truncate a file");
    break;
  case 1:
    check(!truncate(Path.c_str(), 0), "cannot truncate a file");
    break;
  case 2:
    check(!unlink(Path.c_str()), "cannot remove a file");
    [[fallthrough]];
  case 3:
  case 4:
    makeDataFile(Path);
    break;
  default:
    close(Lock);
    Lock = open(Path.c_str(), O_RDWR | O_CLOEXEC);
    check(Lock >= 0 && !flock(Lock, LOCK_EX | LOCK_NB), "cannot lock a file");
  }
}

// Runs in a child process.
[[noreturn]] static void disturb(pba_arena *Arena, uint64_t Seed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1);
  for (Random Choose(Seed);;) {
    head(Choose, Arena->chunk[Choose() % PBA_CHUNKS_MAX]);
    area(Choose, Arena);
    wholeHead(Choose, Arena);
    if (Choose() % 16 == 0)
      records(Choose, Arena);
    // Sleep, so that most garbage that the recorder reads comes from its own process.
    usleep(50);
  }
}

// Runs in a child process.
[[noreturn]] static void rename(char *Name) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;)
    for (const char *Each : {"100.pbd", "500.pbd"}) {
      memcpy(Name, Each, 8);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
}

// ===----------------------------------------------------------------------===//
// Rounds
// ===----------------------------------------------------------------------===//

namespace patchbay {
struct RecorderTest {
  Recorder R;
  unsigned long Written = 0, Refused = 0;

  explicit RecorderTest(int Dir) : R(Dir) {
    check(R.HasThread, "the recorder has no arena");
    R.finish();
    R.Ends = false;
  }

  pba_arena *arena() { return R.Arena; }

  void changedName() {
    pba_chunk &Chunk = R.Arena->chunk[0];
    Chunk.start_ns = StartNs;
    const pid_t Renamer = fork();
    if (!Renamer)
      rename(Chunk.file);
    for (unsigned I = 0; I != Openings; ++I) {
      R.openFile(Chunk);
      R.Files.closeFile();
    }
    kill(Renamer, SIGKILL);
    waitpid(Renamer, nullptr, 0);
    check(!R.Files.open("500.pbd", StartNs), "a file is taken for another one");
  }

  void look(Random &Choose) {
    const unsigned Before = R.Unwritten;
    unsigned Full = 0;
    for (unsigned I = 0; I != R.Nr; ++I)
      Full += R.state(I) == PBA_FULL || R.state(I) == PBA_ENDED;
    R.prepareChunks();
    R.drainFull();
    R.drainOwned();
    R.drainAreas(false);
    R.has("100.pbd", StartNs);
    if (Choose() % 8 == 0) {
      R.Ends = Choose() % 2;
      R.drainRest();
      R.Ends = false;
      R.cleanReleased();
      R.hasOwned();
    }
    Refused += R.Unwritten - Before;
    Written += Full > R.Unwritten - Before ? Full - (R.Unwritten - Before) : 0;
  }
};
} // namespace patchbay

int main(int Argc, char **Argv) {
  const std::string Work = Argc > 1 ? Argv[1] : "work";
  const uint64_t Seed = Argc > 2 ? strtoull(Argv[2], nullptr, 10) : 1;
  const char *Wanted = getenv("PATCHBAY_TEST_ARENAS");
  const unsigned long Nr = Wanted ? strtoul(Wanted, nullptr, 10) : Rounds;

  mkdir(Work.c_str(), 0700);
  mkdir((Work + "/outside").c_str(), 0700);
  mkdir((Work + "/data").c_str(), 0700);
  const std::string Data = Work + "/data/";
  const std::vector<std::string> Files = {Data + "100.pbd", Data + "100.2.pbd",
                                          Data + "100.3.spare.pbd"};
  for (const std::string &Each : Files)
    makeDataFile(Each);
  // Valid data files with other names, and other files with names of data files.
  auto Other = [](uint32_t Pid) {
    std::string Content = header(Pid);
    Content.resize(2 * PBA_CHUNK_SIZE);
    return Content;
  };
  const std::vector<File> Others = {{Work + "/1.pbd", Other(1)},
                                    {Work + "/outside/1.pbd", Other(1)},
                                    {Work + "/outside/200.pbd", Other(200)},
                                    {Data + "notes.pbd", Other(100)},
                                    {Data + "500.pbd", std::string(2 * PBA_CHUNK_SIZE, 'n')},
                                    {Data + ".size", Other(100)},
                                    {Data + ".command", Other(100)},
                                    {Data + "100.selection", Other(100)}};
  for (const File &Each : Others)
    write(Each.Path, Each.Content);
  check(!symlink("../outside/200.pbd", (Data + "200.pbd").c_str()) &&
            !mkdir((Data + "300.pbd").c_str(), 0700) &&
            !mkfifo((Data + "400.pbd").c_str(), 0600),
        "cannot make a file");

  const int Dir = open(Data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const size_t NrFiles = files(Work);
  RecorderTest Test(Dir);
  Test.changedName();
  Random Choose(Seed);
  const pid_t Disturber = fork();
  if (!Disturber)
    disturb(Test.arena(), Seed + 1);
  unsigned long Round = 0;
  for (; Round != Nr; ++Round) {
    alarm(600); // kills a recorder that hangs
    for (uint64_t I = Choose() % 4 + 1; I; --I)
      head(Choose, Test.arena()->chunk[Choose() % 2 ? Choose() % 4
                                                    : Choose() % PBA_CHUNKS_MAX]);
    for (uint64_t I = Choose() % 4; I; --I)
      area(Choose, Test.arena());
    if (Choose() % 4 == 0)
      records(Choose, Test.arena());
    if (Choose() % 16 == 0)
      change(Choose, Files[Choose() % Files.size()]);
    Test.look(Choose);
    if (Round % RoundsPerCheck == 0 || Round + 1 == Nr) {
      for (const std::string &Each : Files) {
        unlink(Each.c_str());
        Test.look(Choose);
        check(access(Each.c_str(), F_OK), "a file was created");
        makeDataFile(Each);
        Test.look(Choose);
        checkDataFile(Each);
      }
      for (const File &Each : Others)
        check(read(Each.Path) == Each.Content, Each.Path.c_str());
      check(files(Work) == NrFiles, "there is another file");
    }
    if (Round && Round % 1000000 == 0)
      printf("after %lu arenas\n", Round);
    fflush(stdout);
  }
  kill(Disturber, SIGKILL);
  printf("fuzzed arenas: %lu, blocks written: %lu, refused: %lu\n", Round, Test.Written,
         Test.Refused);
  fflush(stdout);
  _exit(0); // skips destructors, which would read the garbage
}
