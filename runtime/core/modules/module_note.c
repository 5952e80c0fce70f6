/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "modules/module_note.h"

#include "arch/arch.h"
#include "system/elf_note.h"
#include "types/module.h"

static int has(const struct dl_phdr_info *info, const void *at, size_t size,
	       ElfW(Word) flags)
{
	return pb_elf_has(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr,
			  (uintptr_t)at, size, flags);
}

static int has_all(const struct dl_phdr_info *info,
		   const struct patchbay_module *desc)
{
	return has(info, desc, PATCHBAY_MODULE_SIZE_MIN, PF_R) &&
	       has(info, desc, desc->size, PF_R) &&
	       has(info, pb_module_links(desc), pb_arch_links_size(desc),
		   PF_R | PF_W) &&
	       has(info, pb_desc_place(&desc->state),
		   sizeof(struct patchbay_state), PF_R | PF_W);
}

const struct patchbay_module *pb_module_noted(const struct dl_phdr_info *info,
					      const ElfW(Phdr) *segment)
{
	const struct patchbay_module_note *note = NULL;
	const struct patchbay_module *desc;
	size_t size;

	if (segment->p_type == PT_NOTE)
		note = pb_elf_note(info, segment, PATCHBAY_NOTE_NAME,
				   PATCHBAY_NOTE_MODULE, &size);
	if (!note || size < sizeof(*note))
		return NULL;
	desc = (const void *)((uintptr_t)&note->module +
			      (uintptr_t)(intptr_t)note->module);
	if ((uintptr_t)desc % _Alignof(struct patchbay_module) ||
	    !has(info, desc, sizeof(desc->abi_version), PF_R) ||
	    desc->abi_version != note->abi_version)
		return NULL;
	return desc->abi_version != PATCHBAY_ABI_VERSION || has_all(info, desc) ?
		       desc :
		       NULL;
}
