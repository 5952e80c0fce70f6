// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Checks.h"
#include "showing/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <unordered_map>

using namespace llvm;
using namespace patchbay;

namespace {
class Check {
public:
  Check(const ImageView &View, const SiteRecord &R, Findings &Out)
      : View(View), Form(View.form()), R(R), Out(Out),
        Function{R.Entry, View.nameAt(R.Entry)} {}
  void run();

private:
  void fields();
  bool isSanitized() const;
  void padAndHash(bool Sanitized);
  void hashSymbols();
  std::optional<int64_t> localEntry() const;
  bool distance();
  void site(int64_t Distance, int64_t ToPad);

  const ImageView &View;
  const CodeForm &Form;
  const SiteRecord &R;
  Findings &Out;
  const Subject Function;
};
} // namespace

static std::string inRecord(const SiteRecord &R, StringRef Field) {
  return ("record at " + hex(R.Address) + ", " + Field).str();
}

// Checks the fields of the record. The code does not contain the number of arguments, so checks
// only that it is at most the number of registers.
void Check::fields() {
  if (R.Raw.flags & PATCHBAY_RECORD_RESERVED)
    Out.add(Function.Name, 0, inRecord(R, "flags"), "reserved bits to be 0",
            hex(R.Raw.flags));
  if (R.Raw.flags & PATCHBAY_RECORD_UNKNOWN_ARGS)
    return;
  if (R.Raw.gp_args > Form.MaxGPArgs)
    Out.add(Function.Name, 0, inRecord(R, "gp_args"),
            "at most " + Twine(Form.MaxGPArgs), utostr(R.Raw.gp_args));
  if (R.Raw.fp_args > Form.MaxFPArgs)
    Out.add(Function.Name, 0, inRecord(R, "fp_args"),
            "at most " + Twine(Form.MaxFPArgs), utostr(R.Raw.fp_args));
}

bool Check::isSanitized() const {
  ArrayRef<uint8_t> Magic =
      View.map().bytes(R.Entry + PATCHBAY_PAD_OFFSET, sizeof(uint32_t));
  return !R.Raw.signature && support::endian::read32le(Magic.data()) ==
                                 PATCHBAY_FUNCTION_SANITIZER_MAGIC;
}

// Checks the pad and the hash. Does not check the type hash of -fsanitize=function, which only
// that sanitizer can compute.
void Check::padAndHash(bool Sanitized) {
  if (Sanitized) {
    checkBytes(View, Function, PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET, "pad",
               Form.pad(), Out);
    return;
  }
  CodeBytes Expected = Form.padAndHash(
      R.Raw.signature,
      View.map().bytes(R.Entry + PATCHBAY_PAD_OFFSET, -PATCHBAY_PAD_OFFSET));
  ArrayRef<uint8_t> Bytes = Expected;
  checkBytes(View, Function, PATCHBAY_PAD_OFFSET, "pad",
             Bytes.drop_back(PATCHBAY_HASH_SIZE), Out);
  checkBytes(View, Function, PATCHBAY_HASH_OFFSET, "hash",
             Bytes.take_back(PATCHBAY_HASH_SIZE), Out);
}

// Checks the symbol of the hash, which tools expect at the function. Accepts a function without a
// name, whose name another definition has taken.
void Check::hashSymbols() {
  std::vector<StringRef> Names = View.functions().at(R.Entry);
  for (int64_t Offset = PATCHBAY_SLOT_OFFSET; Offset != 0; ++Offset)
    for (const auto &S : View.functions().symbolsAt(R.Entry + Offset)) {
      StringRef Of = S.Name;
      if (!Of.consume_front(HashSymbolPrefix))
        continue;
      if (Offset != PATCHBAY_SLOT_OFFSET)
        Out.add(Function.Name, Offset, S.Name + " is not at the prefix",
                hex(R.Entry + PATCHBAY_SLOT_OFFSET), hex(S.Address));
      if (!Names.empty() && !is_contained(Names, Of))
        Out.add(Function.Name, Offset, "symbol of another function's hash",
                HashSymbolPrefix + Names.front(), S.Name);
    }
}

// The offset of the local entry in the function's symbols; std::nullopt without a symbol.
std::optional<int64_t> Check::localEntry() const {
  auto Symbols = View.functions().symbolsAt(R.Entry);
  if (!Form.HasLocalEntry || Symbols.empty())
    return std::nullopt;
  return ELF::decodePPC64LocalEntryOffset(Symbols.front().Other);
}

// Checks that the site is at the entry, or after permitted code. Returns false if the site cannot
// be checked.
bool Check::distance() {
  if (!View.map().isCode(R.Site, Form.siteSize())) {
    Out.add(Function.Name, 0, inRecord(R, "site"), "an address of code",
            hex(R.Site));
    return false;
  }
  int64_t Distance = R.Site - R.Entry;
  if (auto Expected = localEntry(); Expected && Distance != *Expected) {
    Out.add(Function.Name, 0, inRecord(R, "site"),
            "the local entry " + hex(R.Entry + *Expected), hex(R.Site));
    return false;
  }
  if (Distance == 0)
    return true;
  if (none_of(Form.EntryCodes,
              [&](const EntryCode &Code) { return Distance == Code.size(); })) {
    Out.add(Function.Name, 0, inRecord(R, "site"),
            "the entry or the address after its landing pad", hex(R.Site));
    return false;
  }
  ArrayRef<uint8_t> Found = View.map().bytes(R.Entry, Distance);
  if (none_of(Form.EntryCodes,
              [&](const EntryCode &Code) { return Code.matches(Found); })) {
    auto Names = map_range(Form.EntryCodes,
                           [](const EntryCode &Code) { return Code.Name; });
    Out.add(Function.Name, 0, "landing pad", join(Names, " or "), hex(Found));
  }
  return true;
}

// Checks the site. Accepts an immediate of 0, which arming replaces by the stub's address. If the
// module has several sets of stubs, accepts each set, since all lead to the same runtime.
void Check::site(int64_t Distance, int64_t ToPad) {
  constexpr int64_t Unsaid = PATCHBAY_X86_64_SITE_BRANCH_SIZE;
  ArrayRef<uint8_t> Found = View.map().bytes(R.Site, Form.siteSize());
  auto Leading = [&](uint64_t Stubs) {
    return Form.site(ToPad, Stubs + Form.stubOffset(R.Raw, Distance != 0) - R.Site);
  };
  auto IsRight = [&](uint64_t Stubs) {
    return Found == ArrayRef<uint8_t>(Leading(Stubs));
  };
  if (Found != ArrayRef<uint8_t>(Form.site(ToPad, Unsaid)) &&
      none_of(View.stubs(), IsRight))
    checkBytes(View, Function, Distance, "site",
               Leading(View.stubs().empty() ? 0 : View.stubs().front()), Out);
}

void Check::run() {
  fields();
  if (!View.map().isCode(R.Entry + PATCHBAY_SLOT_OFFSET,
                         PATCHBAY_PREFIX_SIZE + Form.siteSize())) {
    Out.add(Function.Name, 0, inRecord(R, "entry"), "an address of code",
            hex(R.Entry));
    return;
  }
  bool Sanitized = isSanitized();
  int64_t Pad =
      Sanitized ? PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET : PATCHBAY_PAD_OFFSET;
  int64_t Start = std::min<int64_t>(Pad, PATCHBAY_SLOT_OFFSET);
  if (!View.map().isCode(R.Entry + Start, -Start)) {
    Out.add(Function.Name, Start, "pad", "code", "none");
    return;
  }
  checkSlot(View, Function, Out);
  padAndHash(Sanitized);
  hashSymbols();
  if (!distance()) {
    checkOwned(View, Function, Start, 0, Out);
    return;
  }
  int64_t Distance = R.Site - R.Entry;
  checkOwned(View, Function, Start, Distance + Form.siteSize(), Out);
  site(Distance, Pad - Distance);
}

void patchbay::checkRecord(const ImageView &View, const SiteRecord &Record,
                           Findings &Out) {
  Check(View, Record, Out).run();
}

void patchbay::checkUnique(const ImageView &View, ArrayRef<SiteRecord> Records,
                           Findings &Out) {
  // Do not use DenseMap, which reserves two keys.
  using RecordAt = std::unordered_map<uint64_t, uint64_t>;
  RecordAt Entries, Sites;
  for (const SiteRecord &R : Records) {
    auto Check = [&](RecordAt &Seen, uint64_t Place, StringRef Field) {
      auto [First, Inserted] = Seen.try_emplace(Place, R.Address);
      if (!Inserted)
        Out.add(View.nameAt(R.Entry), 0, inRecord(R, Field), "a unique address",
                "the address of the record at " + hex(First->second));
    };
    Check(Entries, R.Entry, "entry");
    Check(Sites, R.Site, "site");
  }
}

std::string patchbay::hex(uint64_t Number) {
  return "0x" + utohexstr(Number, /*LowerCase=*/true);
}

std::string patchbay::hex(ArrayRef<uint8_t> Bytes) {
  return join(
      map_range(Bytes, [](uint8_t Byte) { return utohexstr(Byte, true, 2); }),
      " ");
}

void Findings::add(StringRef Name, int64_t Offset, const Twine &What,
                   const Twine &Expected, const Twine &Found) {
  ++Count;
  std::string Place = Offset < 0 ? "-" + hex(0 - static_cast<uint64_t>(Offset))
                                 : "+" + hex(static_cast<uint64_t>(Offset));
  outs() << printable((Twine(Path) + ": " + Name + Place + ": " + What +
                       ": expected " + Expected + ", found " + Found)
                          .str())
         << '\n';
}

void patchbay::checkBytes(const ImageView &View, const Subject &Function,
                          int64_t Offset, const Twine &What,
                          ArrayRef<uint8_t> Expected, Findings &Out) {
  ArrayRef<uint8_t> Found =
      View.map().bytes(Function.Entry + Offset, Expected.size());
  if (Found != Expected)
    Out.add(Function.Name, Offset, What, hex(Expected), hex(Found));
}

void patchbay::checkSlot(const ImageView &View, const Subject &Function,
                         Findings &Out) {
  uint64_t Slot = Function.Entry + PATCHBAY_SLOT_OFFSET;
  if (Slot % PATCHBAY_SLOT_SIZE)
    Out.add(Function.Name, PATCHBAY_SLOT_OFFSET, "slot is not aligned",
            "a multiple of " + Twine(PATCHBAY_SLOT_SIZE), hex(Slot));
  constexpr uint8_t Empty[PATCHBAY_SLOT_SIZE] = {};
  checkBytes(View, Function, PATCHBAY_SLOT_OFFSET, "slot is not empty", Empty,
             Out);
}

void patchbay::checkOwned(const ImageView &View, const Subject &Function,
                          int64_t From, int64_t To, Findings &Out) {
  uint64_t Start = Function.Entry + From;
  if (const SymbolNames::Symbol *Other = View.bodyBefore(Function.Entry);
      Other && bodyEnd(*Other) > Start)
    Out.add(Function.Name, From, "prefix overlaps another function",
            "the previous function to end by " + hex(Start),
            "that " + View.nameAt(Other->Address) + " ends at " + hex(bodyEnd(*Other)));
  if (const auto *R = View.relocations().in(Start, To - From))
    Out.add(Function.Name, R->Address - Function.Entry,
            "the dynamic loader changes code", "no relocation",
            "one of type " + Twine(R->Type));
}
