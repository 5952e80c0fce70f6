// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine: the stores of each action, in the order of the library's stores.
#ifndef ENGINE_H
#define ENGINE_H

#include "model.h"

namespace {

struct Program {
  State &S;
  void add(Op What, uint64_t Value = 0, unsigned A = 0, unsigned B = 0) {
    if (S.NrSteps == sizeof(S.Steps) / sizeof(S.Steps[0]))
      abort();
    S.Steps[S.NrSteps++] = {What, uint8_t(A), uint8_t(B), uint32_t(Value)};
  }

  // pb_cell_enter_by()
  void enterBy(unsigned C, uint64_t Before, Enter How, pb_call_state How2,
               Rule Keep = None) {
    if (Keep == None || keeps(Keep))
      add(SetSince, pb_call_since_by(Before, How2), C);
    add(SetEnter, How, C);
  }
  // pb_fill_cell()
  void fillOne(unsigned C, int T, unsigned Number, unsigned Data = 0) {
    const uint64_t Since = hasExit(T) ? numbered(Number) : 0;
    add(SetFunc, uint8_t(T), C, Number);
    add(SetExit, uint8_t(T), C, Data);
    add(SetSince, Since, C);
    add(SetOps, uint8_t(T), C);
    enterBy(C, Since, enterOfOne(T), stateOfOne(T));
  }
  // pb_cell_enter_set()
  void enterSet(unsigned C, uint64_t Before, unsigned Id) {
    const SetFacts F = factsOf(S.Sets[Id]);
    const Enter How = F.HasExits ? CallSet : WalkSet;
    if (!keeps(SetFirst))
      add(SetEnter, How, C);
    add(SetSet, Id, C);
    add(SetSince, pb_call_since_with(Before, F.Since), C);
    if (keeps(SetFirst))
      add(SetEnter, How, C);
  }
  unsigned newSet(std::vector<Member> Members) {
    for (unsigned Id = 1; Id < EmptySet; ++Id)
      if (!S.Sets[Id].Nr) {
        S.Sets[Id].Nr = uint8_t(Members.size());
        for (size_t I = 0; I < Members.size(); ++I)
          S.Sets[Id].Members[I] = Members[I];
        return Id;
      }
    abort();
  }
  void retire(unsigned Id) {
    if (Id != NoSet && Id != EmptySet)
      add(Retire, 0, Id);
  }
  // pb_empty_cell()
  void empty(unsigned C) {
    if (!keeps(EmptyCells))
      return;
    retire(S.Cells[C].Set);
    add(SetSet, EmptySet, C);
    enterBy(C, S.Cells[C].Since, Nothing, PB_CALL_GENERAL, EmptyState);
  }
  // In place: swap_set()
  void swap(unsigned C, const std::vector<Member> &Members) {
    const unsigned Old = S.Cells[C].Set;
    enterSet(C, S.Cells[C].Since, newSet(Members));
    retire(Old);
  }
  // settle.c
  void settle() {
    add(Wait);
    add(Settle);
  }
};

std::vector<Member> membersOf(const State &S, unsigned C) {
  const Cell &Where = S.Cells[C];
  std::vector<Member> Members;
  if (Where.Set == EmptySet || Where.Ops == NoTracer)
    return Members;
  if (Where.Set == NoSet)
    return {{Where.Ops, Where.Number, 0, Where.Data}};
  for (int I = 0; I < S.Sets[Where.Set].Nr; ++I)
    Members.push_back(S.Sets[Where.Set].Members[I]);
  return Members;
}

bool others(const State &S, unsigned C) {
  return The.Shared && !S.OthersGone && C == First;
}

// Does the function share its cell with others, which it would leave?
bool parts(const State &S) { return S.SiteArmed && others(S, S.SlotCell); }

// Which functions change: only this one, or all that share its cell.
enum Whom { Ours, All };

// Is T the only tracer in the first cell, while other functions use that cell?
bool isOfT(const State &S) {
  const std::vector<Member> Members = membersOf(S, First);
  return !S.OthersGone && Members.size() == 1 && Members[0].Tracer == 0;
}

// Moves the function to its second cell, with a set of these members: pb_fill_target(),
// move_slots().
void moveTo(Program &P, const std::vector<Member> &Members) {
  if (keeps(WaitForCells))
    P.add(WaitUnlessSettled, 0, Second);
  if (keeps(WaitForLeft))
    P.add(WaitUnlessNotLeft, 0, Second);
  P.add(SetOps, uint8_t(Members[0].Tracer), Second);
  P.enterSet(Second, P.S.Cells[Second].Since, P.newSet(Members));
  P.add(SetSlot, Second);
  P.add(MarkLeft, 0, First);
}

// pb_set_find_word() for sets of two: returns the word that the other tracer does not
// use.
uint8_t wordBeside(const std::vector<Member> &Members) {
  uint8_t Word = 0;
  for (const Member &M : Members)
    Word = hasExit(M.Tracer) && !M.Word;
  return Word;
}

// Arms @T: engine.c, place.c. If the function leaves a shared cell, this may fail after
// its slot changed: roll_back(). If all functions of the cell change, the cell gets
// another set in place: bulk_swap.c.
void arm(State &S, int T, Whom Of = Ours, bool Fails = false) {
  Program P{S};
  const bool WasArmed = S.SiteArmed;
  std::vector<Member> Members;
  if (WasArmed)
    Members = membersOf(S, S.SlotCell);
  if (keeps(NumbersGrow))
    ++S.NextNumber;
  Member New = {int8_t(T), S.NextNumber, 0, 0};
  unsigned C = S.SlotCell;
  P.add(ArmedNow, S.NextNumber, T);
  if (!WasArmed) {
    // The function's previous cell. Other functions may still use the cell, with their
    // number.
    if (C == NoCell)
      C = First;
    const bool IsFree = membersOf(S, First).empty();
    if (C == EmptyCell)
      C = T == 0 && (IsFree || isOfT(S)) && (!hasExit(T) || !keeps(JoinByNumber))
              ? First
              : Second;
    if (!others(S, C) || IsFree) {
      if (keeps(WaitForCells))
        P.add(WaitUnlessSettled, 0, C);
      if (keeps(WaitForLeft))
        P.add(WaitUnlessNotLeft, 0, C);
      P.fillOne(C, T, New.Number);
    }
    if (C != S.SlotCell)
      P.add(SetSlot, C);
    P.add(Flip, 1);
    P.add(Begin, 0, T);
    return;
  }
  New.Word = wordBeside(Members);
  Members.push_back(New);
  if (Of == Ours && others(S, C)) {
    // The function leaves the shared cell.
    moveTo(P, Members);
    if (Fails) {
      P.add(SetSlot, First);
      P.add(MarkLeft, 0, Second);
      if (keeps(LeaveWhatFailed)) {
        P.add(Abandon, 0, Second);
      } else {
        for (unsigned Id = EmptySet; Id-- > 1;)
          if (S.Sets[Id].Nr) { // the newest set
            P.retire(Id);
            break;
          }
        P.add(SetSet, EmptySet, Second);
        P.add(SetEnter, Nothing, Second);
      }
      P.settle();
      P.add(DisarmedNow, 1, T);
      return;
    }
  } else {
    P.swap(C, Members);
  }
  P.add(Begin, 0, T);
}

// Was @T alone in the function's cell, and did it leave the cell without a wait, before
// other functions joined? A thread inside for the old arming would then use the new
// one.
bool mayBeInside(const State &S, int T) {
  const Cell &C = S.Cells[S.SlotCell];
  return C.Set != NoSet && C.Set != EmptySet && C.Ops == T &&
         S.Tracers[T].MayCall;
}

void disarm(State &S, int T, bool Waits, Whom Of = Ours) {
  Program P{S};
  const unsigned C = S.SlotCell;
  std::vector<Member> Left;
  for (Member M : membersOf(S, C))
    if (M.Tracer != T)
      Left.push_back(M);
  S.Tracers[T].Settled = false;
  S.Stable[T] = 0;
  if (Left.empty()) {
    if (Of == Ours && others(S, C)) {
      P.add(SetSlot, EmptyCell);
      P.add(MarkLeft, 0, First);
    } else {
      P.empty(C);
    }
    P.add(Flip, 0);
  } else if (Of == Ours && others(S, C)) {
    // The function leaves the cell's other functions, which keep both tracers.
    moveTo(P, Left);
  } else {
    const bool Joins = The.Shared && Left[0].Tracer == 0 && C == Second &&
                       (Left[0].Number == S.Cells[First].Since >> 16 ||
                        !hasExit(0)) &&
                       isOfT(S);
    if (Joins) {
      P.add(SetSlot, First);
      P.add(MarkLeft, 0, Second);
      // A thread that calls the remaining tracer may be inside the second cell.
      if (keeps(LeaveAsItIs))
        P.add(Abandon, 0, Second);
      else
        P.empty(Second);
    } else {
      P.swap(C, Left);
    }
  }
  if (Waits && keeps(WaitForHandlers))
    P.settle();
  P.add(DisarmedNow, Waits, T);
}

// The remaining functions leave the first cell, so no slot points to it. The cell stays
// unchanged until no thread is inside (abandon_left()), because our function may have
// left it with a tracer.
void othersLeave(Program &P) {
  if (keeps(LeaveAsItIs))
    P.add(Abandon, 0, First);
  else
    P.empty(First);
  P.S.OthersGone = true;
}

// A mixed batch adds and removes tracers. The engine first fills cells and changes
// slots. Then it gives other sets, or none, to cells, and disarms sites.
//
// Here @U is added to our function, and @T is removed. Both may be one tracer with other data.
void replace(State &S, int T, int U) {
  Program P{S};
  std::vector<Member> Members;
  Member New = {int8_t(U), 0, 0, 0};
  for (const Member &M : membersOf(S, S.SlotCell))
    if (M.Tracer != T)
      Members.push_back(M);
    else if (U == T)
      New.Data = !M.Data;
  if (keeps(NumbersGrow))
    ++S.NextNumber;
  New.Number = S.NextNumber;
  New.Word = wordBeside(Members);
  Members.push_back(New);
  S.Tracers[T].Settled = false;
  S.Stable[T] = 0;
  P.add(ArmedNow, S.NextNumber, U);
  if (others(S, S.SlotCell))
    moveTo(P, Members);
  else
    P.swap(S.SlotCell, Members);
  P.settle();
  if (U != T)
    P.add(DisarmedNow, 1, T);
  P.add(Begin, 0, U);
}

// @U is added to our function, and functions that share its cell lose all tracers.
void comeWhileOthersGo(State &S, int U) {
  Program P{S};
  std::vector<Member> Members = membersOf(S, First);
  if (keeps(NumbersGrow))
    ++S.NextNumber;
  Members.push_back({int8_t(U), S.NextNumber, wordBeside(Members), 0});
  P.add(ArmedNow, S.NextNumber, U);
  moveTo(P, Members);
  othersLeave(P);
  P.settle();
  P.add(Begin, 0, U);
}

// @T, alone on our function, is removed. The functions that share its cell get another
// tracer.
void goWhileOthersCome(State &S, int T) {
  Program P{S};
  ++S.NextNumber;
  S.Tracers[T].Settled = false;
  S.Stable[T] = 0;
  P.add(SetSlot, EmptyCell);
  P.add(MarkLeft, 0, First);
  othersLeave(P);
  P.add(Flip, 0);
  P.settle();
  P.add(DisarmedNow, 1, T);
}

// @T joins our function, which has no tracer. The functions that share the first cell
// lose T: that cell is emptied in place.
void armWhileOthersGo(State &S, int T) {
  Program P{S};
  if (keeps(NumbersGrow))
    ++S.NextNumber;
  P.add(ArmedNow, S.NextNumber, T);
  if (keeps(WaitForCells))
    P.add(WaitUnlessSettled, 0, Second);
  if (keeps(WaitForLeft))
    P.add(WaitUnlessNotLeft, 0, Second);
  P.fillOne(Second, T, S.NextNumber);
  P.add(SetSlot, Second);
  P.add(Flip, 1);
  P.empty(First);
  S.OthersGone = true;
  P.settle();
  P.add(Begin, 0, T);
}

// Other functions get the cell that our function has left, and then lose their tracer.
bool othersAre(const State &S) { return S.Cells[Second].Ops == OfOthers; }
void othersCome(State &S) {
  Program P{S};
  if (keeps(WaitForCells))
    P.add(WaitUnlessSettled, 0, Second);
  if (keeps(WaitForLeft))
    P.add(WaitUnlessNotLeft, 0, Second);
  P.fillOne(Second, OfOthers, ++S.NextNumber);
}
void othersGo(State &S) {
  Program P{S};
  P.empty(Second);
  P.settle();
}

// Functions that share the first cell, but not ours, get or lose another tracer: in
// place, unless a function has left the cell and a thread may be inside
// (bulk_swap.c).
bool othersMaySwap(const State &S) {
  const size_t Nr = membersOf(S, First).size();
  return The.Shared && !S.OthersGone && S.SlotCell != First && Nr &&
         (Nr == 2 ? S.Sets[S.Cells[First].Set].Members[1].Tracer == OfOthers
                  : true) &&
         (!S.Cells[First].Left || !keeps(SwapUnlessLeft));
}
void othersSwap(State &S) {
  Program P{S};
  std::vector<Member> Members = membersOf(S, First);
  if (Members.size() == 2)
    Members.pop_back();
  else
    Members.push_back({OfOthers, ++S.NextNumber, !Members[0].Word, 0});
  P.swap(First, Members);
}

// The module is unloaded, then both tracers are freed: module.c, engine.c.
void leave(State &S) {
  Program P{S};
  for (int T = 0; T < NR; ++T) {
    S.Tracers[T].Settled = false;
    S.Stable[T] = 0;
  }
  if (keeps(LeaveNoTracer))
    for (unsigned C = First; C <= Second; ++C)
      P.enterBy(C, S.Cells[C].Since, Nothing, PB_CALL_GENERAL, LeaveNoState);
  if (keeps(WaitForGone))
    P.add(Wait);
  for (int T = 0; T < NR; ++T)
    P.add(DisarmedNow, 1, T);
  P.add(EndOfModule);
}

// Cleans up when no thread is inside.
void settleCells(State &S) {
  for (Tracer &T : S.Tracers)
    T.MayCall &= T.Armed ? uint8_t(1u << T.Number | T.Before) : 0;
  for (Set &Each : S.Sets)
    Each.Freed |= Each.Retired;
  for (unsigned C = First; C <= Second; ++C) {
    Cell &Each = S.Cells[C];
    Each.Left = false;
    if (Each.Abandoned) {
      S.Sets[Each.Set].Freed |= Each.Set != NoSet;
      Each.Abandoned = false;
      Each.How = Nothing;
      Each.Since = pb_call_since_by(Each.Since, PB_CALL_GENERAL);
      Each.Set = EmptySet;
    }
    if (Each.Set == EmptySet) {
      Each.Ops = NoTracer;
      Each.Set = NoSet;
      continue;
    }
    // If the only remaining tracer has the word, calls enter that tracer directly
    // again, without the set.
    const Set &Of = S.Sets[Each.Set];
    if (Each.Set == NoSet || Of.Nr != 1 || Each.How == CallOne ||
        Each.How == Handler || (memberSince(Of.Members[0]) & PATCHBAY_CELL_WORD))
      continue;
    const int T = Of.Members[0].Tracer;
    Program{S}.fillOne(C, T, Of.Members[0].Number, Of.Members[0].Data);
  }
}

// Executes the engine's next step. Returns false if the engine must wait.
bool stepEngine(State &S) {
  const Step Now = S.Steps[S.NextStep];
  Cell &C = S.Cells[Now.A < NrCells ? Now.A : 0];
  switch (Now.What) {
  case SetFunc:
    C.Func = int8_t(Now.Value);
    C.Number = Now.B;
    break;
  case SetExit:
    C.ExitOf = int8_t(Now.Value);
    C.Data = Now.B;
    break;
  case SetSince: C.Since = Now.Value; break;
  case SetEnter: C.How = Enter(Now.Value); break;
  case SetSet: C.Set = uint8_t(Now.Value); break;
  case SetOps: C.Ops = int8_t(Now.Value); break;
  case SetSlot: S.SlotCell = uint8_t(Now.Value); break;
  case Flip: S.SiteArmed = Now.Value; break;
  case MarkLeft: C.Left = true; break;
  case Abandon: C.Abandoned = true; break;
  case Retire:
    S.Sets[Now.A].Retired = true;
    S.Sets[Now.A].Freed |= !keeps(KeepSets);
    break;
  case Wait:
    if (S.Inside)
      return false;
    break;
  case WaitUnlessSettled:
    if (C.Set == EmptySet) {
      if (S.Inside)
        return false;
      settleCells(S);
    }
    break;
  case WaitUnlessNotLeft:
    if (C.Left) {
      if (S.Inside)
        return false;
      settleCells(S);
    }
    break;
  case Settle:
    for (Tracer &T : S.Tracers)
      T.Before = 0;
    settleCells(S);
    break;
  case ArmedNow:
    S.Tracers[Now.A] = {true, false, uint8_t(Now.Value),
                        uint8_t(S.Tracers[Now.A].MayCall | 1u << Now.Value),
                        uint8_t(S.Tracers[Now.A].Armed ? 1u << S.Tracers[Now.A].Number
                                                       : 0)};
    if (S.InEntry)
      S.Window[Now.A] |= uint8_t(1u << Now.Value);
    break;
  case Begin: S.Tracers[Now.A].Settled = true; break;
  case DisarmedNow:
    S.Tracers[Now.A].Armed = false;
    if (Now.Value)
      S.Tracers[Now.A].MayCall = 0;
    break;
  case EndOfModule: S.ModuleGone = true; break;
  }
  if (++S.NextStep == S.NrSteps) {
    memset(S.Steps, 0, sizeof(S.Steps));
    S.NrSteps = S.NextStep = 0;
  }
  return true;
}

} // namespace

#endif // ENGINE_H
