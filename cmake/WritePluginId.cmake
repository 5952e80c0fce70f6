# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   cmake -DPLUGIN=patchbay-pass.so -DHEADER=plugin-id.h -P WritePluginId.cmake
#
# Compiler caches (ccache, sccache) know that a plugin counts if the command line
# has it, but do not look into clang's configuration files: to them, another
# plugin there changes nothing. What is included does count. So the configuration
# file includes a header that is different for each plugin; the pragma, which
# nobody knows, makes that so for caches that look at preprocessed text alone.
file(SHA256 ${PLUGIN} id)
file(WRITE ${HEADER} "/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * patchbay.cfg includes this, so that a compiler cache or a build system sees when
 * the plugin is another one. Written where the plugin is installed.
 */
#pragma GCC system_header
#ifndef __ASSEMBLER__
#pragma patchbay plugin ${id}
#endif
")
file(CHMOD ${HEADER} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
