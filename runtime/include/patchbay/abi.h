/* SPDX-License-Identifier: (Apache-2.0 WITH LLVM-exception) OR GPL-2.0 */
/*
 * The Patchbay ABI: what compiler, linker, runtime and kernel agree on.
 *
 * Every number that two of the products share is stated here and nowhere else.
 * The header compiles alone as C11, C++17 and assembler (only the structures
 * are hidden from the assembler), on any host, for any target.
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
 * of a 5-byte `mov`, so entry-5 holds its opcode and the pad is 3 bytes.
 *
 * The slot lies outside the hash, so a function's hash is at the same distance
 * from its entry with or without a slot, and callers check both alike.
 *
 * A *site* is the patchable instruction behind the entry (behind its landing
 * pad, endbr64 or bti, if it has one). A *record* in section patchbay_sites
 * describes each site. A *note* per object file carries the ABI version. A
 * *module descriptor*, one per linked module (executable or shared object),
 * leads the runtime to the module's records, and a loaded note leads a runtime
 * that comes later to the descriptor.
 *
 * This file is the reference; runtime/ABI.md draws it for each architecture.
 */
#ifndef PATCHBAY_ABI_H
#define PATCHBAY_ABI_H

/*
 * Version of everything below. The linker refuses objects of different
 * versions in one link, the runtime refuses modules of another version. What
 * every version has in common, so that each can name the others:
 *
 * - the note of object files: its section, owner, type and first word;
 * - the first word of the module descriptor and of the loaded note, and how the
 *   latter leads to the former.
 *
 * 1   the first one
 * 2   x86-64: stubs, to which the sites' immediates lead. On all architectures
 *     the loaded note, and links, state, stubs and flags in the descriptor
 */
#define PATCHBAY_ABI_VERSION 2

/*
 * Function prefix
 *
 * Offsets from the entry, in bytes. The prefix is PATCHBAY_PREFIX_SIZE bytes
 * directly before the entry; what alignment asks for beyond that comes first.
 */
#define PATCHBAY_SLOT_OFFSET (-16)
#define PATCHBAY_SLOT_SIZE 8
#define PATCHBAY_PAD_OFFSET (-8)
#define PATCHBAY_HASH_OFFSET (-4)
#define PATCHBAY_HASH_SIZE 4
#define PATCHBAY_PREFIX_SIZE 16

/*
 * Functions of -fsanitize=function have two words of its own where pad and
 * hash are else: this magic, then a type hash that only it looks at. Their pad
 * is the PATCHBAY_SLOT_SIZE bytes before the slot.
 */
#define PATCHBAY_FUNCTION_SANITIZER_MAGIC 0xc105cafe
#define PATCHBAY_FUNCTION_SANITIZER_PAD_OFFSET (-24)

/*
 * Architectures
 *
 * X(id, triple, llvm, linux, e_machine, pad): one row per architecture whose
 * prefix is defined. `triple`, `llvm` and `linux` are the spellings that the
 * runtime, the pass and linker, and the kernel use; `pad` is the 4-byte little
 * endian word of return instructions, which is also the magic that proves
 * that a slot is there.
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
 * The state is the first byte alone. The compiler lets the other four lead to a
 * stub, which is as far away as a call would be, and nobody changes them: as an
 * immediate they decide about flags, and those are nobody's at an entry. Or they
 * are 0, and whoever arms the site for the first time fills them in before.
 * (Readers know one more form, which nobody writes: e9, a jmp.)
 *
 * The stubs are the module's own, PATCHBAY_X86_64_NR_STUBS of them, one for each
 * trampoline of the runtime, in the order of patchbay_x86_64_stub():
 *
 *	+0   f3 0f 1e fa        endbr64
 *	+4   ff 25 rel32        jmp *trampoline(%rip)    behind struct patchbay_links
 *	+10  cc ...
 *
 * In a module that no runtime knows they lead to endbr64; clc; ret, behind the
 * last of them. Unwind tables describe all that: the return address is on top of
 * the stack, as at any function's entry.
 *
 * Behind that are trampolines of the module's own, as many as stubs, for runtimes
 * that are so far away that branches to theirs cost more. Each has two entries:
 *
 *	+0   endbr64; clc; ret   it is shut
 *	+16  the trampoline      unwind tables describe every instruction of it
 *
 * What they must know is of two kinds. Addresses are in a table behind those that
 * the stubs jump to; all of it is 0 until a runtime fills it in:
 *
 *	+0   how far the word is from %fs:0 that leads to the thread's marks
 *	+8   address of the phase
 *	+16  what is called for a thread that is not outside
 *	+24  the personality of calls of a body: unwind tables lead to it
 *	+32  what is left to the runtime at an exit: if other tracers have come, for a
 *	     thread that is not outside, and for an exception that passes; of sites
 *	     without a landing pad, then of those with one
 *
 * The layout of cells, sets and threads is in the instructions. It is no part of the
 * ABI: the descriptor has its number, PATCHBAY_X86_64_LAYOUT, and a runtime whose own
 * layout has another number leads the stubs to its own trampolines. So who changes
 * what a trampoline does, or what it knows of structures, gives it the next number.
 * The runtime's source is the pass's, too (core/arch/x86_64/own.h).
 */
#define PATCHBAY_X86_64_MOV_EAX_IMM32 0xb8 /* at entry-5 if there is a hash */
#define PATCHBAY_X86_64_MOV_REGISTERS 0x07 /* bits of it that kcfi-arity sets */
#define PATCHBAY_X86_64_MOV_OFFSET (-5)
#define PATCHBAY_X86_64_RET 0xc3
#define PATCHBAY_X86_64_SITE_DISARMED 0xa9
#define PATCHBAY_X86_64_SITE_CALL 0xe8
#define PATCHBAY_X86_64_SITE_JMP 0xe9
#define PATCHBAY_X86_64_SITE_JB 0x72
#define PATCHBAY_X86_64_TRAP 0xcc /* between stubs, where nothing is executed */
#define PATCHBAY_X86_64_SITE_BRANCH_SIZE 5 /* opcode and imm32 */
#define PATCHBAY_X86_64_SITE_SIZE 7        /* with the jb */
#define PATCHBAY_X86_64_ENDBR64 0xfa1e0ff3 /* f3 0f 1e fa, before the site */
#define PATCHBAY_X86_64_ENDBR64_SIZE 4
#define PATCHBAY_X86_64_STUBS_SYMBOL "__patchbay_stubs_2" /* 2: the version */
#define PATCHBAY_X86_64_NR_STUBS 6
#define PATCHBAY_X86_64_STUB_SIZE 16
#define PATCHBAY_X86_64_STUB_JMP_OFFSET 4
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
#define PATCHBAY_X86_64_LAYOUT 5

/*
 * AArch64: site
 *
 *	disarmed   aa1e03e9   mov x9, x30      d503201f   nop
 *	armed      aa1e03e9   mov x9, x30      94xxxxxx   bl trampoline
 *	armed      aa1e03e9   mov x9, x30      14xxxxxx   b to a sequence of this
 *	                                                  site's own
 *
 * The state is the second word; exchanging a NOP, a BL and a B for each other
 * is what the architecture allows while other cores execute them. A record's
 * site is the first word. There x9 is free and x30 is the return address as
 * the caller left it, in functions that sign it, too: the site precedes their
 * paciasp. Because paciasp is a landing pad, a function that is built for BTI
 * has a bti c of its own before the site.
 */
#define PATCHBAY_AARCH64_SITE_MOV 0xaa1e03e9
#define PATCHBAY_AARCH64_SITE_NOP 0xd503201f
#define PATCHBAY_AARCH64_SITE_BL 0x94000000 /* | imm26, words */
#define PATCHBAY_AARCH64_SITE_B 0x14000000  /* | imm26, words */
#define PATCHBAY_AARCH64_SITE_BRANCH_OFFSET 4
#define PATCHBAY_AARCH64_SITE_SIZE 8
#define PATCHBAY_AARCH64_BTI_C 0xd503245f  /* before the site */
#define PATCHBAY_AARCH64_BTI_JC 0xd50324df /* the same, where jumps land, too */
#define PATCHBAY_AARCH64_BTI_SIZE 4

/*
 * ppc64le: site
 *
 *	disarmed   60000000   nop
 *	armed      48xxxxxx   b to a sequence of this site's own
 *
 * The state is the word; exchanging a NOP and a B for each other is what the
 * architecture allows while other processors execute them. At the site r0, r12
 * and CTR are free, and LR is the return address as the caller left it.
 * The entry is the global entry point; the site is at the local entry point,
 * behind the two instructions that set up the TOC pointer if there are any.
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
 * Neither word is ever compressed, and each is aligned. At the entry t0 is free, so
 * the first word may be changed at any time while the second is a nop; the state
 * is the second word. A site that was disarmed keeps its auipc. What the call leads
 * to is made by the runtime (core/arch/riscv64/insn.h).
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
 * PATCHBAY_SITES_SECTION has SHF_ALLOC | SHF_LINK_ORDER: a record lives and
 * dies with its function. Its name is a C identifier, so that linkers define
 * __start_patchbay_sites and __stop_patchbay_sites.
 */
#define PATCHBAY_SITES_SECTION "patchbay_sites"
#define PATCHBAY_NOTE_SECTION ".note.patchbay"

#define PATCHBAY_MODULE_SYMBOL "__patchbay_module"
#define PATCHBAY_MODULE_REGISTER "patchbay_module_register"
#define PATCHBAY_MODULE_UNREGISTER "patchbay_module_unregister"

/*
 * Note: an ELF note of owner PATCHBAY_NOTE_NAME and type PATCHBAY_NOTE_ABI,
 * one per object file, whose descriptor is struct patchbay_note.
 */
#define PATCHBAY_NOTE_NAME "Patchbay"
#define PATCHBAY_NOTE_ABI 1
#define PATCHBAY_MODE_USER 1   /* site and record are ours */
#define PATCHBAY_MODE_KERNEL 2 /* only the slot is; entry NOPs are LLVM's */

/*
 * The note of a file whose code was generated without the plugin though its
 * bitcode was made with it, as by a linker that is not given the plugin: it was
 * to have slots, and has none. Its owner is PATCHBAY_NOTE_NAME, its type
 * PATCHBAY_NOTE_BITCODE, its descriptor struct patchbay_bitcode_note; there is one
 * for each source file, and it is loaded. The linker and the command warn of it.
 */
#define PATCHBAY_NOTE_BITCODE 5
#define PATCHBAY_BITCODE_NOTE_SECTION ".note.patchbay.bitcode"
/* A flag: -patchbay-require was given, so that to link the file is an error. */
#define PATCHBAY_BITCODE_REQUIRED 1

/*
 * The note of libpatchbay, by which `patchbay list --live` finds it in a running
 * process. What it holds is between the two, and its first word is a version.
 */
#define PATCHBAY_NOTE_RUNTIME 3

/*
 * The note of libpatchbay-trace, by which `patchbay live` finds out where the
 * process listens; likewise.
 */
#define PATCHBAY_NOTE_CONTROL 4

/*
 * The note by which a runtime that is loaded later than a module finds the
 * module: of owner PATCHBAY_NOTE_NAME, in the module's COMDAT group, loaded. Its
 * descriptor is struct patchbay_module_note.
 */
#define PATCHBAY_NOTE_MODULE 6
#define PATCHBAY_MODULE_NOTE_SECTION ".note.patchbay.module"

/*
 * Record flags: each bit is a promise about the lowered function.
 */
#define PATCHBAY_RECORD_VARIADIC 0x01 /* takes `...`; counts are of named ones */
#define PATCHBAY_RECORD_SRET 0x02     /* returns through a hidden pointer */
#define PATCHBAY_RECORD_NORETURN 0x04 /* declared never to return */
#define PATCHBAY_RECORD_MUSTTAIL 0x08 /* leaves through a guaranteed tail call */
#define PATCHBAY_RECORD_RETURN_MASK 0x30
#define PATCHBAY_RECORD_RETURN_VOID 0x00
#define PATCHBAY_RECORD_RETURN_GP 0x10    /* integer registers only */
#define PATCHBAY_RECORD_RETURN_FP 0x20    /* floating-point registers only */
#define PATCHBAY_RECORD_RETURN_OTHER 0x30 /* both, x87, vectors, memory */
#define PATCHBAY_RECORD_UNKNOWN_ARGS 0x40 /* the counts cannot be relied on, or
                                             results are in more registers than
                                             tracers of exits keep */
#define PATCHBAY_RECORD_RESERVED 0x80     /* zero */
#define PATCHBAY_RECORD_COUNT_MAX 255     /* a count that does not fit is
                                             UNKNOWN_ARGS and this value */
#define PATCHBAY_RECORD_STACK_ALIGN_MAX 64 /* more, of an argument on the
                                             stack, is UNKNOWN_ARGS, too */

#define PATCHBAY_RECORD_SIZE 16

/*
 * Static calls: PATCHBAY_SCK_PREFIX "name" is the key, a data object that the
 * program defines; PATCHBAY_SCT_PREFIX "name" is the tramp, code that the
 * linker makes, one in each link unit that calls it. The kernel's names
 * (include/linux/static_call_types.h).
 *
 * A key that another link unit defines is imported: the unit's tramp finds it
 * through a pointer that the dynamic linker fills in (its GOT entry).
 *
 * All tramps have a direct form, which branches to the target, and an indirect
 * one, which falls through to a jump to where the key's func points. The run
 * time may change one to the other at any time. Two targets are part of the
 * tramp: RETURN0 returns 0, and RETURN, behind it, returns at once. The tramp
 * goes there directly if func is one of the functions of these names.
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
 * As in a site, the form is the first byte alone, and in the indirect form the
 * immediate is data. A target may thus be exchanged without any instruction
 * being torn: key.func = new; e9 -> a9; write imm; a9 -> e9. A target out of
 * rel32's reach simply stays in the indirect form. That keeps all registers but
 * those for the flags or, with an imported key, r11.
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
 * One word tells the forms apart, and it is always B or NOP, which the
 * architecture lets be exchanged under threads that execute them.
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
 *	+0   std   r2,24(r1)      callers have ld r2,24(r1) behind their bl
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
 *	+28  addis r2,r2,0        the run time fills in the distance of the TOCs
 *	+32  addi  r2,r2,0        and the target: one in reach of b, with a TOC
 *	+36  b     .              that is not the caller's
 *	+40  li    r3,0           RETURN0
 *	+44  blr                  RETURN
 *
 * With PATCHBAY_STATIC_CALL_SAME_TOC the symbol is at +4: nothing saves r2, no
 * caller restores it, and all targets must be in the tramp's link unit.
 *
 * The second part, 36 bytes more, is for callers that have no TOC pointer
 * (R_PPC64_REL24_NOTOC; they run on POWER10 only), if there are any:
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
 * Every word that is changed under threads is B or NOP before and after: they
 * are Power's patch class.
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
 * What the linker tells the run time of a link unit with static calls: a note
 * of type PATCHBAY_NOTE_STATIC_CALLS, which is loaded (PT_NOTE) and whose
 * descriptor is struct patchbay_static_calls. It leads to two tables:
 *
 * - the unit's tramps, struct static_call_tramp_key, sorted by the tramp;
 * - every branch to them, struct static_call_site, in the kernel's format,
 *   sorted by key, then by place.
 *
 * All offsets count from the field that holds them. The key's has flags in its
 * low bits, once the field's address is added.
 */
#define PATCHBAY_NOTE_STATIC_CALLS 2
#define PATCHBAY_STATIC_CALL_NOTE_SECTION ".note.patchbay.static_calls"
#define PATCHBAY_STATIC_CALL_TRAMP_SECTION ".static_call_tramp_key"
#define PATCHBAY_STATIC_CALL_SITE_SECTION ".static_call_sites"
#define PATCHBAY_STATIC_CALL_TEXT_SECTION ".static_call.text"

#define PATCHBAY_STATIC_CALL_FLAGS 7
/* In both: the offset leads to a pointer to the key. */
#define PATCHBAY_STATIC_CALL_IMPORTED 4
/* A site: it is a jump, not a call. The kernel's bit. */
#define PATCHBAY_STATIC_CALL_TAIL 1
/* A tramp, ppc64le: see there. */
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
 * @gp_args:         integer registers that arguments take, counted to the last
 *                   one, the sret pointer included (AArch64: x0 to x7; the
 *                   sret pointer is in x8 and not counted). ppc64le skips one
 *                   for each floating-point argument before it
 * @fp_args:         arguments in floating-point registers or, where these are
 *                   the same, in vector registers (elsewhere: UNKNOWN_ARGS)
 * @stack_arg_words: 8-byte words of arguments on the caller's stack; ppc64le:
 *                   of the parameter save area, behind its first eight, whose
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
 * The name of the source file follows, as the command line had it, with a NUL
 * behind it.
 */
struct patchbay_bitcode_note {
	uint32_t flags;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_bitcode_note) == 4);

/*
 * x86-64: the number of the stub that a function's site leads to. It says which
 * registers the trampoline keeps: of integer arguments the first two, the first
 * four, or all and al; and, 1 more, that the site is @behind_endbr64.
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
 * @size:        sizeof(struct patchbay_module) where it was compiled. It grows
 *               by fields that a runtime may leave aside
 * @sites_start: first record, relative to this field's address
 * @sites_stop:  end of the last record, relative to this field's address
 * @links:       struct patchbay_links, likewise
 * @state:       struct patchbay_state, likewise
 * @stubs:       x86-64: the first stub, likewise; 0 elsewhere
 * @flags:       what a runtime must know to do anything with the module; it
 *               refuses bits that it does not know. None so far
 * @trampolines: x86-64: the layout that the module's own trampolines know, behind
 *               its stubs (PATCHBAY_X86_64_LAYOUT); 0: there are none. Not in a
 *               descriptor of PATCHBAY_MODULE_SIZE_MIN bytes, which says the same
 *
 * The pass emits it with a constructor and a destructor, all in one COMDAT
 * group, into every object file that has a site; so a linked module has one.
 * They pass it to PATCHBAY_MODULE_REGISTER and PATCHBAY_MODULE_UNREGISTER,
 * weak references: a program runs unchanged where there is no runtime. The
 * fields are 64 bits wide because __start_patchbay_sites may be an undefined
 * weak symbol (every record discarded), which is 0 and far from everything;
 * both are then equal.
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
 * struct patchbay_links - where a module goes in the runtime
 * @module_register:   0; or what the constructor calls if its weak reference was
 *                     not resolved and @offered of the state is 1
 * @module_unregister: 0; or what the destructor calls if @late of the state is 1
 *
 * On x86-64 follow the addresses of PATCHBAY_X86_64_NR_STUBS trampolines, to which
 * the stubs jump, and, if the module has trampolines, their table.
 *
 * It lies where the dynamic loader lets nobody write once the module has been
 * relocated (RELRO), since it leads to code. The runtime writes it as it writes
 * text. While a thread may read a field no more than one byte of it changes.
 */
struct patchbay_links {
	uint64_t module_register;
	uint64_t module_unregister;
};

PATCHBAY_STATIC_ASSERT(sizeof(struct patchbay_links) ==
		       PATCHBAY_X86_64_TRAMPOLINES_OFFSET);

/*
 * struct patchbay_state - what is known of a module; it can be written to
 * @owner:       the runtime that has registered the module, or 0: it takes the
 *               module by compare and swap, so that of two runtimes one has it.
 *               The value is its own affair
 * @constructed: 1 from the module's constructor on, until its destructor. Who
 *               comes before that leaves it to the constructor to register
 * @late:        1 if the owner is not who the weak references are resolved to:
 *               the destructor calls links.module_unregister. It is stored, with
 *               release semantics, when that has been filled in
 * @offered:     1 if links.module_register has been filled in. A runtime stores it
 *               and then loads @constructed, a constructor the other way round,
 *               each with a full barrier between: so at least one of them sees
 *               the other
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
 * struct static_call_key - what __SCK__name is
 * @func:  the target; the linker reads the initial one from its relocation
 * @tramp: __SCT__name of the link unit that defines the key
 * @type:  the kCFI type hash of targets, or 0 if they are not checked
 *
 * In the kernel the structures of these names are the kernel's own.
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
 * @tramps:      offset of its tramps from this field
 * @nr_tramps:   their number
 * @sites:       offset of the branches to them from this field
 * @nr_sites:    their number
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
