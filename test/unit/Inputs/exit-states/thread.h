// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that makes the call: its loads, in the order of the trampolines' loads,
// and the expected results.
#ifndef THREAD_H
#define THREAD_H

#include "model.h"

namespace {

bool mayCall(const State &S, int T, unsigned Number) {
  if (T == OfOthers) {
    fail("a handler of other functions is called");
    return false;
  }
  if (T == NoTracer)
    return false;
  // A tracer without exit has the same cell in each arming, so it may rejoin
  // others.
  return hasExit(T) ? S.Tracers[T].MayCall >> Number & 1 : S.Tracers[T].MayCall;
}

void callEntry(State &S, int T, unsigned Number) {
  if (!mayCall(S, T, Number))
    return fail("an entry handler is called that was disarmed");
  if (++S.EntryCalls[T] > 1)
    return fail("an entry is told twice");
  S.Told[T] = uint8_t(Number);
}

void callExit(State &S, int T, unsigned Number) {
  if (!mayCall(S, T, Number))
    return fail("an exit handler is called that was disarmed");
  if (S.ToldExit[T])
    return fail("an exit is told twice");
  if (hasEntry(T) && S.Told[T] != Number)
    return fail("an exit is told without its entry");
  if (!(S.Window[T] >> Number & 1))
    return fail("an exit is told to a tracer that came later");
  S.ToldExit[T] = 1;
}

const Set &use(State &S, unsigned Id) {
  static const Set Empty = {};
  if (Id == EmptySet)
    return Empty;
  if (Id == NoSet)
    fail("a set is used where there is none");
  if (S.Sets[Id].Freed)
    fail("a set is used that was freed");
  return S.Sets[Id];
}

void finish(State &S) {
  for (int T = 0; T < NR; ++T) {
    if (!S.Stable[T])
      continue;
    if (hasEntry(T) && S.EntryCalls[T] != 1)
      fail("an entry is not told");
    if (hasExit(T) && !S.ToldExit[T])
      fail("an exit is not told");
  }
  S.At = Done;
}

bool wasTold(const State &S, uint64_t Member) {
  struct patchbay_call Call = {};
  Call.since = S.CallSince;
  Call.told = S.CallTold;
  return pb_call_was_told(&Call, Member);
}

// Walks the set's lists in one step, because a set does not change.
void tellExits(State &S, const Set &Of, bool Ask) {
  for (int I = Of.Nr; I-- > 0;) {
    const Member &M = Of.Members[I];
    if (!hasExit(M.Tracer))
      continue;
    if (Ask && keeps(AskNumber) &&
        !wasTold(S, memberSince(M)))
      continue;
    callExit(S, M.Tracer, M.Number);
  }
}

// call.c: own_of(). Returns the present member with the same tracer. IsCell: the cell
// itself.
const Member *ownOf(State &S, const Cell &C, bool &IsCell) {
  IsCell = C.Set == NoSet || C.Set == EmptySet;
  if (IsCell)
    return nullptr;
  const Set &Of = use(S, C.Set);
  for (int I = 0; I < Of.Nr; ++I)
    if (Of.Members[I].Tracer == C.Ops &&
        (Of.Members[I].Data == C.Data || !keeps(CompareData)))
      return &Of.Members[I];
  return nullptr;
}

void stepThread(State &S) {
  Cell &C = S.Cells[S.MyCell];
  bool IsCell;
  const Member *Own;
  switch (S.At) {
  case AtSite:
    S.InEntry = true;
    for (int T = 0; T < NR; ++T) {
      if (!S.Tracers[T].Armed)
        continue;
      S.Window[T] |= uint8_t(1u << S.Tracers[T].Number | S.Tracers[T].Before);
      S.Stable[T] = S.Tracers[T].Settled;
    }
    S.At = S.SiteArmed ? LoadSlot : Done;
    if (S.At == Done)
      finish(S);
    break;
  // arch/x86_64/entry.S: chooses the path.
  case LoadSlot:
    S.MyCell = S.SlotCell;
    S.At = LoadSince;
    break;
  case LoadSince: {
    S.CallSince = C.Since;
    const pb_call_state Way = pb_call_state_of(C.Since);
    S.Direct = Way != PB_CALL_GENERAL;
    S.At = !S.Direct                ? Mark
           : Way == PB_CALL_BOTH    ? DirectMark
                                    : DirectSlot;
    break;
  }
  // direct.h, without an entry handler: no mark shows that the thread is here.
  case DirectSlot:
    if (keeps(LookAtSlotAgain))
      S.MyCell = S.SlotCell;
    S.At = DirectSince;
    break;
  case DirectSince:
    if (C.Since != S.CallSince && keeps(LookAtSinceAgain))
      S.At = Mark;
    else
      S.At = pb_call_state_of(S.CallSince) == PB_CALL_SET_BOTH ? DirectMark : Body;
    S.HasExit = true;
    break;
  case DirectMark:
    S.Inside = true;
    S.At = pb_call_state_of(S.CallSince) == PB_CALL_SET_BOTH ? DirectSetSlot
                                                         : DirectBothSlot;
    break;
  case DirectBothSlot:
    S.MyCell = S.SlotCell;
    S.At = DirectBothSince;
    break;
  case DirectBothSince:
    if (pb_call_state_of(C.Since) != PB_CALL_BOTH && keeps(AskStateAgain)) {
      S.Inside = false;
      S.At = Mark;
      break;
    }
    S.CallSince = C.Since;
    S.At = DirectFunc;
    break;
  case DirectFunc:
    callEntry(S, C.Func, C.Number);
    S.HasExit = true;
    S.At = Unmark;
    break;
  case DirectSetSlot:
    S.MyCell = S.SlotCell;
    S.At = DirectSetSince;
    break;
  case DirectSetSince:
    S.At = DirectSet;
    if (C.Since != S.CallSince) {
      S.Inside = false;
      S.At = Mark;
    }
    break;
  case DirectSet: {
    const Set &Of = use(S, C.Set);
    if (C.Set == EmptySet || factsOf(Of).Since != S.CallSince) {
      S.Inside = false;
      S.At = Mark;
      break;
    }
    for (int I = 0; I < Of.Nr; ++I)
      if (hasEntry(Of.Members[I].Tracer))
        callEntry(S, Of.Members[I].Tracer, Of.Members[I].Number);
    S.HasExit = true;
    S.At = Unmark;
    break;
  }
  // The general path.
  case Mark:
    S.Direct = S.HasExit = false;
    if (keeps(MarkFirst))
      S.Inside = true;
    S.At = Slot;
    break;
  case Slot:
    S.MyCell = S.SlotCell;
    S.At = LoadEnter;
    break;
  case LoadEnter: {
    S.Inside = true;
    const Enter How = C.How;
    S.At = How == Nothing   ? Unmark
           : How == Handler ? EnterFunc
           : How == CallOne ? EnterSince
           : How == CallSet ? EnterSet
                            : WalkingSet;
    break;
  }
  case EnterSince: // call.c: enter_one()
    S.HasExit = true;
    S.MySince = C.Since;
    S.At = EnterOwn;
    break;
  case EnterOwn:
    Own = ownOf(S, C, IsCell);
    S.CallTold = pb_call_bit_of(S.MySince);
    S.CallSince = pb_call_number(IsCell ? S.MySince : Own ? memberSince(*Own) : 0);
    S.At = EnterFunc;
    break;
  case EnterFunc:
    if (C.Func != NoTracer && hasEntry(C.Func))
      callEntry(S, C.Func, C.Number);
    S.At = Unmark;
    break;
  case EnterSet: { // exit.S, pb_call_entry()
    const Set &Of = use(S, C.Set);
    const SetFacts F = factsOf(Of);
    S.HasExit = true;
    S.CallSince = pb_call_number(F.Since);
    S.CallTold = F.Told;
    for (int I = 0; I < Of.Nr; ++I)
      if (hasEntry(Of.Members[I].Tracer))
        callEntry(S, Of.Members[I].Tracer, Of.Members[I].Number);
    S.At = Unmark;
    break;
  }
  case WalkingSet: { // set_call.c
    const Set &Of = use(S, C.Set);
    const bool Exits = factsOf(Of).HasExits;
    for (int I = 0; I < Of.Nr; ++I)
      if (!Exits || !hasExit(Of.Members[I].Tracer))
        callEntry(S, Of.Members[I].Tracer, Of.Members[I].Number);
    S.At = Unmark;
    break;
  }
  case Unmark:
    S.Inside = false;
    S.At = Body;
    break;
  case Body:
    S.InEntry = false;
    S.At = ExitMark;
    // Tracers that are armed after this point must not be called at the exit.
    if (!S.HasExit)
      S.At = Done;
    break;
  case ExitMark:
    S.Inside = true;
    S.At = S.Direct ? DirectExitSlot : ExitSlot;
    break;
  // direct.h: call_body_directly
  case DirectExitSlot:
    S.MyCell = S.SlotCell;
    S.At = DirectExitSince;
    break;
  case DirectExitSince:
    S.MySince = C.Since;
    if (C.Since != S.CallSince && keeps(CompareSince)) {
      S.CallTold = ~0ull;
      S.At = ExitSlot;
    } else {
      S.At = pb_call_state_of(S.CallSince) & PATCHBAY_CELL_DIRECT_SET ? DirectExitSet
                                                                    : DirectTell;
    }
    break;
  case DirectExitSet:
    if (factsOf(use(S, C.Set)).Since != S.MySince && keeps(CompareSetSince)) {
      S.CallTold = ~0ull;
      S.At = ExitSlot;
      break;
    }
    tellExits(S, use(S, C.Set), false);
    S.At = UnmarkExit;
    break;
  case DirectTell:
    callExit(S, C.ExitOf, C.Number);
    S.At = UnmarkExit;
    break;
  // call.c: pb_call_exit()
  case ExitSlot:
    S.MyCell = S.SlotCell;
    S.At = ExitSet;
    break;
  case ExitSet: {
    S.MySet = C.Set;
    S.At = AnyEnter;
    if (S.MySet == NoSet)
      break;
    const SetFacts F = factsOf(use(S, S.MySet));
    if (S.MySet != EmptySet &&
        pb_call_were_all_told(S.CallSince, S.CallTold, F.Since, F.Told))
      S.At = ExitEnter;
    break;
  }
  case ExitEnter: {
    const bool All = C.How == CallSet && factsOf(use(S, S.MySet)).HasExits;
    S.At = All ? TellAll : AnyEnter;
    break;
  }
  case TellAll:
    tellExits(S, use(S, S.MySet), false);
    S.At = UnmarkExit;
    break;
  case AnyEnter:
    S.At = C.How == CallOne ? OneSet : C.How == CallSet ? AnySet : UnmarkExit;
    break;
  case OneSet:
    Own = ownOf(S, C, IsCell);
    S.At = UnmarkExit;
    if (!IsCell && !Own)
      break;
    if (!keeps(AskNumber) || wasTold(S, IsCell ? C.Since : memberSince(*Own)))
      S.At = OneExit;
    break;
  case OneExit:
    callExit(S, C.ExitOf, C.Number);
    S.At = UnmarkExit;
    break;
  case AnySet:
    tellExits(S, use(S, C.Set), true);
    S.At = UnmarkExit;
    break;
  case UnmarkExit:
    S.Inside = false;
    S.At = Done;
    break;
  default:
    abort();
  }
  if (S.At == Done)
    finish(S);
}

} // namespace

#endif // THREAD_H
