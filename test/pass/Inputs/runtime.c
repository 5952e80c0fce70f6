// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the runtime: prints the descriptors of registered modules.
#include <patchbay/abi.h>
#include <stdio.h>

static void say(const char *what, const struct patchbay_module *module) {
  const char *start = (const char *)&module->sites_start + module->sites_start;
  const char *stop = (const char *)&module->sites_stop + module->sites_stop;
  long count = (stop - start) / PATCHBAY_RECORD_SIZE;
  printf("%s abi=%u size=%u records=%ld\n", what, module->abi_version,
         module->size, count);
  const struct patchbay_record *record = (const void *)start;
  for (long i = 0; i < count; i++, record++) {
    const unsigned char *entry = (const unsigned char *)&record->entry + record->entry;
    const unsigned char *site = (const unsigned char *)&record->site + record->site;
#ifdef __aarch64__
    const uint32_t *pad = (const void *)(entry + PATCHBAY_PAD_OFFSET);
    const uint32_t *branch = (const void *)(site + PATCHBAY_AARCH64_SITE_BRANCH_OFFSET);
    if (*pad != 0xd65f03c0 || *branch != PATCHBAY_AARCH64_SITE_NOP)
#elif defined(__powerpc64__)
    const uint32_t *pad = (const void *)(entry + PATCHBAY_PAD_OFFSET);
    if (*pad != 0x4e800020 || *(const uint32_t *)site != PATCHBAY_PPC64LE_SITE_NOP)
#elif defined(__riscv)
    const uint32_t *pad = (const void *)(entry + PATCHBAY_PAD_OFFSET);
    const uint32_t *branch = (const void *)(site + PATCHBAY_RISCV64_SITE_BRANCH_OFFSET);
    if (*pad != 0x00008067 || *branch != PATCHBAY_RISCV64_SITE_NOP)
#else
    if (entry[PATCHBAY_PAD_OFFSET] != PATCHBAY_X86_64_RET ||
        site[0] != PATCHBAY_X86_64_SITE_DISARMED)
#endif
      printf("record %ld points nowhere\n", i);
  }
}

int patchbay_module_register(const struct patchbay_module *module) {
  setvbuf(stdout, NULL, _IONBF, 0);
  say("register", module);
  return 0;
}

void patchbay_module_unregister(const struct patchbay_module *module) {
  say("unregister", module);
}
