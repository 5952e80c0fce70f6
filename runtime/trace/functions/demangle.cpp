// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles LLVM's demangler, which is in headers except for a few functions. This file
// defines these functions, and the C++ library functions that the headers use, so that the
// tracer needs no C++ library.
#include "demangle.h"
// libstdc++ calls this for accesses past the end of a std::string_view, which never happen
// here.
#define __throw_out_of_range_fmt pb_trap
// Make the headers use the library's own heap instead of std::realloc() and similar functions.
#include <cstdlib>
#include <core/system/memory.h>
namespace std {
using ::pb_free;
using ::pb_malloc;
using ::pb_realloc;
} // namespace std
#define malloc pb_malloc
#define realloc pb_realloc
#define free pb_free
#include <llvm/Demangle/ItaniumDemangle.h>

#include <cerrno>
#include <cstring>

using namespace llvm::itanium_demangle;

void std::pb_trap(const char *, ...) { __builtin_trap(); }
// Only deleting destructors refer to this operator, and they are never called.
void operator delete(void *, size_t) noexcept {}
// Hide both symbols, regardless of compiler options. Otherwise they would replace symbols
// of the program.
asm(".hidden _ZSt7pb_trapPKcz");
asm(".hidden _ZdlPvm");

// A demangled name may be far longer than the symbol, because a symbol may refer to its own
// parts.
static constexpr size_t MostBytes = 1 << 18;
static constexpr size_t LongestName = 1 << 14;

// Limits the recursion of the demangler, which is as deep as the name nests. Must be less
// than the stack of own_stack.c.
static constexpr size_t MostStack = 1 << 16;

namespace {

// Measures the stack use since the construction of this object.
class StackUse {
public:
  bool isTooMuch() const {
    return Begin - reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > MostStack;
  }

private:
  uintptr_t Begin = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
};

// Memory for the nodes of one name. Allocates no node if the name nests too deeply, which
// makes the parser fail.
class NodeMemory {
public:
  ~NodeMemory() { reset(); }
  void reset() {
    while (Block *B = Blocks) {
      Blocks = B->Next;
      free(B);
    }
    Left = 0;
  }
  template <typename T, typename... Args> T *makeNode(Args &&...A) {
    void *Place = Stack.isTooMuch() ? nullptr : allocate(sizeof(T));
    return Place ? new (Place) T(std::forward<Args>(A)...) : nullptr;
  }
  void *allocateNodeArray(size_t Nr) { return allocate(Nr * sizeof(Node *)); }

  const StackUse Stack;

private:
  struct Block {
    Block *Next;
    size_t Alignment;
  };
  void *allocate(size_t Size) {
    constexpr size_t Usual = 4096 - 32;
    Size = (Size + 15) & ~size_t(15);
    if (Size > Left) {
      size_t New = Size > Usual ? Size : Usual;
      auto *B = static_cast<Block *>(malloc(sizeof(Block) + New));
      if (!B)
        return nullptr;
      B->Next = Blocks;
      Blocks = B;
      At = reinterpret_cast<char *>(B + 1);
      Left = New;
    }
    void *Result = At;
    At += Size;
    Left -= Size;
    return Result;
  }

  Block *Blocks = nullptr;
  char *At = nullptr;
  size_t Left = 0;
};

} // namespace

// Skips the discriminator, which numbers local entities of the same name: "_4", or "__12_".
const char *llvm::itanium_demangle::parse_discriminator(const char *First,
                                                        const char *Last) {
  auto IsDigit = [&](const char *At) { return At < Last && *At >= '0' && *At <= '9'; };
  const char *At = First;
  if (At == Last)
    return First;
  if (IsDigit(At)) {
    while (IsDigit(At))
      ++At;
    return At == Last ? Last : First;
  }
  if (*At != '_')
    return First;
  if (IsDigit(At + 1))
    return At + 2;
  if (At + 1 == Last || At[1] != '_')
    return First;
  for (At += 2; IsDigit(At); ++At)
    ;
  return At < Last && *At == '_' ? At + 1 : First;
}

namespace {

// A parser that fails if a name nests too deeply. Every recursion of the parser calls one
// of these functions.
class Parser : public AbstractManglingParser<Parser, NodeMemory> {
  using Base = AbstractManglingParser<Parser, NodeMemory>;

public:
  Parser(const char *First, const char *Last, const StackUse &Stack)
      : Base(First, Last), Stack(Stack) {}
  Node *parseEncoding(bool ParseParams = true) {
    return Stack.isTooMuch() ? nullptr : Base::parseEncoding(ParseParams);
  }
  Node *parseType() { return Stack.isTooMuch() ? nullptr : Base::parseType(); }
  Node *parseQualifiedType() {
    return Stack.isTooMuch() ? nullptr : Base::parseQualifiedType();
  }
  Node *parseExpr() { return Stack.isTooMuch() ? nullptr : Base::parseExpr(); }
  Node *parseBracedExpr() {
    return Stack.isTooMuch() ? nullptr : Base::parseBracedExpr();
  }
  Node *parseTemplateArg() {
    return Stack.isTooMuch() ? nullptr : Base::parseTemplateArg();
  }
  Node *parseTemplateParamDecl(TemplateParamList *Params) {
    return Stack.isTooMuch() ? nullptr : Base::parseTemplateParamDecl(Params);
  }

private:
  const StackUse &Stack;
};

// Prints nodes until the text is too long or nests too deeply.
class ShortText : public OutputBuffer {
public:
  explicit ShortText(const StackUse &Stack) : Stack(Stack) {}
  void printLeft(const Node &N) override {
    if (canPrint())
      OutputBuffer::printLeft(N);
  }
  void printRight(const Node &N) override {
    if (canPrint())
      OutputBuffer::printRight(N);
  }
  bool isWhole() const { return !IsTooDeep && getCurrentPosition() < MostBytes; }

private:
  bool canPrint() {
    IsTooDeep |= Stack.isTooMuch();
    return isWhole();
  }

  const StackUse &Stack;
  bool IsTooDeep = false;
};

} // namespace

// Checks for memory first, because the headers abort the process if they cannot allocate a
// list or the printed text.
static bool hasMemoryFor(size_t Length) {
  void *Probe = malloc(Length < 256 ? size_t(1) << 16 : size_t(1) << 20);
  free(Probe);
  return Probe;
}

// "Tp", a pack of template parameters, is the only part that the headers parse
// recursively without a call of Parser or NodeMemory. No compiler emits packs of packs.
static bool hasManyPacks(const char *Name) {
  return strstr(Name, "TpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTpTp");
}

char *pb_demangle(const char *Name, int *Error) {
  const size_t Length = strlen(Name);
  *Error = 0;
  if (Length > LongestName || hasManyPacks(Name))
    return nullptr;
  if (!hasMemoryFor(Length)) {
    *Error = -ENOMEM;
    return nullptr;
  }
  const StackUse Stack;
  Parser Parsed(Name, Name + Length, Stack);
  const Node *Whole = Parsed.parse();
  if (!Whole)
    return nullptr;
  ShortText Text(Stack);
  Whole->print(Text);
  Text += '\0';
  if (Text.isWhole())
    return Text.getBuffer();
  free(Text.getBuffer());
  return nullptr;
}
