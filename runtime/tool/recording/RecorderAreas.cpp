// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes areas: the contents of a data file except large blocks.
#include "Recorder.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;
using namespace patchbay;

uint64_t Recorder::sizeOf(unsigned Page, const pba_chunk &Head) const {
  return std::min<uint64_t>(Head.size, (NrPages - Page) * PBA_PAGE_SIZE);
}

// The committed size in the file's header at the beginning of this round; 0: unknown.
uint64_t Recorder::committed(const pba_chunk &Head) const {
  for (const Header &Each : Headers)
    if (isOfFile(Head, Arena->page[Each.Page]))
      return Each.Content.committed;
  return 0;
}

// Copies from the last word to the first. A record in the copy is then complete if its
// last word is set.
static void copyBackwards(uint64_t *To, const char *From, size_t Size) {
  const auto *Words = reinterpret_cast<const uint64_t *>(From);
  for (size_t I = Size / 8; I--;)
    To[I] = __atomic_load_n(&Words[I], __ATOMIC_ACQUIRE);
}

// Does a process leave chunks of this kind unchanged after committing them?
static bool isConstant(uint32_t Kind) {
  switch (Kind) {
  case PBD_CMDLINE:
  case PBD_MODULE:
  case PBD_FUNCTIONS:
  case PBD_TEXT:
  case PBD_NAMES:
  case PBD_LEFT_OUT:
  case PBD_MAPS:
  case PBD_OTHER:
  case PBD_PLACE:
    return true;
  }
  return false;
}

// Writes pages that have changed, except the file's header.
bool Recorder::writeArea(unsigned Page, const pba_chunk &Head) {
  const uint64_t Size = sizeOf(Page, Head) / 8 * 8;
  Progress &Of = KnownAreas[Page];
  const unsigned Cuts = Files.cuts(nameOf(Head), Head.start_ns);
  if (Of.At != Head.at || Of.StartNs != Head.start_ns || Of.Cuts != Cuts) {
    Of = {};
    Of.At = Head.at;
    Of.StartNs = Head.start_ns;
    Of.Cuts = Cuts;
  }
  if (Of.IsComplete || Head.at % 8 || Head.at > UINT64_MAX - Size ||
      (Head.at && Head.at < sizeof(pbd_header)))
    return Of.IsComplete;
  const auto *First = reinterpret_cast<const pbd_chunk *>(page(Page));
  const bool IsConstant = Head.at && Size >= sizeof(*First) && isConstant(First->kind) &&
                          First->size == Size && committed(Head) >= Head.at + Size;
  bool IsChanged = false;
  Of.Pages.resize((Size + PBA_PAGE_SIZE - 1) / PBA_PAGE_SIZE);
  for (uint64_t I = 0; I * PBA_PAGE_SIZE < Size; ++I) {
    uint64_t Words[PBA_PAGE_SIZE / 8];
    uint64_t Begin = I * PBA_PAGE_SIZE, End = std::min(Begin + PBA_PAGE_SIZE, Size);
    if (!Head.at && !I)
      Begin = std::min(End, sizeof(pbd_header));
    copyBackwards(Words, page(Page) + Begin, End - Begin);
    const auto *Bytes = reinterpret_cast<const char *>(Words);
    const uint64_t Hash = lastWord(Bytes, End - Begin, 0).Value
                              ? xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Bytes),
                                                     End - Begin))
                              : 0;
    if (Of.Pages[I] == Hash)
      continue;
    DataWriter::File *To = openFile(Head);
    if (!To)
      return false;
    if (To->Cuts && !IsChanged)
      Files.splitUnused({Head.at, Size});
    if (!writeTo(Head, Bytes, End - Begin, Head.at + Begin))
      return false;
    Of.Pages[I] = Hash;
    IsChanged = true;
  }
  Of.IsComplete = IsConstant;
  Of.Unchanged = IsChanged ? 0 : Of.Unchanged + 1;
  return true;
}

// Like release(), for an area.
void Recorder::releaseArea(unsigned Page, const pba_chunk &Head, bool MayBeInUse) {
  KnownAreas.erase(Page);
  const uint64_t Pages = std::min<uint64_t>(std::max(Head.pages, 1u), NrPages - Page);
  for (uint64_t I = Pages; I--;) {
    uint32_t &State = Arena->page[Page + I].state;
    // PBA_TAKEN: no process reuses the page.
    if (MayBeInUse) {
      __atomic_store_n(&State, uint32_t(PBA_TAKEN), __ATOMIC_RELEASE);
      continue;
    }
    if (I && __atomic_load_n(&State, __ATOMIC_ACQUIRE) != PBA_TAKEN)
      continue;
    if (!Ends)
      memset(page(Page + I), 0, PBA_PAGE_SIZE);
    else
      Dirty.push_back({&State, page(Page + I), PBA_PAGE_SIZE});
    __atomic_store_n(&State, uint32_t(PBA_FREE), __ATOMIC_RELEASE);
  }
}

// Returns Use::None if the area's thread or process has ended, or if all its records are
// complete.
Recorder::Use Recorder::useOfArea(unsigned Page, const pba_chunk &Head, bool IsEnd) {
  const auto *Block = reinterpret_cast<const pbd_block *>(page(Page));
  const uint64_t Size = sizeOf(Page, Head);
  Progress &Of = KnownAreas[Page];
  if (Head.state == PBA_ENDED)
    return Use::None;
  if (Head.state == PBA_FULL && Size > sizeof(pbd_block) + sizeof(pbd_record) &&
      Block->chunk.kind == PBD_BLOCK) {
    const size_t Most = (Size - RecordAt) / sizeof(pbd_record) - 1;
    if (completeRecords(page(Page), 0, Most) == Most)
      return Use::None;
  }
  if (!IsEnd && Of.Unchanged <= LooksUnused)
    return Use::Process;
  Of.Unchanged = 0;
  const Use By = useOf(Head);
  return By == Use::Unknown && !IsEnd ? Use::Process : By;
}

// Writes the rest of the area and frees the area. openFile() detects whether another
// program has truncated the file, even if the area has no new data.
void Recorder::writeAndReleaseArea(unsigned Page, const pba_chunk &Head, Use By) {
  const uint64_t Size = sizeOf(Page, Head);
  openFile(Head);
  if (writeArea(Page, Head))
    finish(Head, page(Page), Size);
  else
    lose(Head, Size);
  releaseArea(Page, Head, By == Use::Unknown);
}

void Recorder::drainArea(unsigned Page, bool IsEnd) {
  const pba_chunk Head = headOf(Arena->page[Page]);
  const Use By = useOfArea(Page, Head, IsEnd);
  if (By == Use::Process)
    writeArea(Page, Head);
  else
    writeAndReleaseArea(Page, Head, By);
}

// The parts of the file that were written since the last truncation.
std::vector<FilePart> Recorder::partsOf(const pba_chunk &Head, unsigned Cuts) {
  std::vector<FilePart> Parts;
  for (unsigned I = 0; I != Nr; ++I)
    if (isOwned(state(I)) && isOfFile(Head, Arena->chunk[I]) && Known[I].Cuts == Cuts)
      Parts.push_back({Known[I].At, PBA_CHUNK_SIZE});
  for (auto &[Page, Of] : KnownAreas)
    if (isOfFile(Head, Arena->page[Page]) && Of.Cuts == Cuts)
      Parts.push_back({Of.At, sizeOf(Page, Arena->page[Page])});
  llvm::sort(Parts, [](const FilePart &A, const FilePart &B) { return A.At < B.At; });
  return Parts;
}

void Recorder::drainHeader(Header &Of, bool IsEnd) {
  const pba_chunk Head = headOf(Arena->page[Of.Page]);
  const Use By = useOfArea(Of.Page, Head, IsEnd);
  if (By != Use::Process) {
    openFile(Head);
    memcpy(&Of.Content, page(Of.Page), sizeof(Of.Content));
  }
  bool IsWritten = writeArea(Of.Page, Head);
  Progress &To = KnownAreas[Of.Page];
  if (To.Cuts)
    if (DataWriter::File *File = openFile(Head); File && File->Cuts == To.Cuts)
      Files.fillGaps(Of.Content.committed, partsOf(Head, To.Cuts));
  const uint64_t Hash = xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(&Of.Content), sizeof(Of.Content)));
  if (IsWritten && To.Header != Hash) {
    IsWritten = openFile(Head) && Files.writeHeader(Of.Content);
    To.Header = IsWritten ? Hash : 0;
  }
  if (By == Use::Process)
    return;
  if (IsWritten)
    finish(Head, page(Of.Page), sizeOf(Of.Page, Head));
  else
    lose(Head, sizeOf(Of.Page, Head));
  Files.forget(nameOf(Head), Head.start_ns);
  releaseArea(Of.Page, Head, By == Use::Unknown);
}

// Writes headers last, after all data that the headers declare committed.
void Recorder::drainAreas(bool IsEnd) {
  Files.closeFile();
  Headers.clear();
  for (unsigned Page = 0; Page < usedPages(); ++Page) {
    const pba_chunk Head = headOf(Arena->page[Page]);
    if (!isOwned(Head.state) || Head.at || sizeOf(Page, Head) < sizeof(pbd_header))
      continue;
    Header Of = {Page, {}};
    auto *Content = reinterpret_cast<pbd_header *>(page(Page));
    const uint64_t Committed = __atomic_load_n(&Content->committed, __ATOMIC_ACQUIRE);
    memcpy(&Of.Content, Content, sizeof(*Content));
    Of.Content.committed = Committed;
    Headers.push_back(Of);
  }
  for (unsigned Page = 0; Page < usedPages(); ++Page)
    if (isOwned(stateOf(Arena->page[Page])) && Arena->page[Page].at)
      drainArea(Page, IsEnd);
  for (Header &Each : Headers)
    drainHeader(Each, IsEnd);
}

