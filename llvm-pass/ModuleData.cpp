// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SitePrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace patchbay;

static std::string sectionName(StringRef Name) {
  return (Name + "." PATCHBAY_MODULE_SYMBOL).str();
}

/// Adds a private variable. A name could collide with a label in the module's
/// own assembly, so the variable has none.
GlobalVariable *ModuleData::addVariable(StringRef Section,
                                        Constant *Initializer,
                                        unsigned Alignment, bool IsConstant) {
  auto *G = new GlobalVariable(*M, Initializer->getType(), IsConstant,
                               GlobalValue::PrivateLinkage, Initializer);
  G->setSection(Section);
  G->setAlignment(Align(Alignment));
  G->setComdat(Group);
  return G;
}

/// Returns the program's declaration of that name, or adds a weak one.
GlobalValue *ModuleData::declare(StringRef Name, bool IsHidden) {
  if (GlobalValue *Known = M->getNamedValue(Name))
    return Known;
  auto *G = new GlobalVariable(*M, Type::getInt8Ty(M->getContext()), false,
                               GlobalValue::ExternalWeakLinkage, nullptr, Name);
  if (IsHidden) {
    G->setVisibility(GlobalValue::HiddenVisibility);
    G->setDSOLocal(true);
  }
  Declarations.push_back(G);
  return G;
}

static Constant *addressPlus(Constant *Address, uint64_t Offset) {
  LLVMContext &Context = Address->getContext();
  return ConstantExpr::getInBoundsGetElementPtr(
      Type::getInt8Ty(Context), Address,
      ConstantInt::get(Type::getInt64Ty(Context), Offset));
}

/// Returns the distance from the byte \p Offset of \p Base to \p Target.
static Constant *distance(Constant *Target, Constant *Base, uint64_t Offset) {
  Type *Int64 = Type::getInt64Ty(Base->getContext());
  return ConstantExpr::getSub(
      ConstantExpr::getPtrToInt(Target, Int64),
      ConstantExpr::getPtrToInt(addressPlus(Base, Offset), Int64));
}

/// Adds the links: on x86-64, the targets of the stubs. Until a runtime
/// registers the module, the target is the code after the stubs, which returns.
void ModuleData::addLinks(bool HasTrampolines) {
  static_assert(sizeof(patchbay_links) == PATCHBAY_X86_64_TRAMPOLINES_OFFSET &&
                    PATCHBAY_X86_64_TABLE_OFFSET ==
                        PATCHBAY_X86_64_TRAMPOLINES_OFFSET +
                            8 * PATCHBAY_X86_64_NR_STUBS,
                "the links are followed by the stubs' addresses and the table");
  LLVMContext &Context = M->getContext();
  auto *Pointer = PointerType::getUnqual(Context);
  SmallVector<Constant *> Words(sizeof(patchbay_links) / 8,
                                ConstantPointerNull::get(Pointer));
  if (Stubs)
    Words.append(PATCHBAY_X86_64_NR_STUBS,
                 addressPlus(Stubs, PATCHBAY_X86_64_NR_STUBS *
                                        PATCHBAY_X86_64_STUB_SIZE));
  if (HasTrampolines)
    Words.append(PATCHBAY_X86_64_TABLE_SIZE / 8,
                 ConstantPointerNull::get(Pointer));
  Links = addVariable(
      sectionName(".data.rel.ro"),
      ConstantArray::get(ArrayType::get(Pointer, Words.size()), Words), 8,
      /*IsConstant=*/false);
}

void ModuleData::addDescriptor(bool HasTrampolines) {
  LLVMContext &Context = M->getContext();
  Type *Int32 = Type::getInt32Ty(Context), *Int64 = Type::getInt64Ty(Context);
  auto *Ty = StructType::get(Context, {Int32, Int32, Int64, Int64, Int64, Int64,
                                       Int64, Int64, Int64});
  Descriptor = addVariable(sectionName(".rodata"), ConstantAggregateZero::get(Ty),
                           8, /*IsConstant=*/true);
  auto Distance = [&](Constant *Target, size_t Field) {
    return distance(Target, Descriptor, Field);
  };
  Constant *Zero = ConstantInt::get(Int64, 0);
  Descriptor->setInitializer(ConstantStruct::get(
      Ty, ConstantInt::get(Int32, PATCHBAY_ABI_VERSION),
      ConstantInt::get(Int32, sizeof(patchbay_module)),
      Distance(declare("__start_" PATCHBAY_SITES_SECTION),
               offsetof(patchbay_module, sites_start)),
      Distance(declare("__stop_" PATCHBAY_SITES_SECTION),
               offsetof(patchbay_module, sites_stop)),
      Distance(Links, offsetof(patchbay_module, links)),
      Distance(State, offsetof(patchbay_module, state)),
      Stubs ? Distance(Stubs, offsetof(patchbay_module, stubs)) : Zero, Zero,
      ConstantInt::get(Int64, HasTrampolines ? PATCHBAY_X86_64_LAYOUT : 0)));
  Alias = GlobalAlias::create(Ty, 0, GlobalValue::WeakAnyLinkage, "",
                              Descriptor, M);
  Declared = M->getNamedGlobal(PATCHBAY_MODULE_SYMBOL);
  if (Declared) {
    Alias->takeName(Declared);
    Declared->replaceAllUsesWith(Alias);
  } else {
    Alias->setName(PATCHBAY_MODULE_SYMBOL);
  }
  Alias->setVisibility(GlobalValue::HiddenVisibility);
  Alias->setDSOLocal(true);
}

/// Adds the note by which a runtime that is loaded later finds the module.
void ModuleData::addNote() {
  LLVMContext &Context = M->getContext();
  Type *Int32 = Type::getInt32Ty(Context);
  auto Word = [&](uint32_t N) { return ConstantInt::get(Int32, N); };
  std::string Owner(alignTo(sizeof(PATCHBAY_NOTE_NAME), 4), '\0');
  Owner.replace(0, sizeof(PATCHBAY_NOTE_NAME) - 1, PATCHBAY_NOTE_NAME);
  Constant *Fields[] = {Word(sizeof(PATCHBAY_NOTE_NAME)),
                        Word(sizeof(patchbay_module_note)),
                        Word(PATCHBAY_NOTE_MODULE),
                        ConstantDataArray::getString(Context, Owner, false),
                        Word(PATCHBAY_ABI_VERSION), Word(0)};
  Note = addVariable(PATCHBAY_MODULE_NOTE_SECTION,
                     ConstantStruct::getAnon(Fields), 4, /*IsConstant=*/true);
  const uint64_t Offset = 16 + Owner.size();
  Fields[5] = ConstantExpr::getTrunc(distance(Alias, Note, Offset), Int32);
  Note->setInitializer(ConstantStruct::getAnon(Fields));
}

/// Selects the CPU of \p New, which must run on every CPU that runs the
/// module's functions: the target's oldest CPU if all CPUs have the same ABI,
/// otherwise the CPU of the function with the fewest features. (With LTO,
/// LLVM's default for a new function lacks the features of the ABI.)
static void setProcessor(Function &New, StringRef Oldest) {
  if (!Oldest.empty()) {
    New.addFnAttr("target-cpu", Oldest);
    New.addFnAttr("target-features", "");
    return;
  }
  const Function *Model = nullptr;
  auto Features = [](const Function &F) {
    return F.getFnAttribute("target-features").getValueAsString();
  };
  for (const Function &F : *New.getParent())
    if (&F != &New && F.hasFnAttribute("target-features") &&
        (!Model || Features(F).size() < Features(*Model).size()))
      Model = &F;
  for (StringRef Name : {"target-cpu", "tune-cpu", "target-features"})
    if (Model && Model->hasFnAttribute(Name))
      New.addFnAttr(Model->getFnAttribute(Name));
}

/// Adds the constructor or the destructor, which passes the descriptor to the
/// runtime. The function calls the runtime through a weak reference or, if the
/// reference is null, through the links, which a late runtime sets.
///
/// The constructor sets `constructed` and then reads `offered`. A late runtime
/// sets `offered` and then reads `constructed`. All four accesses are
/// sequentially consistent, so at least one side sees the other's store and
/// registers the module.
Function *ModuleData::addCall(const SlotLayout &Layout, bool AtStart) {
  LLVMContext &Context = M->getContext();
  Type *Int8 = Type::getInt8Ty(Context), *Int32 = Type::getInt32Ty(Context),
       *Void = Type::getVoidTy(Context);
  auto *Pointer = PointerType::getUnqual(Context);
  StringRef Name = AtStart ? PATCHBAY_MODULE_REGISTER : PATCHBAY_MODULE_UNREGISTER;
  // Declare a variable: for a function, LLVM would look up the CPU.
  GlobalValue *Weak = declare(Name, /*IsHidden=*/false);

  Function *F = Function::createWithDefaultAttr(
      FunctionType::get(Void, false), GlobalValue::InternalLinkage,
      M->getDataLayout().getProgramAddressSpace(),
      Twine(PATCHBAY_MODULE_SYMBOL) + (AtStart ? "_ctor" : "_dtor"), M);
  setProcessor(*F, Layout.OldestProcessor);
  F->setSection(sectionName(".text.startup"));
  F->setAlignment(Align(16));
  F->setComdat(Group);
  F->setDoesNotThrow();
  auto Block = [&](const char *Name) { return BasicBlock::Create(Context, Name, F); };
  BasicBlock *Entry = Block(""), *Own = Block("own"), *Ask = Block("ask"),
             *Late = Block("late"), *Choice = Block("choice"),
             *Call = Block("call"), *Return = Block("return");

  IRBuilder<> B(Entry);
  B.CreateCondBr(B.CreateICmpEQ(Descriptor, Alias), Own, Return);

  B.SetInsertPoint(Own);
  const AtomicOrdering Order = AtomicOrdering::SequentiallyConsistent;
  auto *Store = B.CreateAlignedStore(
      ConstantInt::get(Int8, AtStart),
      addressPlus(State, offsetof(patchbay_state, constructed)), Align(1));
  Store->setAtomic(Order);
  // The destructor calls the runtime that has registered the module.
  if (AtStart)
    B.CreateCondBr(B.CreateIsNull(Weak), Ask, Choice);
  else
    B.CreateBr(Ask);

  B.SetInsertPoint(Ask);
  auto *Load = B.CreateAlignedLoad(
      Int8,
      addressPlus(State, AtStart ? offsetof(patchbay_state, offered)
                                 : offsetof(patchbay_state, late)),
      Align(1));
  Load->setAtomic(Order);
  B.CreateCondBr(B.CreateIsNotNull(Load), Late, Choice);

  B.SetInsertPoint(Late);
  Value *Address = B.CreateAlignedLoad(
      Pointer,
      addressPlus(Links, AtStart ? offsetof(patchbay_links, module_register)
                                 : offsetof(patchbay_links, module_unregister)),
      Align(8));
  B.CreateBr(Choice);

  B.SetInsertPoint(Choice);
  PHINode *Callee = B.CreatePHI(Pointer, 3);
  if (AtStart)
    Callee->addIncoming(Weak, Own);
  Callee->addIncoming(Weak, Ask);
  Callee->addIncoming(Address, Late);
  B.CreateCondBr(B.CreateIsNotNull(Callee), Call, Return);

  B.SetInsertPoint(Call);
  auto *CalleeType = FunctionType::get(AtStart ? Int32 : Void, {Pointer}, false);
  B.CreateCall(CalleeType, Callee, {Alias})->setTailCall();
  B.CreateBr(Return);

  B.SetInsertPoint(Return);
  B.CreateRetVoid();
  return F;
}

void ModuleData::add(Module &TheModule, const SlotLayout &Layout,
                     StringRef StubsName, bool HasTrampolines) {
  M = &TheModule;
  Declarations.clear();
  Group = M->getOrInsertComdat(PATCHBAY_MODULE_SYMBOL);
  Stubs = Layout.Code ? declare(StubsName) : nullptr;
  addLinks(HasTrampolines);
  auto *StateType = ArrayType::get(Type::getInt64Ty(M->getContext()),
                                   sizeof(patchbay_state) / 8);
  State = addVariable(sectionName(".bss"), ConstantAggregateZero::get(StateType),
                      8, /*IsConstant=*/false);
  addDescriptor(HasTrampolines);
  addNote();
  Constructor = addCall(Layout, /*AtStart=*/true);
  Destructor = addCall(Layout, /*AtStart=*/false);
}

bool ModuleData::contains(const Function &F) const {
  return &F == Constructor || &F == Destructor;
}

/// Adds the functions to .init_array and .fini_array. With priority 1 the
/// constructor runs first and the destructor last, so that the program's own
/// constructors and destructors can be traced.
void ModuleData::use() {
  appendToGlobalCtors(*M, Constructor, 1, Alias);
  appendToGlobalDtors(*M, Destructor, 1, Alias);
}

void ModuleData::drop() {
  if (!Alias)
    return;
  if (Declared)
    Declared->takeName(Alias);
  Alias->replaceAllUsesWith(Declared ? Declared : Descriptor);
  Alias->eraseFromParent();
  Alias = nullptr;
  for (GlobalObject *G : std::initializer_list<GlobalObject *>{
           Descriptor, Links, State, Note, Constructor, Destructor}) {
    G->setComdat(nullptr);
    G->setLinkage(GlobalValue::AvailableExternallyLinkage);
  }
  // LLVM prints directives for declarations even if nothing refers to them.
  for (GlobalObject *G : Declarations) {
    G->setVisibility(GlobalValue::DefaultVisibility);
    G->setLinkage(GlobalValue::ExternalLinkage);
  }
}
