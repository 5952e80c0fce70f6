/* SPDX-License-Identifier: (Apache-2.0 WITH LLVM-exception) OR GPL-2.0 */
/*
 * The Patchbay ABI: the contract between compiler, linker, runtime and kernel.
 *
 * Only this header defines numbers that compiler, linker, runtime or kernel share.
 * It compiles alone as C11, C++17 and assembler (which does not see the
 * structures), on any host, for any target.
 *
 * Overview
 * --------
 * An instrumented function looks like this (user mode):
 *
 *	entry-16   8 bytes   slot    8-byte aligned; 0 until the runtime fills it
 *	entry- 8   4 bytes   pad     return instruction(s) of the target
 *	entry- 4   4 bytes   hash    kCFI type id if the function has one, else pad
 *	entry                [landing pad] site, body
 *
 * x86-64 with kCFI differs in one byte: callers check `hash` as the immediate
 * of a 5-byte `mov`, so entry-5 has the opcode of the mov, and the pad is 3 bytes.
 *
 * The slot is before the hash. So a function's hash has the same distance from
 * its entry with or without a slot, and callers check it the same way.
 *
 * A *site* is the patchable instruction at the entry (after its landing pad,
 * endbr64 or bti, if it has one). A *record* in section patchbay_sites
 * describes each site. A *note* per object file has the ABI version. A *module
 * descriptor*, one per linked module (executable or shared object), points the
 * runtime to the module's records. A runtime that is loaded later finds the
 * descriptor by a loaded note.
 *
 * This file is the reference; runtime/ABI.md draws it for each architecture.
 */
#ifndef PATCHBAY_ABI_H
#define PATCHBAY_ABI_H

/*
 * Version of everything below. The linker refuses objects of different
 * versions in one link, the runtime refuses modules of another version. To report
 * which version was found, all versions share:
 *
 * - the note of object files: its section, owner, type and first word;
 * - the first word of the module descriptor and of the loaded note, and the
 *   pointer from the loaded note to the descriptor.
 *
 * 1   the first version
 * 2   x86-64: stubs, and immediates of sites that refer to them. On all
 *     architectures the loaded note, and links, state, stubs and flags in the
 *     descriptor
 */
#define PATCHBAY_ABI_VERSION 2

/*
 * Function prefix
 *
 * Offsets from the entry, in bytes. The prefix is PATCHBAY_PREFIX_SIZE bytes
 * directly before the entry. Alignment padding, if any, comes before it.
 */
#define PATCHBAY_SLOT_OFFSET (-16)
#define PATCHBAY_SLOT_SIZE 8
#define PATCHBAY_PAD_OFFSET (-8)
#define PATCHBAY_HASH_OFFSET (-4)
#define PATCHBAY_HASH_SIZE 4
#define PATCHBAY_PREFIX_SIZE 16

/*
 * Functions of -fsanitize=function have two other words instead of pad and hash:
 * this magic, then a type hash that only the sanitizer reads. Their pad is the
 * PATCHBAY_SLOT_SIZE bytes before the slot.
 */
#define PATCHBAY_FUNCTION_SANITIZER_MAGIC 0xc105cafe
#define PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET (-24)

/*
 * Architectures
 *
 * X(id, triple, llvm, linux, e_machine, pad): one row per architecture with a
 * defined prefix. `triple`, `llvm` and `linux` are the spellings of the runtime,
 * of the pass and the linker, and of the kernel. `pad` is the 4-byte little
 * endian word of return instructions, and also the magic number that proves that
 * there is a slot.
 */
#define PATCHBAY_ARCH_TABLE(X)                                                 \
	X(X86_64, x86_64, X86, x86, 62, 0xc3c3c3c3)            /* ret x 4 */   \
	X(AARCH64, aarch64, AArch64, arm64, 183, 0xd65f03c0)   /* ret */       \
	X(PPC64LE, powerpc64le, PowerPC, powerpc, 21, 0x4e800020) /* blr */    \
	X(RISCV64, riscv64, RISCV, riscv, 243, 0x00008067)     /* ret */

/*
 * x86-64: hash, site and stubs
 *
 *	disarmed   a9 rel32   test $rel32,%eax  72 rel8   jb   pad (never taken:
 *	                                                       test clears CF)
 *	armed      e8 rel32   call stub         72 rel8   jb   pad (taken if the
 *	                                                       trampoline set CF)
 *
 * The first byte is the state. The compiler sets the other four bytes to the
 * displacement of a call of a stub, and they never change: as an immediate of
 * `test` they only affect flags, which are free at an entry. With
 * -patchbay-zero-sites these bytes are 0, and the runtime fills them in before it
 * first arms the site. (Readers also accept e9, a jmp, which no version writes.)
 *
 * Each module has PATCHBAY_X86_64_NR_STUBS stubs, one for each trampoline of the
 * runtime, in the order of patchbay_x86_64_stub():
 *
 *	+0   ff 25 rel32        jmp *trampoline(%rip)    after struct patchbay_links
 *	+6   cc ...
 *
 * Only direct calls reach a stub, so it needs no landing pad. Older compilers put an endbr64
 * before the jmp, PATCHBAY_X86_64_STUB_ENDBR64; tracing works with either.
 *
 * In a module that no runtime has registered, the stubs jump to endbr64; clc;
 * ret, after the last stub. Unwind tables cover the stubs and these
 * instructions: the return address is on top of the stack, as at any function's
 * entry.
 *
 * The module's own trampolines follow, one for each stub. A runtime uses them if it is
 * loaded so far away that branches to its own trampolines are slower. Each has two
 * entries:
 *
 *	+0   endbr64; clc; ret   the closed entry: the function runs untraced
 *	+16  the trampoline      the open entry; unwind tables describe each instruction
 *
 * The trampolines need addresses and the layout of the runtime's structures. The
 * addresses are in a table after the addresses that the stubs jump to. The table is 0
 * until a runtime fills it in:
 *
 *	+0   offset from %fs:0 of the word that points to the thread's marks
 *	+8   the function to call for a thread that is in a handler
 *	+16  the personality of calls of a body, for unwind tables
 *	+24  the runtime's slow paths at an exit: if other tracers were armed, for a
 *	     thread that is in a handler, and for an exception that passes through; for
 *	     sites without a landing pad, then for those with one
 *
 * The layout of cells, sets and threads is in the trampolines' instructions, and may
 * change within an ABI version: the descriptor has its number, PATCHBAY_X86_64_LAYOUT. A
 * runtime whose own layout has another number directs the stubs to its own trampolines. So
 * increment the number if you change the code of a trampoline or its knowledge of
 * structures. The runtime and the pass share the source (core/arch/x86_64/own.h).
 */
#define PATCHBAY_X86_64_MOV_EAX_IMM32 0xb8 /* at entry-5 if there is a hash */
#define PATCHBAY_X86_64_MOV_REGISTERS 0x07 /* bits of the opcode that kcfi-arity sets */
#define PATCHBAY_X86_64_MOV_OFFSET (-5)
#define PATCHBAY_X86_64_RET 0xc3
#define PATCHBAY_X86_64_SITE_DISARMED 0xa9
#define PATCHBAY_X86_64_SITE_CALL 0xe8
#define PATCHBAY_X86_64_SITE_JMP 0xe9
#define PATCHBAY_X86_64_SITE_JB 0x72
#define PATCHBAY_X86_64_TRAP 0xcc /* between stubs, never executed */
#define PATCHBAY_X86_64_SITE_BRANCH_SIZE 5 /* opcode and imm32 */
#define PATCHBAY_X86_64_SITE_SIZE 7        /* with the jb */
#define PATCHBAY_X86_64_ENDBR64 0xfa1e0ff3 /* f3 0f 1e fa, before the site */
#define PATCHBAY_X86_64_ENDBR64_SIZE 4
#define PATCHBAY_X86_64_STUBS_SYMBOL "__patchbay_stubs_2" /* 2: the version */
#define PATCHBAY_X86_64_NR_STUBS 6
#define PATCHBAY_X86_64_STUB_SIZE 16
#define PATCHBAY_X86_64_STUB_ENDBR64 4 /* bytes before the jmp of older stubs */
#define PATCHBAY_X86_64_TRAMPOLINES_OFFSET 16 /* in struct patchbay_links */
#define PATCHBAY_X86_64_STUB_JMP 0x25ff /* ff 25, then rel32 */
#define PATCHBAY_X86_64_OWN_OFFSET 128 /* from the first stub to the trampolines */
#define PATCHBAY_X86_64_OWN_SIZE 320 /* each */
#define PATCHBAY_X86_64_OWN_OPEN 16
#define PATCHBAY_X86_64_TABLE_OFFSET 64 /* in struct patchbay_links */
#define PATCHBAY_X86_64_TABLE_THREAD 0
#define PATCHBAY_X86_64_TABLE_SLOWLY 8
#define PATCHBAY_X86_64_TABLE_PERSONALITY 16
#define PATCHBAY_X86_64_TABLE_RARE 24
#define PATCHBAY_X86_64_NR_RARE 6
#define PATCHBAY_X86_64_TABLE_SIZE 72
#define PATCHBAY_X86_64_LAYOUT 8

/*
 * AArch64: site
 *
 *	disarmed   aa1e03e9   mov x9, x30      d503201f   nop
 *	armed      aa1e03e9   mov x9, x30      94xxxxxx   bl trampoline
 *	armed      aa1e03e9   mov x9, x30      14xxxxxx   b to this site's own
 *	                                                  sequence
 *
 * The state is the second word. The architecture allows replacing a NOP, a BL
 * and a B by each other while other cores execute them. A record's site is the
 * first word. There x9 is free and x30 is the return address as the caller left
 * it. This also holds for functions that sign x30: the site precedes their paciasp.
 * Because paciasp is a landing pad, a function that is built for BTI has its
 * own bti c before the site.
 */
#define PATCHBAY_AARCH64_SITE_MOV 0xaa1e03e9
#define PATCHBAY_AARCH64_SITE_NOP 0xd503201f
#define PATCHBAY_AARCH64_SITE_BL 0x94000000 /* | imm26, words */
#define PATCHBAY_AARCH64_SITE_B 0x14000000  /* | imm26, words */
#define PATCHBAY_AARCH64_SITE_BRANCH_OFFSET 4
#define PATCHBAY_AARCH64_SITE_SIZE 8
#define PATCHBAY_AARCH64_BTI_C 0xd503245f  /* before the site */
#define PATCHBAY_AARCH64_BTI_JC 0xd50324df /* the same, if jumps also land here */
#define PATCHBAY_AARCH64_BTI_SIZE 4

/*
 * ppc64le: site
 *
 *	disarmed   60000000   nop
 *	armed      48xxxxxx   b to this site's own sequence
 *
 * The word is the state. The architecture allows replacing a NOP and a B by each
 * other while other CPUs execute them. At the site r0, r12 and CTR are free, and
 * LR is the return address as the caller left it. The entry is the global entry
 * point. The site is at the local entry point, after the two instructions that
 * set up the TOC pointer if there are any.
 */
#define PATCHBAY_PPC64LE_SITE_NOP 0x60000000
#define PATCHBAY_PPC64LE_SITE_B 0x48000000 /* | displacement & 0x03fffffc */
#define PATCHBAY_PPC64LE_SITE_SIZE 4
#define PATCHBAY_PPC64LE_GLOBAL_ENTRY_SIZE 8 /* addis r2,r12; addi r2,r2 */

/*
 * riscv64: site
 *
 *	disarmed   00000013   nop               00000013   nop
 *	armed      xxxxx297   auipc t0, hi20    xxx282e7   jalr t0, lo12(t0)
 *
 * The words are never compressed, and each is aligned. At the entry t0 is free, so
 * the first word may change at any time while the second is a nop. The state is the
 * second word. A disarmed site keeps its auipc. The runtime makes the target of the
 * call (core/arch/riscv64/insn.h).
 */
#define PATCHBAY_RISCV64_SITE_NOP 0x00000013
#define PATCHBAY_RISCV64_SITE_AUIPC 0x00000297 /* | hi20 */
#define PATCHBAY_RISCV64_SITE_JALR 0x000282e7  /* | lo12 << 20 */
#define PATCHBAY_RISCV64_SITE_BRANCH_OFFSET 4
#define PATCHBAY_RISCV64_SITE_SIZE 8
#define PATCHBAY_RISCV64_LPAD 0x00000017 /* | label << 12, before the site */
#define PATCHBAY_RISCV64_LPAD_SIZE 4

/*
 * Sections
 *
 * PATCHBAY_SITES_SECTION has SHF_ALLOC | SHF_LINK_ORDER: linkers keep or drop a
 * record with its function. Its name is a C identifier, so that linkers define
 * __start_patchbay_sites and __stop_patchbay_sites.
 */
#define PATCHBAY_SITES_SECTION "patchbay_sites"
#define PATCHBAY_NOTE_SECTION ".note.patchbay"

#define PATCHBAY_MODULE_SYMBOL "__patchbay_module"
#define PATCHBAY_MODULE_REGISTER "patchbay_module_register"
#define PATCHBAY_MODULE_UNREGISTER "patchbay_module_unregister"

/*
 * Note: an ELF note of owner PATCHBAY_NOTE_NAME and type PATCHBAY_NOTE_ABI,
 * one per object file. Its descriptor is struct patchbay_note.
 */
#define PATCHBAY_NOTE_NAME "Patchbay"
#define PATCHBAY_NOTE_ABI 1
#define PATCHBAY_MODE_USER 1   /* the pass emits slot, site and record */
#define PATCHBAY_MODE_KERNEL 2 /* the pass emits the slot, LLVM the NOPs at the entry */

/*
 * The note of an object file whose bitcode was made with the plugin, but whose code
 * was generated without it, for example by another linker. So the file lacks slots.
 * The note's owner is PATCHBAY_NOTE_NAME, its type PATCHBAY_NOTE_BITCODE, its
 * descriptor struct patchbay_bitcode_note. A file has one such note, which is loaded,
 * for each source file. The linker and the command warn about the note.
 */
#define PATCHBAY_NOTE_BITCODE 5
#define PATCHBAY_BITCODE_NOTE_SECTION ".note.patchbay.bitcode"
/* A flag: -patchbay-require was given, so linking the file is an error. */
#define PATCHBAY_BITCODE_REQUIRED 1

/*
 * `patchbay list --live` finds libpatchbay in a running process by this note. The note's
 * content is private to command and library; its first word is a version.
 */
#define PATCHBAY_NOTE_RUNTIME 3

/*
 * `patchbay live` finds the process's socket by this note of libpatchbay-trace. The
 * note's content is also private.
 */
#define PATCHBAY_NOTE_CONTROL 4

/*
 * A runtime that is loaded later than a module finds the module by this note, which is
 * in the module's COMDAT group, and loaded. The note's owner is PATCHBAY_NOTE_NAME, its
 * descriptor struct patchbay_module_note.
 */
#define PATCHBAY_NOTE_MODULE 6
#define PATCHBAY_MODULE_NOTE_SECTION ".note.patchbay.module"

/*
 * Record flags: each bit is a promise about the lowered function.
 */
#define PATCHBAY_RECORD_VARIADIC 0x01 /* has `...`; counts are of named arguments */
#define PATCHBAY_RECORD_SRET 0x02     /* returns through a hidden pointer */
#define PATCHBAY_RECORD_NORETURN 0x04 /* declared never to return */
#define PATCHBAY_RECORD_MUSTTAIL 0x08 /* leaves through a guaranteed tail call */
#define PATCHBAY_RECORD_RETURN_MASK 0x30
#define PATCHBAY_RECORD_RETURN_VOID 0x00
#define PATCHBAY_RECORD_RETURN_GP 0x10    /* integer registers only */
#define PATCHBAY_RECORD_RETURN_FP 0x20    /* floating-point registers only */
#define PATCHBAY_RECORD_RETURN_OTHER 0x30 /* both, x87, vectors, memory */
#define PATCHBAY_RECORD_UNKNOWN_ARGS 0x40 /* the counts are unreliable, or
                                             results are in more registers than
                                             tracers of exits keep */
#define PATCHBAY_RECORD_RESERVED 0x80     /* zero */
#define PATCHBAY_RECORD_COUNT_MAX 255     /* a count that does not fit is
                                             UNKNOWN_ARGS and this value */
#define PATCHBAY_RECORD_STACK_ALIGN_MAX 64 /* a larger alignment of an argument
                                             on the stack is also UNKNOWN_ARGS */

#define PATCHBAY_RECORD_SIZE 16

/*
 * Static calls: PATCHBAY_SCK_PREFIX "name" is the key, a data object that the
 * program defines. PATCHBAY_SCT_PREFIX "name" is the tramp (trampoline), code that
 * the linker makes in each link unit with such calls. These are the kernel's names
 * (include/linux/static_call_types.h).
 *
 * A key that another link unit defines is imported: the unit's tramp finds it
 * through a pointer that the dynamic linker fills in (its GOT entry).
 *
 * All tramps have a direct form, which branches to the target, and an indirect
 * form, which falls through to a jump through the key's func. The runtime may
 * change the form at any time. Two targets are part of the tramp: RETURN0 returns
 * 0, and RETURN, after it, only returns. The tramp branches there directly if func
 * is the function of that name.
 */
#define PATCHBAY_SCK_PREFIX "__SCK__"
#define PATCHBAY_SCT_PREFIX "__SCT__"
#define PATCHBAY_STATIC_CALL_RETURN0 "__static_call_return0"
#define PATCHBAY_STATIC_CALL_RETURN "__static_call_nop"

/*
 * x86-64 tramp, 24 bytes, 8-byte aligned:
 *
 *	+0   e9 rel32      jmp target          direct form
 *	     a9 imm32      test $imm,%eax      indirect form: falls through
 *	+5   ff 25 rel32     jmp *key.func(%rip)
 *	+11  cc ...
 *   or, if the key is imported,
 *	+5   4c 8b 1d rel32  mov key@GOTPCREL(%rip),%r11
 *	+12  41 ff 23        jmp *(%r11)
 *	+15  cc
 *   then
 *	+16  31 c0         xor %eax,%eax       RETURN0
 *	+18  c3            ret                 RETURN
 *	+19  e3 fe         jrcxz .             for BOLT: do not move this function
 *	+21  cc ...
 *
 * As in a site, only the first byte selects the form, and in the indirect form
 * the immediate is data. So the runtime can replace a target without tearing an
 * instruction: key.func = new; e9 -> a9; write imm; a9 -> e9. A target out of
 * rel32's reach stays in the indirect form. That form keeps all registers except
 * the flags and, with an imported key, r11.
 */
#define PATCHBAY_X86_64_TRAMP_SIZE 24
#define PATCHBAY_X86_64_TRAMP_ALIGN 8
#define PATCHBAY_X86_64_TRAMP_DIRECT 0xe9
#define PATCHBAY_X86_64_TRAMP_INDIRECT 0xa9
#define PATCHBAY_X86_64_TRAMP_JMP_OFFSET 5
#define PATCHBAY_X86_64_TRAMP_RETURN0_OFFSET 16
#define PATCHBAY_X86_64_TRAMP_RETURN_OFFSET 18

/*
 * AArch64 tramp, 32 bytes, 8-byte aligned:
 *
 *	+0   bti  c
 *	+4   b    target   direct form
 *	     nop           indirect form
 *	+8   adrp x16, key.func
 *	+12  ldr  x16, [x16, :lo12:key.func]
 *	+16  br   x16
 *	+20  brk  #0
 *   or, if the key is imported,
 *	+8   adrp x16, :got:key
 *	+12  ldr  x16, [x16, :got_lo12:key]
 *	+16  ldr  x16, [x16]
 *	+20  br   x16
 *   then
 *	+24  mov  x0, xzr  RETURN0
 *	+28  ret           RETURN
 *
 * The word at +4 selects the form. It is always B or NOP, and the architecture allows
 * replacing one by the other while threads execute the word.
 */
#define PATCHBAY_AARCH64_TRAMP_SIZE 32
#define PATCHBAY_AARCH64_TRAMP_ALIGN 8
#define PATCHBAY_AARCH64_TRAMP_BRANCH_OFFSET 4
#define PATCHBAY_AARCH64_TRAMP_INDIRECT_OFFSET 8
#define PATCHBAY_AARCH64_TRAMP_RETURN0_OFFSET 24
#define PATCHBAY_AARCH64_TRAMP_RETURN_OFFSET 28

/*
 * ppc64le ELFv2 tramp, 48 bytes, 64-byte aligned if it has the second part:
 *
 *	+0   std   r2,24(r1)      callers have ld r2,24(r1) after their bl
 *	+4   b     target         direct form: to its local entry point
 *	     nop                  indirect form
 *	     b     +28            near form
 *	+8   addis r12,r2,key.func@toc@ha
 *	+12  ld    r12,key.func@toc@l(r12)
 *	+16  mtctr r12
 *	+20  bctr
 *	+24  trap
 *   or, if the key is imported,
 *	+8   addis r12,r2,key@got@ha
 *	+12  ld    r12,key@got@l(r12)
 *	+16  ld    r12,0(r12)
 *	+20  mtctr r12
 *	+24  bctr
 *   then
 *	+28  addis r2,r2,0        the runtime fills in the distance of the TOCs
 *	+32  addi  r2,r2,0        and the target: a function in reach of b, with
 *	+36  b     .              another TOC than the caller's
 *	+40  li    r3,0           RETURN0
 *	+44  blr                  RETURN
 *
 * With PATCHBAY_STATIC_CALL_SAME_TOC the symbol is at +4: nothing saves r2, no
 * caller restores it, and all targets must be in the tramp's link unit.
 *
 * The second part, 36 bytes more, exists if there are callers without a TOC
 * pointer (R_PPC64_REL24_NOTOC; such code only runs on POWER10):
 *
 *	+48  b     target         direct form, if the target needs no TOC pointer
 *	     b     +72            direct form, if it needs this unit's
 *	     nop                  indirect form
 *	+52  pld   r12,key.func@pcrel
 *	+60  mtctr r12
 *	+64  bctr
 *	+68  trap
 *   or, if the key is imported,
 *	+52  pld   r12,key@got@pcrel
 *	+60  ld    r12,0(r12)
 *	+64  mtctr r12
 *	+68  bctr
 *   then
 *	+72  paddi r2,0,.TOC.@pcrel,1
 *	+80  b     target         to its local entry point
 *
 * Every word that changes while threads run is B or NOP before and after: both are
 * in Power's patch class.
 */
#define PATCHBAY_PPC64_TRAMP_SIZE 48
#define PATCHBAY_PPC64_TRAMP_ALIGN 8
#define PATCHBAY_PPC64_TRAMP_SAVE_OFFSET 0
#define PATCHBAY_PPC64_TRAMP_BRANCH_OFFSET 4
#define PATCHBAY_PPC64_TRAMP_INDIRECT_OFFSET 8
#define PATCHBAY_PPC64_TRAMP_NEAR_OFFSET 28
#define PATCHBAY_PPC64_TRAMP_RETURN0_OFFSET 40
#define PATCHBAY_PPC64_TRAMP_RETURN_OFFSET 44
#define PATCHBAY_PPC64_NOTOC_TRAMP_SIZE 84
#define PATCHBAY_PPC64_NOTOC_TRAMP_ALIGN 64
#define PATCHBAY_PPC64_NOTOC_BRANCH_OFFSET 48
#define PATCHBAY_PPC64_NOTOC_INDIRECT_OFFSET 52
#define PATCHBAY_PPC64_NOTOC_SET_TOC_OFFSET 72

/*
 * The linker's description of a link unit with static calls, for the runtime: a
 * note of type PATCHBAY_NOTE_STATIC_CALLS, which is loaded (PT_NOTE). Its
 * descriptor is struct patchbay_static_calls, which points to two tables:
 *
 * - the unit's tramps, struct static_call_tramp_key, sorted by the tramp;
 * - every branch to these tramps, struct static_call_site, in the kernel's format,
 *   sorted by key, then by address.
 *
 * All offsets are relative to the field that holds them. After the field's address
 * is added, the low bits of the key's offset are flags.
 */
#define PATCHBAY_NOTE_STATIC_CALLS 2
#define PATCHBAY_STATIC_CALL_NOTE_SECTION ".note.patchbay.static_calls"
#define PATCHBAY_STATIC_CALL_TRAMP_SECTION ".static_call_tramp_key"
#define PATCHBAY_STATIC_CALL_SITE_SECTION ".static_call_sites"
#define PATCHBAY_STATIC_CALL_TEXT_SECTION ".static_call.text"

#define PATCHBAY_STATIC_CALL_FLAGS 7
/* In both tables: the offset points to a pointer to the key. */
#define PATCHBAY_STATIC_CALL_IMPORTED 4
/* For sites: the branch is a jump, not a call. The kernel's bit. */
#define PATCHBAY_STATIC_CALL_TAIL 1
/* For tramps on ppc64le: see the drawing above. */
#define PATCHBAY_STATIC_CALL_SAME_TOC 1
#define PATCHBAY_STATIC_CALL_NOTOC 2

#ifndef __ASSEMBLER__

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#define PATCHBAY_STATIC_ASSERT(cond) static_assert(cond, #cond)
#else
#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stddef.h>
#include <linux/build_bug.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif
#define PATCHBAY_STATIC_ASSERT(cond) _Static_assert(cond, #cond)
#endif

/*
 * struct patchbay_record - one site; read-only, no dynamic relocation
 * @entry:           entry of the function, relative to this field's address
 * @site:            the patchable instruction, relative to this field's address
 * @signature:       the kCFI type id as callers check it, 0 if there is none
 * @gp_args:         number of integer registers up to the last that holds an
 *                   argument, including the sret pointer (AArch64: x0 to x7; the
 *                   sret pointer is in x8 and not counted). On ppc64le each preceding
 *                   floating-point argument skips a register
 * @fp_args:         arguments in floating-point registers or, where these are
 *                   the same, in vector registers (elsewhere: UNKNOWN_ARGS)
 * @stack_arg_words: 8-byte words of arguments on the caller's stack; ppc64le:
 *                   of the parameter save area, after its first eight, whose
 *                   arguments are in registers
 * @flags:           PATCHBAY_RECORD_*
 */
struct patchbay_record {
	int32_t entry;
	int32_t site;
	uint32_t signature;
	uint8_t gp_args;
	uint8_t fp_args;
	uint8_t stack_arg_words;
	uint8_t flags;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_record) == PATCHBAY_RECORD_SIZE);
PATCHBAY_STATIC_ASSERT(offsetof(struct patchbay_record, site) == 4);
PATCHBAY_STATIC_ASSERT(offsetof(struct patchbay_record, signature) == 8);
PATCHBAY_STATIC_ASSERT(offsetof(struct patchbay_record, flags) == 15);

/*
 * struct patchbay_note - descriptor of the note
 * @abi_version: PATCHBAY_ABI_VERSION
 * @mode:        PATCHBAY_MODE_*
 */
struct patchbay_note {
	uint32_t abi_version;
	uint32_t mode;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_note) == 8);

/*
 * struct patchbay_bitcode_note - descriptor of the note of bitcode
 * @flags: PATCHBAY_BITCODE_*
 *
 * The name of the source file follows, as on the command line, and a NUL.
 */
struct patchbay_bitcode_note {
	uint32_t flags;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_bitcode_note) == 4);

/*
 * x86-64: the number of the stub for a function's site. The number encodes the integer
 * argument registers that the trampoline keeps: the first two, the first four, or
 * all and al. The number is 1 higher if the site is @behind_endbr64.
 */
static inline unsigned int
patchbay_x86_64_stub(const struct patchbay_record *record, int behind_endbr64)
{
	unsigned int registers = record->gp_args > 4 ? 2 :
				 record->gp_args > 2 ? 1 :
						       0;

	if (record->flags &
	    (PATCHBAY_RECORD_VARIADIC | PATCHBAY_RECORD_UNKNOWN_ARGS))
		registers = 2;
	return 2 * registers + (behind_endbr64 ? 1 : 0);
}

/*
 * struct patchbay_module - the module descriptor, read-only, user mode
 * @abi_version: PATCHBAY_ABI_VERSION
 * @size:        sizeof(struct patchbay_module) of the compiler. Later compilers
 *               append fields that a runtime may ignore
 * @sites_start: first record, relative to this field's address
 * @sites_stop:  end of the last record, relative to this field's address
 * @links:       struct patchbay_links, likewise
 * @state:       struct patchbay_state, likewise
 * @stubs:       x86-64: the first stub, likewise; 0 elsewhere
 * @flags:       features that a runtime must know to use the module; a runtime
 *               refuses unknown bits. None so far
 * @trampolines: x86-64: the layout of the module's own trampolines, which follow
 *               its stubs (PATCHBAY_X86_64_LAYOUT); 0: there are none. A descriptor
 *               of PATCHBAY_MODULE_SIZE_MIN bytes lacks this field: there are none
 *
 * The pass emits the descriptor with a constructor and a destructor, all in one
 * COMDAT group, into every object file that has a site. So a linked module has one
 * descriptor. The two functions pass it to PATCHBAY_MODULE_REGISTER and
 * PATCHBAY_MODULE_UNREGISTER by weak references: without a runtime a program runs
 * unchanged. The fields are 64 bits wide, because __start_patchbay_sites may be an
 * undefined weak symbol (every record discarded), which is 0 and may be farther away
 * than 32 bits reach. Then both addresses are equal.
 */
struct patchbay_module {
	uint32_t abi_version;
	uint32_t size;
	int64_t sites_start;
	int64_t sites_stop;
	int64_t links;
	int64_t state;
	int64_t stubs;
	uint64_t flags;
	uint64_t trampolines;
};

#define PATCHBAY_MODULE_SIZE_MIN 56

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_module) == 64);
PATCHBAY_STATIC_ASSERT(offsetof(struct patchbay_module, trampolines) ==
		       PATCHBAY_MODULE_SIZE_MIN);

/*
 * struct patchbay_links - addresses in the runtime that a module uses
 * @module_register:   0; or the constructor calls it if its weak reference was not
 *                     resolved and @offered of the state is 1
 * @module_unregister: 0; or the destructor calls it if @late of the state is 1
 *
 * On x86-64 the addresses of PATCHBAY_X86_64_NR_STUBS trampolines follow, to which
 * the stubs jump, and, if the module has trampolines, their table.
 *
 * The dynamic loader makes the links read-only after it has relocated the module
 * (RELRO), because they point to code. The runtime writes links as it writes text.
 * While a thread may read a field, at most one byte of the field changes.
 */
struct patchbay_links {
	uint64_t module_register;
	uint64_t module_unregister;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_links) ==
		       PATCHBAY_X86_64_TRAMPOLINES_OFFSET);

/*
 * struct patchbay_state - the state of a module, in writable memory
 * @owner:       the runtime that has registered the module, or 0. A runtime takes
 *               a module by compare and swap, so that only one of two runtimes gets
 *               it. The value is private to the runtime
 * @constructed: 1 from the module's constructor until its destructor. A runtime that is
 *               loaded earlier leaves registration to the constructor
 * @late:        1 if the weak references are not resolved to the owner: the
 *               destructor calls links.module_unregister. The owner fills in this
 *               link first and then stores @late with release semantics
 * @offered:     1 if links.module_register is filled in. A runtime stores @offered
 *               and then loads @constructed; a constructor stores @constructed and
 *               then loads @offered. Both have a full barrier in between, so at
 *               least one sees the other's store
 */
struct patchbay_state {
	uint64_t owner;
	uint8_t constructed;
	uint8_t late;
	uint8_t offered;
	uint8_t reserved[5];
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_state) == 16);

/*
 * struct patchbay_module_note - descriptor of the loaded note
 * @abi_version: PATCHBAY_ABI_VERSION
 * @module:      struct patchbay_module, relative to this field's address
 */
struct patchbay_module_note {
	uint32_t abi_version;
	int32_t module;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_module_note) == 8);

/*
 * struct static_call_key - the type of __SCK__name
 * @func:  the target; the linker reads the initial target from its relocation
 * @tramp: __SCT__name of the link unit that defines the key
 * @type:  the kCFI type hash of targets, or 0 if they are not checked
 *
 * The kernel has its own structures of these names.
 */
#ifndef __KERNEL__
struct static_call_key {
	void *func;
	void *tramp;
	uint64_t type;
};

PATCHBAY_STATIC_ASSERT(offsetof(struct static_call_key, func) == 0);

/* struct static_call_tramp_key - a tramp of a link unit and its key */
struct static_call_tramp_key {
	int32_t tramp;
	int32_t key;
};

/* struct static_call_site - a branch to a tramp, and the tramp's key */
struct static_call_site {
	int32_t addr;
	int32_t key;
};
#endif

/*
 * struct patchbay_static_calls - the static calls of a link unit
 * @abi_version: PATCHBAY_ABI_VERSION
 * @tramps:      offset of the unit's tramps from this field
 * @nr_tramps:   number of tramps
 * @sites:       offset of the branches to these tramps from this field
 * @nr_sites:    number of branches
 * @toc:         ppc64le: offset of .TOC. from this field
 */
struct patchbay_static_calls {
	uint32_t abi_version;
	int32_t tramps;
	uint32_t nr_tramps;
	int32_t sites;
	uint32_t nr_sites;
	int32_t toc;
};

#endif /* __ASSEMBLER__ */

#endif /* PATCHBAY_ABI_H */
