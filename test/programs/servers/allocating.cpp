// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server for allocators.py, linked with an instrumented allocator:
//
//   allocating PORT COUNTS
//
// Each connection has a thread. Each request starts a second thread, which frees and
// reallocates memory of the first one, throws, and ends with a thread-local destructor
// that frees. Every 64th request forks. The file COUNTS has two 8-byte numbers: begun
// and finished requests.
#include <arpa/inet.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define TRACED extern "C" __attribute__((noinline))

namespace {

enum { Blocks = 32, HelperBlocks = 8 }; // allocators.py knows Blocks

struct Counts {
  std::atomic<long> Begun, Done;
};

Counts *Requests;

struct Block {
  unsigned char *At;
  size_t Size;
};

[[noreturn]] void fail(const char *What) {
  std::fprintf(stderr, "allocating: %s\n", What);
  std::abort();
}

size_t sizeOf(int Number, int Index) {
  if (Number % 16 == 0 && Index == 0)
    return 300000;
  return (size_t(16) << (Number * 7 + Index) % 12) + size_t(Index);
}

// The destructor of this variable runs when the thread ends.
thread_local std::vector<std::string> Kept;

} // namespace

TRACED void fillBlock(Block *B, int Value) {
  B->At = static_cast<unsigned char *>(std::malloc(B->Size));
  if (!B->At)
    fail("no memory");
  std::memset(B->At, Value, B->Size);
}

TRACED int checkBlock(const Block *B) {
  for (size_t I = 1; I < B->Size; I++)
    if (B->At[I] != B->At[0])
      fail("memory has changed");
  return B->At[0];
}

TRACED int parseNumber(const char *Text) { return std::stoi(Text); }

static void help(int Number, Block *Mine, Block *Helpers) {
  for (int I = 0; I < 50; I++)
    Kept.push_back(std::string(size_t(20 + I), 'k'));
  for (int I = 0; I < Blocks; I += 2) {
    const size_t Size = I % 4 ? Mine[I].Size / 2 + 1 : Mine[I].Size * 2;
    Mine[I].At = static_cast<unsigned char *>(std::realloc(Mine[I].At, Size));
    if (!Mine[I].At)
      fail("no memory");
    if (Size > Mine[I].Size)
      std::memset(Mine[I].At, Mine[I].At[0], Size);
    Mine[I].Size = Size;
  }
  for (int I = 0; I < HelperBlocks; I++) {
    Helpers[I].Size = sizeOf(Number, I);
    fillBlock(&Helpers[I], I);
  }
  try {
    parseNumber("none");
    fail("nothing was thrown");
  } catch (const std::invalid_argument &) {
  }
}

static void forkChild() {
  int Status;
  const pid_t Child = fork();

  if (!Child)
    _exit(parseNumber("3"));
  if (Child < 0 || waitpid(Child, &Status, 0) != Child || Status != 3 << 8)
    fail("a child failed");
}

TRACED int answerRequest(int Number) {
  Block Mine[Blocks], Helpers[HelperBlocks];
  int Sum = 0;

  for (int I = 0; I < Blocks; I++) {
    Mine[I].Size = sizeOf(Number, I);
    fillBlock(&Mine[I], Number + I);
  }
  std::thread(help, Number, Mine, Helpers).join();
  if (Number % 64 == 0)
    forkChild();
  for (const Block &B : Mine) {
    Sum += checkBlock(&B);
    std::free(B.At);
  }
  for (int I = 0; I < HelperBlocks; I++) {
    if (checkBlock(&Helpers[I]) != I)
      fail("memory has changed");
    std::free(Helpers[I].At);
  }
  return Sum;
}

static void serve(int Connection) {
  auto Stream = std::unique_ptr<FILE, int (*)(FILE *)>(fdopen(Connection, "r+"), fclose);
  char Line[64];

  while (std::fgets(Line, sizeof(Line), Stream.get())) {
    Requests->Begun++;
    const int Sum = answerRequest(parseNumber(Line));
    Requests->Done++;
    dprintf(Connection, "%d\n", Sum);
  }
}

static int listenAt(int Port) {
  const int Listener = socket(AF_INET, SOCK_STREAM, 0), Yes = 1;
  sockaddr_in Address = {};

  Address.sin_family = AF_INET;
  Address.sin_port = htons(uint16_t(Port));
  Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(Listener, SOL_SOCKET, SO_REUSEADDR, &Yes, sizeof(Yes));
  if (bind(Listener, reinterpret_cast<sockaddr *>(&Address), sizeof(Address)) ||
      listen(Listener, 64))
    fail("cannot listen");
  return Listener;
}

static Counts *mapCounts(const char *Path) {
  const int File = open(Path, O_RDWR | O_CREAT, 0600);
  void *At;

  if (File < 0 || ftruncate(File, sizeof(Counts)))
    fail("no file for counts");
  At = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  if (At == MAP_FAILED)
    fail("no file for counts");
  close(File);
  return static_cast<Counts *>(At);
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    fail("usage: allocating PORT COUNTS");
  Requests = mapCounts(Argv[2]);
  const int Listener = listenAt(std::stoi(Argv[1]));
  for (;;) {
    const int Connection = accept(Listener, nullptr, nullptr);
    if (Connection < 0)
      fail("cannot accept");
    std::thread(serve, Connection).detach();
  }
}
